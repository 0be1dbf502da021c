"""Text of a view: the seats' marks, the turn, and the board.

    player_1 (you): O
    player_0: X
    O to move (last reply)
    X O O
    . X .
    . . X

Nothing is hidden in this game.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.mnk import GAME
from kozyr.envs.mnk.rules import Variant

_STATUS = re.compile(r"(?:(?P<mover>[XO]) to move|over)(?P<reply> \(last reply\))?")
_ROLES = ("X", "O")


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    part = text_lines.parts_of(GAME, v, view)
    mine, theirs = _ROLES if part["x"][0] else _ROLES[::-1]
    board = np.full(v.m * v.n, ".")
    for name, mark in (("mine", mine), ("theirs", theirs), ("wall", "#")):
        board[np.flatnonzero(part[name])] = mark
    state = "over" if part["over"][0] else f"{mine if part['turn'][0] else theirs} to move"
    status = state + (" (last reply)" if part["reply"][0] else "")
    rows = [" ".join(row) for row in board.reshape(v.m, v.n).tolist()]
    return text_lines.tell(seat, [mine, theirs], [status, *rows])


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    told = text_lines.read_told(text, 2, below=1 + v.m)
    status, *rows = told.rest
    match = _STATUS.fullmatch(status)
    if not match or sorted(told.seats) != sorted(_ROLES):
        raise ValueError("not what a seat knows: one seat plays X, the other O, and below them stands 'X to move'")
    mine, theirs = told.seats
    marks = {mine: "mine", theirs: "theirs", ".": "", **({"#": "wall"} if v.obstacles > 0 else {})}
    cells = [row.split() for row in rows]
    if len(rows) != v.m or any(len(row) != v.n or set(row) - set(marks) for row in cells):
        raise ValueError(f"not a board of {v.m}×{v.n}: write {v.m} rows of {v.n} marks {' '.join(marks)}")
    view, part = text_lines.blank(GAME, v)
    for a, mark in enumerate(mark for row in cells for mark in row):
        if mark != ".":
            part[marks[mark]][a] = 1
    part["x"][0], part["reply"][0] = mine == "X", match["reply"] is not None
    part["turn"][0], part["over"][0] = match["mover"] == mine, match["mover"] is None
    return text_lines.finished(GAME, v, view)
