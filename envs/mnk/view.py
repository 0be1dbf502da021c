"""What a seat sees: the named parts of the view are declared here and nowhere else."""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import write_bits
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.mnk.board import WALLS, words_of
from kozyr.envs.mnk.rules import Variant


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
    words = words_of(v)
    for i in range(words):
        here = min(cells - i * 64, 64)
        write_bits(view, at.mine + i * 64, here, s.planes[seat * words + i])
        write_bits(view, at.theirs + i * 64, here, s.planes[(1 - seat) * words + i])
        if v.obstacles > 0:
            write_bits(view, at.wall + i * 64, here, s.planes[WALLS * words + i])
    view[at.x] = s.starter == seat
    view[at.reply] = s.reply
    view[at.turn] = s.turn == seat
    view[at.over] = s.turn < 0
