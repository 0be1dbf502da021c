"""Labels: the words of scenes and of actions, declared once, filled with numbers wherever they are shown.

A game's `scene.py` declares `LABELS`, {number: text}. In a text,

- {0} is the first argument, {1} the second, {2} the third;
- {0:seat} the name of that seat;
- {0:signed} the number with its sign, as "+3" or "−3", 0 without;
- {0:milli} thousandths with their sign, as "+0.333", with as few digits as it needs;
- {0|cards|card|cards} chooses by the number: the text for 0, for 1, and the last one for all above;
- {0:plural|one:карта|few:карты|many:карт} chooses by the plural category of the number in the text's language, which
  Unicode's CLDR names; the last text stands for categories that are not there.

A phrase is a label's text with its arguments. The text is what translations are looked up by.

Texts that pictures of several games have are SHARED: no game declares them, and their translations are the page's.

`words.js` fills the same texts in a browser; a test compares both.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

Phrase = tuple[Any, ...]  # the text, then its arguments

NAME, NUMBER, CARDS, TO_MOVE, WINS = range(1001, 1006)  # a game's own numbers are below
SHARED = {
    NAME: "{0:seat}",
    NUMBER: "{0}",
    CARDS: "{0} {0|cards|card|cards}",
    TO_MOVE: "TO MOVE",
    WINS: "{0:seat} wins",
}

PLACE = re.compile(r"\{(\d)(?::(\w+))?((?:\|[^|{}]*)*)\}")
_WORD = re.compile(r"[^\W\d_]{2,}")


def phrase(text: str, *arguments: Any) -> Phrase:
    """Return a phrase; its text is written out in the call, as tools that collect texts for translators read it there.

    Example:
        >>> phrase("took {0} of {1}", 1, 3)
        ('took {0} of {1}', 1, 3)
    """
    return (text, *arguments)


def say(words: Phrase, names: Sequence[str] | None = None) -> str:
    """Return a phrase in its own language."""
    if words[0] == "{0}":  # most moves with cards: no time to lose
        return str(words[1])
    return fill(words[0], words[1:], names) if "{" in words[0] else words[0]


class PhraseError(ValueError):
    """An error whose words can be translated: a text, which is written out in the call, and its arguments."""

    def __init__(self, text: str, *arguments: Any) -> None:
        super().__init__(text, *arguments)

    def __str__(self) -> str:
        """Return the words in English."""
        return say(self.args)


@lru_cache(4096)
def has_words(text: str) -> bool:
    """Return True if a label has words to translate, and False if it is all names, numbers and single letters.

    Example:
        >>> has_words("{0:seat} leads"), has_words("{0:seat} {1|a|b}{2}")
        (True, False)
    """
    return _WORD.search(re.sub(r"\{\d(:\w+)?", "", text)) is not None


def english_category(number: int) -> str:
    """Return the plural category of a number in English: "one" or "other"."""
    return "one" if number == 1 else "other"


def fill(
    text: str,
    arguments: Sequence[Any],
    names: Sequence[str] | None = None,
    category: Callable[[int], str] = english_category,
) -> str:
    """Return a label with its arguments.

    Args:
        text: the label.
        arguments: numbers, at most three for the elements of a scene; a place without a form takes texts too.
        names: who plays, a seat each; None: player_0 and so on.
        category: returns the plural category of a number in the language of the text.

    Example:
        >>> fill("{0:seat} has {1} {1|cards|card|cards}", (0, 1))
        'player_0 has 1 card'
        >>> fill("{0:seat}: {1:milli}", (1, -333), ("Anna", "Ben"))
        'Ben: −0.333'
        >>> fill("{0:plural|one:a card|other:cards}", (21,))
        'cards'
    """
    return PLACE.sub(lambda match: _one(match, arguments, names, category), text)


def _one(
    match: re.Match[str], arguments: Sequence[Any], names: Sequence[str] | None, category: Callable[[int], str]
) -> str:
    """Return the text for one place of a label."""
    value, form, choices = arguments[int(match[1])], match[2], match[3]
    if form == "plural":
        each = {name: words for name, _, words in (one.partition(":") for one in choices[1:].split("|"))}
        return each.get(category(value), list(each.values())[-1])
    if choices:
        texts = choices[1:].split("|")
        return texts[min(max(int(value), 0), len(texts) - 1)]
    if form == "seat":
        return names[int(value)] if names else f"player_{value}"
    if form == "signed":
        return _signed(f"{abs(value)}", value)
    if form == "milli":
        return _signed(f"{abs(value) / 1000:g}", value)
    return str(value)


def _signed(digits: str, value: int) -> str:
    return digits if value == 0 else f"{'+' if value > 0 else '−'}{digits}"
