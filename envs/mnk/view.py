"""View of a seat: its named parts, declared here and nowhere else."""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit, write_bits, write_word
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.mnk.bans import is_closed
from kozyr.envs.mnk.board import EMPTY, FILLED, content, words_of
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.swap2 import OPENING, STAGES, SWAP2


def _cells(v: Variant) -> int:
    return v.m * v.n


def _rows(v: Variant) -> int:
    return v.m


class Parts(Layout):
    """The parts of the view, in their order."""

    mine = Part("1 where my stone lies, row by row", size=_cells, rows=_rows)
    theirs = Part("1 where my opponent's stone lies", size=_cells, rows=_rows)
    wall = Part(
        "1 where a cell is walled off; without obstacles there is no such part",
        size=lambda v: v.m * v.n if v.obstacles > 0 else 0,
        rows=_rows,
    )
    banned = Part(
        "1 where X, to move, may not play; without bans there is no such part",
        size=lambda v: v.m * v.n if v.bans > 0 else 0,
        rows=_rows,
    )
    x = Part("1 if I play X")
    reply = Part("1 while O plays the last reply")
    turn = Part("1 if I am to move")
    over = Part("1 once the game is over")
    opening = Part(
        "1 at the stage of the opening: three stones, the choice, two more stones, the last choice; only with swap2",
        size=lambda v: STAGES if v.opening_rule == SWAP2 else 0,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with the position as `seat` sees it; nothing is hidden in this game."""
    at = Parts(v)
    write_plane(v, s, seat, view, at.mine)
    write_plane(v, s, 1 - seat, view, at.theirs)
    if v.obstacles > 0:
        write_plane(v, s, FILLED, view, at.wall)
    if v.bans > 0:
        write_bans(v, s, view, at.banned)
    view[at.x] = s.x == seat
    view[at.reply] = s.reply
    view[at.turn] = s.turn == seat
    view[at.over] = s.turn < 0
    if v.opening_rule:
        write_stage(s, view, at.opening)


@inlined
def write_plane(v: Variant, s: Any, plane: int, view: NDArray[Any], first: int) -> None:
    """Write which cells have a seat's stones, or are walled off, from a place of the view on."""
    words, cells = words_of(v), v.m * v.n
    for i in range(cells >> 6):
        write_word(view, first + (i << 6), word_of(v, s, plane, i))
    if cells & 63:
        write_bits(view, first + cells - (cells & 63), cells & 63, word_of(v, s, plane, words - 1))


@jit
def write_bans(v: Variant, s: Any, view: NDArray[Any], first: int) -> None:
    """Write which cells are closed and not filled, from a place of the view on."""
    for a in range(v.m * v.n):
        view[first + a] = is_closed(v, s, a) and content(v, s, a) == EMPTY


@jit
def write_stage(s: Any, view: NDArray[Any], first: int) -> None:
    """Write the stage of swap2's opening, from a place of the view on."""
    for i in range(STAGES):
        view[first + i] = s.stage == OPENING + i


@inlined
def word_of(v: Variant, s: Any, plane: int, i: int) -> int:
    """Return a word of a plane; of FILLED what is no stone, the walls."""
    words = words_of(v)
    word = s.planes[plane * words + i]
    return word & ~(s.planes[i] | s.planes[words + i]) if plane == FILLED else word
