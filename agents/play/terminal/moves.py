"""The list of legal moves in the terminal, filtered by what is typed."""

from rich.text import Text
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kozyr.agents.play.host.choices import Choice, meant, plain, rows_of
from kozyr.agents.play.terminal.suit_symbols import coloured, written
from kozyr.envs.table.table import Table


class Moves(OptionList):
    """The legal moves, a row each; amounts of one move share a row.

    Attributes:
        given: all legal moves; rows: those that are shown.
    """

    def __init__(self) -> None:
        super().__init__(id="moves")
        self.given: list[Choice] = []
        self.rows: list[list[Choice]] = []

    def offer(self, given: list[Choice]) -> None:
        """Show the moves of a new position, the first one marked if there is no other."""
        self.given = given
        self.filter("")
        if len(given) == 1:
            self.highlighted = 0

    def filter(self, typed: str) -> None:
        """Show the moves that hold what was typed; the only one that does is marked."""
        wanted, number = plain(written(typed)), typed.strip()
        amounts = [[one] for one in self.given if one.amount is not None and str(one.amount) == number]
        self.rows = amounts or [
            row for row in rows_of(self.given) if any(wanted in plain(f"{one.words}\n{one.text}") for one in row)
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
        """Return the move that is meant: an amount, the move's words, or the game's text.

        Raises:
            ValueError: saying why it is none.
        """
        for one in self.given:
            if one.amount is not None and str(one.amount) == typed:
                return one
        return meant(table, self.given, written(typed))


def _prompt(row: list[Choice]) -> Text:
    """Return a row of the list as it is shown."""
    last = Text(" … ").append_text(coloured(str(row[-1].amount))) if len(row) > 1 else Text()
    return coloured(row[0].words).append_text(last)
