"""Move list of the terminal, filtered while somebody types, and cards with their suits as coloured symbols."""

import re

from rich.text import Text
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kozyr.agents.play.host.choices import Choice, find_choice, plain, rows_of
from kozyr.envs.table.table import Table

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
    """Return a text with cards and suits as symbols, the player to move and you yourself in bold.

    Args:
        text: of a game.
        cards: whether letters that stand alone may be suits; a game without cards has other uses for them.
    """
    result, end = Text(), 0
    matches = [*_CARD.finditer(text), *(_SUIT.finditer(text) if cards and _CARD.search(text) else ())]
    for one in sorted(matches, key=lambda one: one.start()):
        result.append(text[end : one.start()])
        letter = one[0][-1]
        rank = one[0][:-1].replace("T", "10")
        result.append(rank + SUITS[letter], f"bold {COLOURS[letter]}")
        end = one.end()
    result.append(text[end:])
    result.highlight_regex(r"player_\d+ \(you\)|player_\d+ to move", f"bold {GOLD}")
    return result


def game_text(text: str) -> str:
    """Return typed text as a game writes it: 10♦ and 10d are TD.

    Example:
        >>> game_text("transfer 10♦")
        'transfer TD'
    """

    def card(match: re.Match[str]) -> str:
        rank, suit = match[1].upper(), match[2].upper()
        return ("T" if rank == "10" else rank) + _LETTERS.get(suit, suit)

    return _TYPED.sub(card, text) if re.search("10|[♣♦♥♠]", text) else text


class MoveList(OptionList):
    """The legal moves, a row each; amounts of one move share a row.

    Attributes:
        choices: all legal moves; rows: those in the list.
    """

    def __init__(self) -> None:
        super().__init__(id="moves")
        self.choices: list[Choice] = []
        self.rows: list[list[Choice]] = []

    def offer(self, choices: list[Choice]) -> None:
        """Show the moves of a new position, the first one marked if there is no other."""
        self.choices = choices
        self.filter("")
        if len(choices) == 1:
            self.highlighted = 0

    def filter(self, typed: str) -> None:
        """Show the moves that contain the typed text; the only one that does is marked."""
        part, number = plain(game_text(typed)), typed.strip()
        amounts = [[one] for one in self.choices if one.amount is not None and str(one.amount) == number]
        self.rows = amounts or [
            row for row in rows_of(self.choices) if any(part in plain(f"{one.words}\n{one.text}") for one in row)
        ]
        self.clear_options()
        self.add_options([Option(_prompt(row), str(i)) for i, row in enumerate(self.rows)])
        if typed and len(self.rows) == 1:
            self.highlighted = 0

    def step(self, by: int) -> None:
        """Mark the next row, or the one before."""
        count, at = self.option_count, self.highlighted
        if count:
            self.highlighted = (0 if by > 0 else count - 1) if at is None else (at + by) % count

    def exact(self, table: Table, typed: str) -> Choice:
        """Return the move of a text: an amount, the move's words, or the game's text.

        Raises:
            ValueError: in a sentence, if it is no move.
        """
        for one in self.choices:
            if one.amount is not None and str(one.amount) == typed:
                return one
        return find_choice(table, self.choices, game_text(typed))


def _prompt(row: list[Choice]) -> Text:
    """Return the text of a row."""
    last = Text(" … ").append_text(coloured(str(row[-1].amount))) if len(row) > 1 else Text()
    return coloured(row[0].words).append_text(last)
