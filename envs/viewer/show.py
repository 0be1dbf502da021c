"""Recorded games in a notebook's cell."""

from html import escape
from pathlib import Path

from kozyr.envs.table.record import read_file
from kozyr.envs.table.record_format import Record
from kozyr.envs.table.table import Table
from kozyr.envs.viewer.html import page


class Show:
    """The viewer of recorded games, which a notebook displays.

    Attributes:
        page: the whole page as HTML.
        high: how high the cell is, in pixels.
    """

    def __init__(self, page: str, high: int) -> None:
        self.page, self.high = page, high

    def __repr__(self) -> str:
        return f"Show({len(self.page)} characters of HTML)"

    def _repr_html_(self) -> str:
        look = f'width="100%" height="{self.high}" style="border:0"'
        return f'<iframe title="A recorded game" {look} sandbox="allow-scripts" srcdoc="{escape(self.page)}"></iframe>'


def show(games: Record | Table | str | Path, seat: int | None = None, high: int = 720) -> Show:
    """Return the viewer of recorded games for a notebook's cell.

    Args:
        games: a record, a table, or the path of a file of records.
        seat: whose knowledge to show; None: everything, and each seat's to choose from.
        high: how high the cell is, in pixels.

    Raises:
        ValueError: for a file without games, or with a record that is not as the rules have it.
    """
    if isinstance(games, (str, Path)):
        records = list(read_file(games))
    else:
        records = [games.record if isinstance(games, Table) else games]
    return Show(page(records, seat), high)
