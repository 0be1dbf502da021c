"""Board widget: the cells of a text's diagram, a cursor, and the last move marked."""

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click, MouseMove
from textual.message import Message
from textual.widgets import Static

from kozyr.agents.play.terminal.move_list import EMPTY, LAST, MARKS

CELL = 2  # columns of the terminal


def diagram(text: str, rows: int, columns: int) -> tuple[list[list[str]], list[str]] | None:
    """Return the cells of the diagram in a text, and its other lines; None if there is no diagram of this size."""
    lines = [line.split() for line in text.splitlines()]
    for first in range(len(lines) - rows + 1):
        block = lines[first : first + rows]
        if all(len(line) == columns and all(len(cell) == 1 for cell in line) for line in block):
            every = text.splitlines()
            return block, every[:first] + every[first + rows :]
    return None


class BoardWidget(Static, can_focus=True):
    """A board whose cells are the first actions, row by row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", "Up", show=False),
        Binding("down", "move(1, 0)", "Down", show=False),
        Binding("left", "move(0, -1)", "HumanLeft", show=False),
        Binding("right", "move(0, 1)", "Right", show=False),
        Binding("enter,space", "choose", "Play", show=False),
    ]

    class At(Message):
        """The cursor stands on another cell."""

        def __init__(self, cell: int) -> None:
            self.cell = cell
            super().__init__()

    class Selected(Message):
        """A cell was selected."""

        def __init__(self, cell: int) -> None:
            self.cell = cell
            super().__init__()

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(id="board")
        self._rows, self._columns = rows, columns
        self._row, self._column = rows // 2, columns // 2
        self._cells: list[list[str]] = []
        self._last: int | None = None
        self._marks: dict[str, str] = {}
        self.styles.width, self.styles.height = CELL * columns + 2, rows + 2

    @property
    def shape(self) -> tuple[int, int]:
        """Its rows and columns."""
        return self._rows, self._columns

    @property
    def cell(self) -> int:
        """The cell under the cursor."""
        return self._row * self._columns + self._column

    def fill(self, cells: list[list[str]], last: int | None) -> None:
        """Show a position; `last` is the newest cell, or None."""
        self._cells, self._last = cells, last
        for mark in (mark for row in cells for mark in row if mark.isalnum()):
            self._marks.setdefault(mark, MARKS[len(self._marks) % len(MARKS)])
        self._draw()

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor, over the edge to the other side."""
        self._go((self._row + down) % self._rows, (self._column + right) % self._columns)

    def action_choose(self) -> None:
        """Choose the cell under the cursor."""
        self.post_message(self.Selected(self.cell))

    def on_click(self, event: Click) -> None:
        """Choose a cell with the mouse."""
        if self._point(event):
            self.action_choose()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Let the cursor follow the mouse."""
        self._point(event)

    def on_focus(self) -> None:
        """Show the cursor."""
        self._draw()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._draw()

    def _point(self, event: Click | MouseMove) -> bool:
        """Move the cursor to the mouse; tell whether that is on the board."""
        row, column = event.y - 1, (event.x - 1) // CELL
        inside = 0 <= row < self._rows and 0 <= column < self._columns
        if inside:
            self._go(row, column)
        return inside

    def _go(self, row: int, column: int) -> None:
        if (row, column) != (self._row, self._column):
            self._row, self._column = row, column
            self._draw()
            self.post_message(self.At(self.cell))

    def _draw(self) -> None:
        """Write the cells."""
        text = Text(no_wrap=True)
        for number, mark in enumerate(mark for row in self._cells for mark in row):
            text.append("·" if mark == EMPTY else mark, self._style(number, mark))
            text.append(" " if (number + 1) % self._columns else "\n")
        self.update(text)

    def _style(self, number: int, mark: str) -> Style:
        style = Style.parse(self._marks.get(mark, "#8a94a6"))
        if number == self._last:
            style += Style(underline=True, bgcolor=LAST)
        return style + Style(reverse=True) if self.has_focus and number == self.cell else style
