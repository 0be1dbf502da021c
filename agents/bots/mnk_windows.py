"""All windows of k cells of a board at once, in loops that compile to wide instructions.

A window is named by its first cell; the next lies a fixed stride further in each of the four directions. Behind the
board lies slack; windows that would leave a row are fenced off. Arrays are as narrow as their numbers allow: the
narrower, the more windows one instruction takes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.jit import jit, stack_array
from kozyr.envs.core.rng import below
from kozyr.envs.mnk.rules import MAX_SIDE, Variant
from kozyr.envs.mnk.view import parts

DIRECTIONS = 4
NARROW = 5  # cells of a window up to which the narrower arrays suffice
BOARD = MAX_SIDE * MAX_SIDE  # cells of the largest board
SLACK = BOARD + (MAX_SIDE - 1) * (MAX_SIDE + 1)  # and what a window may reach beyond the board, or begin before it
OWN, OTHER = 3, 2  # weights of windows by their owner
_GROWTH, _SLOW_GROWTH = 8, 2  # what each stone multiplies a window's worth by; the lower in long windows
_SHORT = 8  # cells of a window up to which it grows fast


@jit
def stride(v: Variant, d: int) -> int:
    """Return how far the next cell of a window lies: to the right, or down and to the left, straight, to the right."""
    return 1 if d == 0 else v.n - 2 + d


@jit
def reach(v: Variant) -> int:
    """Return how far the last cell of a window lies from its first at most."""
    return (v.k - 1) * stride(v, DIRECTIONS - 1)


@jit
def alone(v: Variant) -> int:
    """Return what k − 1 stones of one side multiply the worth of their window by."""
    return (_GROWTH if v.k <= _SHORT else _SLOW_GROWTH) ** (v.k - 1)


@jit
def weigh(v: Variant, view: NDArray[Any], mine: NDArray[Any], theirs: NDArray[Any]) -> None:
    """Write what each cell multiplies the worth of a window by, for either side: nothing if it spoils the window."""
    at, cells, more = parts(v), v.m * v.n, np.int16((_GROWTH if v.k <= _SHORT else _SLOW_GROWTH) - 1)
    us, them = view[at.mine : at.mine + cells], view[at.theirs : at.theirs + cells]
    ours, others = mine[:cells], theirs[:cells]
    for a in range(cells):
        ours[a] = 1 + us[a] * more - them[a]
        others[a] = 1 + them[a] * more - us[a]
    if v.obstacles > 0:
        walls = view[at.wall : at.wall + cells]
        for a in range(cells):
            ours[a] -= walls[a]
            others[a] -= walls[a]
    mine[cells : cells + reach(v)] = 0
    theirs[cells : cells + reach(v)] = 0


@jit
def fence(v: Variant, left: NDArray[np.int8], right: NDArray[np.int8]) -> None:
    """Write 0 where a window that begins at a cell would leave its row on that side, and else all bits."""
    cells = v.m * v.n
    left[:cells] = -1
    right[:cells] = -1
    for c in range(min(v.k - 1, v.n)):
        for a in range(0, cells, v.n):
            left[a + c], right[a + v.n - 1 - c] = 0, 0


@jit
def worth(v: Variant, d: int, mine: NDArray[Any], theirs: NDArray[Any], rest: NDArray[Any], out: NDArray[Any]) -> None:
    """Write the worth of each window in one direction, nothing if it holds a wall or stones of both sides."""
    multiplied(v, d, mine, out)
    multiplied(v, d, theirs, rest)
    for a in range(len(out)):  # both are 1 in an empty window
        out[a] = OWN * out[a] + (OTHER - OWN * out[a]) * rest[a]


@jit
def multiplied(v: Variant, d: int, cells: NDArray[Any], products: NDArray[Any]) -> None:
    """Write the product of the k cells of each window."""
    size, step, j = len(products), stride(v, d), 1
    one = cells[:size]
    if v.k < 5:
        for a in range(size):
            products[a] = one[a]
    else:
        two, three = cells[step : step + size], cells[2 * step : 2 * step + size]
        four, five = cells[3 * step : 3 * step + size], cells[4 * step : 4 * step + size]
        for a in range(size):
            products[a] = one[a] * two[a] * three[a] * four[a] * five[a]
        j = 5
    while j < v.k:
        more = cells[j * step : j * step + size]
        for a in range(size):
            products[a] *= more[a]
        j += 1


@jit
def summed(v: Variant, d: int, cells: NDArray[Any], sums: NDArray[Any]) -> None:
    """Write the sum of the k cells of each window."""
    size, step, j = len(sums), stride(v, d), 1
    one = cells[:size]
    if v.k < 5:
        for a in range(size):
            sums[a] = one[a]
    else:
        two, three = cells[step : step + size], cells[2 * step : 2 * step + size]
        four, five = cells[3 * step : 3 * step + size], cells[4 * step : 4 * step + size]
        for a in range(size):
            sums[a] = one[a] + two[a] + three[a] + four[a] + five[a]
        j = 5
    while j < v.k:
        more = cells[j * step : j * step + size]
        for a in range(size):
            sums[a] += more[a]
        j += 1


@jit
def keep(fenced: NDArray[np.int8], values: NDArray[Any], other: int) -> None:
    """Put another value in the place of those of windows that are fenced off."""
    for a in range(len(values)):
        within = int(fenced[a])
        values[a] = (values[a] & within) | (other & ~within)


@jit
def share(v: Variant, values: NDArray[Any], d: int, totals: NDArray[np.int32]) -> None:
    """Add the value of each window in one direction to all its cells; `values` begins `reach` places before them."""
    size, step, first, j = v.m * v.n, stride(v, d), reach(v), 1
    out, one = totals[:size], values[first : first + size]
    if v.k < 5:
        for a in range(size):
            out[a] += one[a]
    else:
        two, three = values[first - step :][:size], values[first - 2 * step :][:size]
        four, five = values[first - 3 * step :][:size], values[first - 4 * step :][:size]
        for a in range(size):
            out[a] += one[a] + two[a] + three[a] + four[a] + five[a]
        j = 5
    while j < v.k:
        more = values[first - j * step :][:size]
        for a in range(size):
            out[a] += more[a]
        j += 1


@jit
def highest(v: Variant, d: int, keys: NDArray[Any], flip: int, best: NDArray[Any]) -> None:
    """Write the highest key, with some bits flipped, of the windows that hold a cell; `keys` begins as in `share`."""
    size, step, first, j = len(best), stride(v, d), reach(v), 1
    one = keys[first : first + size]
    for a in range(size):
        best[a] = one[a] ^ flip
    while j + 3 < v.k:
        two, three = keys[first - j * step :][:size], keys[first - (j + 1) * step :][:size]
        four, five = keys[first - (j + 2) * step :][:size], keys[first - (j + 3) * step :][:size]
        for a in range(size):
            best[a] = max(best[a], two[a] ^ flip, three[a] ^ flip, four[a] ^ flip, five[a] ^ flip)
        j += 4
    while j < v.k:
        more = keys[first - j * step :][:size]
        for a in range(size):
            best[a] = max(best[a], more[a] ^ flip)
        j += 1


@jit
def drawn(v: Variant, mask: NDArray[np.int8], values: NDArray[np.int32], g: Any) -> int:
    """Return the legal cell of the highest value, none of which is negative; equals have the same chance."""
    hits = stack_array(BOARD, np.int8)
    cells, best, equal, where = v.m * v.n, np.int32(-1), np.int32(0), np.int32(0)
    free, worths, here = mask[:cells], values[:cells], hits[:cells]
    for a in range(cells):
        best = max(best, np.int32(worths[a] | np.int32(np.int32(free[a]) - 1)))
    for a in range(cells):
        here[a] = np.int8(worths[a] == best) & free[a]
        equal = np.int32(equal + here[a])
        where = max(where, np.int32(a) if here[a] else np.int32(0))
    left = below(g, int(equal))
    return int(where) if equal == 1 else nth(here, left)


@jit
def nth(hits: NDArray[np.int8], left: int) -> int:
    """Return where the entry that is 1 after `left` others of them lies."""
    for a in range(len(hits)):
        if hits[a]:
            if left == 0:
                return a
            left -= 1
    return 0
