"""Labels: the words of scenes and of actions, declared once, filled with numbers wherever they are shown.

A game's `scene.py` declares `LABELS`, {number: text}. In a text,

- {0} is the first argument, {1} the second, {2} the third;
- {0:seat} the name of that seat;
- {0:signed} the number with its sign, as "+3" or "−3", 0 without;
- {0:milli} thousandths with their sign, as "+0.333", with as few digits as it needs;
- {0|cards|card|cards} chooses by the number: the text for 0, for 1, and the last one for all above.

`words.js` fills the same texts in a browser; a test compares both.
"""

import re
from collections.abc import Sequence

_PLACE = re.compile(r"\{(\d)(?::(\w+)|((?:\|[^|{}]*)+))?\}")


def fill(text: str, arguments: Sequence[int], names: Sequence[str] | None = None) -> str:
    """Return a label with its arguments.

    Args:
        text: the label.
        arguments: up to three numbers.
        names: who plays, a seat each; None: player_0 and so on.

    Example:
        >>> fill("{0:seat} has {1} {1|cards|card|cards}", (0, 1))
        'player_0 has 1 card'
        >>> fill("{0:seat}: {1:milli}", (1, -333), ("Anna", "Ben"))
        'Ben: −0.333'
    """
    return _PLACE.sub(lambda match: _one(match, arguments, names), text)


def _one(match: re.Match[str], arguments: Sequence[int], names: Sequence[str] | None) -> str:
    """Return the text for one place of a label."""
    value, form, choices = arguments[int(match[1])], match[2], match[3]
    if choices:
        texts = choices[1:].split("|")
        return texts[min(max(value, 0), len(texts) - 1)]
    if form == "seat":
        return names[value] if names else f"player_{value}"
    if form == "signed":
        return _signed(f"{abs(value)}", value)
    if form == "milli":
        return _signed(f"{abs(value) / 1000:g}", value)
    return str(value)


def _signed(digits: str, value: int) -> str:
    return digits if value == 0 else f"{'+' if value > 0 else '−'}{digits}"
