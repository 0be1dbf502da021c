"""All windows of k cells of a board at once, in loops that compile to wide instructions.

The board is laid out as a grid whose rows are followed by k − 1 walls, and the last row by k − 1 rows of walls. A
window is named by the place of its first cell: with a fixed stride to the next cell in each of the four directions,
every window that would leave the board holds a wall. Arrays of cells and windows therefore have the same places.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.jit import jit
from kozyr.envs.core.rng import below
from kozyr.envs.mnk.rules import MAX_SIDE, Variant
from kozyr.envs.mnk.view import parts

MINE, THEIRS, WALLS = 0, 8, 16  # first bit of each number in the count of a window
_STONES = (1 << THEIRS) - 1
DIRECTIONS = 4
GRID = (2 * MAX_SIDE - 1) ** 2  # places of the largest grid
PLACES = MAX_SIDE * (2 * MAX_SIDE - 1)  # of its rows on the board
ALL_PLACES = DIRECTIONS * PLACES
LED_PLACES = (MAX_SIDE - 1) * 2 * MAX_SIDE + PLACES  # with those before the first, at which no window begins
_OWN, _OTHER = 3, 2  # weights of windows by their owner
_GROWTH, _COUNTED = 3, 6  # bits by which each stone multiplies a window's worth, up to so many stones


@jit
def width(v: Variant) -> int:
    """Return the length of the grid's rows."""
    return v.n + v.k - 1


@jit
def stride(v: Variant, d: int) -> int:
    """Return how far the next cell of a window lies: to the right, or down and to the left, straight, to the right."""
    return 1 if d == 0 else width(v) - 2 + d


@jit
def lead(v: Variant) -> int:
    """Return how far before a cell a window that holds it may begin."""
    return (v.k - 1) * stride(v, DIRECTIONS - 1)


@jit
def lay(v: Variant, view: NDArray[Any], grid: NDArray[np.int32]) -> None:
    """Write what each cell adds to the count of a window."""
    at, wide = parts(v), width(v)
    for i in range((v.m + v.k - 1) * wide):
        grid[i] = 1 << WALLS
    for r in range(v.m):
        row, first = grid[r * wide : r * wide + v.n], r * v.n
        mine, theirs = view[at.mine + first : at.mine + first + v.n], view[at.theirs + first : at.theirs + first + v.n]
        for c in range(v.n):
            row[c] = (np.int32(mine[c]) << MINE) + (np.int32(theirs[c]) << THEIRS)
        if v.obstacles > 0:
            walls = view[at.wall + first : at.wall + first + v.n]
            for c in range(v.n):
                row[c] += np.int32(walls[c]) << WALLS


@jit
def summed(v: Variant, grid: NDArray[np.int32], d: int, sums: NDArray[np.int32]) -> None:
    """Write the sum of the k cells of each window in one direction."""
    size, step = v.m * width(v), stride(v, d)
    for i in range(size):
        sums[i] = grid[i]
    for j in range(1, v.k):
        cells = grid[j * step : j * step + size]
        for i in range(size):
            sums[i] += cells[i]


@jit
def worth(count: int) -> int:
    """Return the worth of a window, nothing if it holds a wall or stones of both sides."""
    mine, theirs = count & _STONES, count >> THEIRS
    value = _OWN << _GROWTH * min(mine, _COUNTED) if mine else _OTHER << _GROWTH * min(theirs, _COUNTED)
    return 0 if (mine > 0 and theirs > 0) or theirs > _STONES else value


@jit
def share(v: Variant, values: NDArray[np.int32], d: int, totals: NDArray[np.int32]) -> None:
    """Add the value of each window in one direction to all its cells; `values` begins `lead` places before them."""
    size, step = v.m * width(v), stride(v, d)
    for j in range(v.k):
        windows = values[lead(v) - j * step : lead(v) - j * step + size]
        for i in range(size):
            totals[i] += windows[i]


@jit
def drawn(v: Variant, mask: NDArray[np.int8], values: NDArray[Any], g: Any) -> int:
    """Return the legal cell of the highest value, numbered as an action; equals have the same chance."""
    best, equal, wide = values[0] * 0 - 1, 0, width(v)
    for r in range(v.m):
        row, free = values[r * wide : r * wide + v.n], mask[r * v.n : (r + 1) * v.n]
        for c in range(v.n):
            best = max(best, row[c] if free[c] else -1)
    for r in range(v.m):
        row, free = values[r * wide : r * wide + v.n], mask[r * v.n : (r + 1) * v.n]
        for c in range(v.n):
            equal += free[c] != 0 and row[c] == best
    left = below(g, equal)
    for a in range(v.m * v.n):
        if mask[a] and values[a // v.n * wide + a % v.n] == best:
            if left == 0:
                return a
            left -= 1
    return 0
