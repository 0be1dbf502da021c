"""What a seat sees: the named parts of the view are declared here and nowhere else."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.view import Part
from kozyr.envs.mnk.rules import WALL, Variant

MEANING = {
    "mine": Part(1, "1 where my stone lies, row by row"),
    "theirs": Part(1, "1 where my opponent's stone lies"),
    "wall": Part(1, "1 where a cell is walled off; without obstacles there is no such part"),
    "x": Part(1, "1 if I began and play X"),
    "reply": Part(1, "1 while O plays the last reply"),
    "turn": Part(1, "1 if I am to move"),
    "over": Part(1, "1 once the game is over"),
}


class Parts(NamedTuple):
    """Where each part of the view begins; the last field is the size of the whole."""

    mine: int
    theirs: int
    wall: int
    x: int
    reply: int
    turn: int
    over: int
    size: int


@jit
def parts(v: Variant) -> Parts:
    """Lay the parts of the view out for a variant."""
    cells = v.m * v.n
    flags = 3 * cells if v.obstacles > 0 else 2 * cells
    return Parts(0, cells, 2 * cells, flags, flags + 1, flags + 2, flags + 3, flags + 4)


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with the position as `seat` sees it; nothing is hidden in this game."""
    at, cells = parts(v), v.m * v.n
    board, me, other = s.board, np.int8(seat), np.int8(1 - seat)
    mine, theirs, wall = view[:cells], view[at.theirs : at.wall], view[at.wall : at.x]
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
