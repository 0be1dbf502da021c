"""The stronger pattern player of the m,n,k-game: it tells threes and fours apart, open and closed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.jit import jit
from kozyr.envs.core.rng import below
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import parts

_FREE, _MINE, _THEIRS, _WALL = range(4)  # contents of a cell
_APART = 1 << 12  # windows are numbered by stones × _APART + the sum of the places that lack
_NO_WINDOW = -1

# What a stone makes in a line, by the stones that then lack and by whether that is open: an open shape can grow in
# two ways. Sums over the four directions still tell how many threes, fours, open fours and fives there are.
_SHAPES = np.array([[65536, 65536], [1024, 8192], [24, 128], [6, 24], [1, 4]], np.int64)
_THREE, _FOUR, _TWO_FOURS, _FIVE = 128, 1024, 2048, 65536
_OWN, _OTHER = 3, 2  # weights of windows by their owner
_GROWTH, _COUNTED = 3, 5  # bits by which each stone multiplies a window's worth, up to so many stones

# What a stone achieves, the best first; among equals the shapes decide.
_DONE, _SAVED, _OPEN_FOUR, _NO_OPEN_FOUR, _FOUR_THREE, _TWO_THREES, _NO_FORK, _NOTHING = (
    n << 30 for n in range(7, -1, -1)
)


@jit
def hard(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Look one ply ahead with an eye for open fours and threes, forks, and the last reply.

    X does not complete a line while O can answer with one, unless there is no way to keep O from it.
    """
    at = parts(v)
    best, best_value, equal, ours, clean, saves, save = 0, -1, 1, -1, False, 0, 0
    for a in range(v.m * v.n):
        if mask[a]:
            mine, theirs, worth = shapes(v, view, a)
            if theirs >= _FIVE:
                saves, save = saves + 1, a
            if mine >= _FIVE and not clean:
                ours, clean = a, theirs >= _FIVE
            value = rated(mine, theirs) + worth
            if value > best_value:
                best, best_value, equal = a, value, 1
            elif value == best_value:
                equal += 1
                if below(g, equal) == 0:
                    best = a
    if ours >= 0:
        return save if saves == 1 and not clean and v.last_reply and view[at.x] else ours
    return best


@jit
def rated(mine: int, theirs: int) -> int:
    """Return how good a stone is by the shapes that it makes and those that it keeps the other from."""
    if mine >= _FIVE:
        return _DONE
    if theirs >= _FIVE:
        level = _SAVED
    elif mine >= _TWO_FOURS:
        level = _OPEN_FOUR
    elif theirs >= _TWO_FOURS:
        level = _NO_OPEN_FOUR
    elif mine >= _FOUR + _THREE:
        level = _FOUR_THREE
    elif mine < _FOUR and mine >= 2 * _THREE:
        level = _TWO_THREES
    elif theirs >= _FOUR + _THREE or (theirs < _FOUR and theirs >= 2 * _THREE):
        level = _NO_FORK
    else:
        level = _NOTHING
    return level


@jit
def shapes(v: Variant, view: NDArray[Any], a: int) -> tuple[int, int, int]:
    """Return the sums of the shapes that a stone on cell `a` would make, mine and my opponent's, and of all windows."""
    r, c, mine, theirs, worth = a // v.n, a % v.n, 0, 0, 0
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        mine_here, theirs_here, worth_here = along(v, view, r, c, dr, dc)
        mine += mine_here
        theirs += theirs_here
        worth += worth_here
    return mine, theirs, worth


@jit
def along(v: Variant, view: NDArray[Any], r: int, c: int, dr: int, dc: int) -> tuple[int, int, int]:
    """Return what a stone would make in one direction, mine and my opponent's, and the worth of the windows.

    A window of k cells slides over the stone; it is worth something to a side if all else in it is free or that
    side's. The fullest windows make the shape, which is open if two of them lack different cells.
    """
    mine, theirs, mine_at, theirs_at, walls, cells_at, worth = 0, 0, 0, 0, 0, 0, 0
    best_m, open_m, best_t, open_t = _NO_WINDOW, False, _NO_WINDOW, False
    for i in range(1 - v.k, v.k):
        what = content(v, view, r + i * dr, c + i * dc) if i else _FREE
        mine, mine_at = mine + (what == _MINE), mine_at + i * (what == _MINE)
        theirs, theirs_at = theirs + (what == _THEIRS), theirs_at + i * (what == _THEIRS)
        walls, cells_at = walls + (what == _WALL), cells_at + i
        if i >= 0:
            if walls + theirs == 0 and mine > 0:
                worth += _OWN << _GROWTH * min(mine, _COUNTED)
            elif walls + mine == 0:
                worth += _OTHER << _GROWTH * min(theirs, _COUNTED)
            if walls + theirs == 0:
                best_m, open_m = fuller(best_m, open_m, mine, cells_at - mine_at)
            if walls + mine == 0:
                best_t, open_t = fuller(best_t, open_t, theirs, cells_at - theirs_at)
            first = i - v.k + 1
            what = content(v, view, r + first * dr, c + first * dc) if first else _FREE
            mine, mine_at = mine - (what == _MINE), mine_at - first * (what == _MINE)
            theirs, theirs_at = theirs - (what == _THEIRS), theirs_at - first * (what == _THEIRS)
            walls, cells_at = walls - (what == _WALL), cells_at - first
    return shape(v, best_m, open_m), shape(v, best_t, open_t), worth


@jit
def content(v: Variant, view: NDArray[Any], r: int, c: int) -> int:
    """Return what a cell holds."""
    if not (0 <= r < v.m and 0 <= c < v.n):
        return _WALL
    at, a = parts(v), r * v.n + c
    if view[at.mine + a]:
        return _MINE
    if view[at.theirs + a]:
        return _THEIRS
    return _WALL if v.obstacles > 0 and view[at.wall + a] else _FREE


@jit
def fuller(best: int, is_open: bool, stones: int, lacks: int) -> tuple[int, bool]:
    """Return the fullest window so far and whether two such lack different cells, with one window more."""
    this = stones * _APART + lacks + _APART // 2
    if best == _NO_WINDOW or stones > best // _APART:
        return this, False
    return best, is_open or (stones == best // _APART and this != best)


@jit
def shape(v: Variant, best: int, is_open: bool) -> int:
    """Return the value of the shape that the fullest window makes."""
    lacking = v.k - 1 - best // _APART
    if best == _NO_WINDOW or lacking >= len(_SHAPES):
        return 0
    return _SHAPES[lacking, 1 if is_open else 0]
