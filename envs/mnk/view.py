"""What a seat sees: the named parts of the view are declared here and nowhere else."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.mnk.rules import WALL, Variant


def _cells(v: Variant) -> int:
    return v.m * v.n


class Parts(Layout):
    """The parts of the view, in their order."""

    mine = Part("1 where my stone lies, row by row", size=_cells)
    theirs = Part("1 where my opponent's stone lies", size=_cells)
    wall = Part(
        "1 where a cell is walled off; without obstacles there is no such part",
        size=lambda v: v.m * v.n if v.obstacles > 0 else 0,
    )
    x = Part("1 if I began and play X")
    reply = Part("1 while O plays the last reply")
    turn = Part("1 if I am to move")
    over = Part("1 once the game is over")


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with the position as `seat` sees it; nothing is hidden in this game."""
    at, cells = Parts(v), v.m * v.n
    board, me, other = s.board, np.int8(seat), np.int8(1 - seat)
    mine, theirs, wall = view[at.mine : at.theirs], view[at.theirs : at.wall], view[at.wall : at.x]
    for a in range(cells):
        mine[a] = board[a] == me
    for a in range(cells):
        theirs[a] = board[a] == other
    for a in range(len(wall)):
        wall[a] = board[a] == WALL
    view[at.x] = s.starter == seat
    view[at.reply] = s.reply
    view[at.turn] = s.turn == seat
    view[at.over] = s.turn < 0
