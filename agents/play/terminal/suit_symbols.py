"""A seat's text as a terminal shows it: suits as coloured signs, and what somebody types turned back into the text."""

import re

from rich.text import Text

SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
COLOURS = {"C": "#5fd787", "D": "#5fafff", "H": "#ff6b6b", "S": "#ffffff"}
GOLD = "#f6b73c"
LAST = "#5c4a1a"  # behind the last move
MARKS = ["bold #ff9f68", "bold #6cb6ff", "#8a94a6", "bold #c3e88d"]  # of a board's contents, in their order
EMPTY = "."
_CARD = re.compile(r"\b([2-9TJQKA])([CDHS])\b")
_SUIT = re.compile(r"\b[CDHS]\b")
_TYPED = re.compile(r"(10|[2-9TJQKA])\s*([♣♦♥♠CDHS])", re.IGNORECASE)
_LETTERS = {sign: letter for letter, sign in SUITS.items()}


def coloured(text: str, cards: bool = True) -> Text:
    """Return a text with cards and suits as signs, and who is to move and you yourself in bold.

    Args:
        text: what a game wrote.
        cards: whether letters that stand alone may be suits; a game without cards has other uses for them.
    """
    shown, end = Text(), 0
    found = [*_CARD.finditer(text), *(_SUIT.finditer(text) if cards and _CARD.search(text) else ())]
    for one in sorted(found, key=lambda one: one.start()):
        shown.append(text[end : one.start()])
        letter = one[0][-1]
        rank = one[0][:-1].replace("T", "10")
        shown.append(rank + SUITS[letter], f"bold {COLOURS[letter]}")
        end = one.end()
    shown.append(text[end:])
    shown.highlight_regex(r"player_\d+ \(you\)|player_\d+ to move", f"bold {GOLD}")
    return shown


def written(text: str) -> str:
    """Return what somebody typed as a game writes it: 10♦ and 10d are TD.

    Example:
        >>> written("transfer 10♦")
        'transfer TD'
    """

    def one(found: re.Match[str]) -> str:
        rank, suit = found[1].upper(), found[2].upper()
        return ("T" if rank == "10" else rank) + _LETTERS.get(suit, suit)

    return _TYPED.sub(one, text) if re.search("10|[♣♦♥♠]", text) else text
