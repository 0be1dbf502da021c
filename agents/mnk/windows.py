"""Windows of k cells of a board, all at once, in loops that compile to wide instructions.

A window is named by its first cell; the next lies a fixed stride further in each of the four directions. Arrays are
as narrow as their numbers allow, and loops run over whole blocks of cells: the more windows one instruction takes,
and the fewer are left over for single steps, the faster. What lies behind the board is worth nothing.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit
from kozyr.envs.core.rng import below
from kozyr.envs.mnk.board import CARO, EXACT, MAX_SIDE
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import Parts

DIRECTIONS = 4
FIVE = 5  # cells of the usual window
NARROW = 5  # cells of a window up to which the narrower arrays suffice
BLOCK = 64  # cells that a loop takes at once
AREA = 640  # cells of the largest board, in whole blocks
SLACK = AREA + (MAX_SIDE - 1) * (MAX_SIDE + 1)  # and what a window may reach beyond them, or begin before them
OWN, OTHER = 3, 2  # weights of windows by their owner
_GROWTH, _SLOW_GROWTH = 8, 2  # what each stone multiplies a window's worth by; the lower in long windows
_SHORT = 8  # cells of a window up to which it grows fast

ROW = np.zeros((MAX_SIDE + 1, AREA), np.int8)  # of each cell, by the columns of the board
COLUMN = np.zeros((MAX_SIDE + 1, AREA), np.int8)
for _n in range(1, MAX_SIDE + 1):
    ROW[_n], COLUMN[_n] = np.minimum(np.arange(AREA) // _n, MAX_SIDE), np.arange(AREA) % _n


class Planes(NamedTuple):
    """Planes of a view and a mask, an entry a cell, in whole blocks; and which side's rows must not be too long."""

    mine: NDArray[np.int8]
    theirs: NDArray[np.int8]
    walls: NDArray[np.int8]
    legal: NDArray[np.int8]
    i_need_exactly: bool
    they_need_exactly: bool


@jit
def area(v: Variant) -> int:
    """Return the cells of the board in whole blocks."""
    return (v.m * v.n + BLOCK - 1) // BLOCK * BLOCK


@jit
def stride(v: Variant, d: int) -> int:
    """Return the distance to a window's next cell: to the right, or down and to the left, straight, to the right."""
    return 1 if d == 0 else v.n - 2 + d


@jit
def reach(v: Variant) -> int:
    """Return the greatest distance of a window's last cell from its first."""
    return (v.k - 1) * stride(v, DIRECTIONS - 1)


@jit
def bounds(v: Variant, d: int) -> tuple[np.int8, np.int8]:
    """Return the first and the last column in which a window of a direction begins without leaving its row."""
    return np.int8(v.k - 1 if d == 1 else 0), np.int8(v.n - v.k if d in (0, 3) else v.n)


@jit
def growth(v: Variant) -> int:
    """Return the factor by which each stone of one side multiplies the worth of its window."""
    return _GROWTH if v.k <= _SHORT else _SLOW_GROWTH


@jit
def lay_out(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], room: NDArray[np.int8]) -> Planes:
    """Return the planes of a view, kept in `room`."""
    at, cells, size = Parts(v), v.m * v.n, area(v)
    exact, x = v.line & EXACT != 0, view[at.x] != 0
    mine, theirs = room[:size], room[size : 2 * size]
    walls, legal = room[2 * size : 3 * size], room[3 * size : 4 * size]
    planes = Planes(mine, theirs, walls, legal, exact or (v.bans > 0 and x), exact or (v.bans > 0 and not x))
    copy_cells(view[at.mine : at.mine + cells], planes.mine)
    copy_cells(view[at.theirs : at.theirs + cells], planes.theirs)
    if v.obstacles > 0:
        copy_cells(view[at.wall : at.wall + cells], planes.walls)
    copy_cells(mask[:cells], planes.legal)
    return planes


@jit
def copy_cells(plane: NDArray[Any], out: NDArray[np.int8]) -> None:
    """Copy an entry of each cell from a view, and fill up with zeros."""
    for a in range(len(plane)):
        out[a] = plane[a]
    out[len(plane) :] = 0


@jit
def weigh(v: Variant, planes: Planes, mine: NDArray[Any], theirs: NDArray[Any]) -> None:
    """Write the factor of each cell in the worth of a window, for either side: 0 if it spoils the window."""
    us, them, walls = planes.mine, planes.theirs, planes.walls
    cells, size, more = v.m * v.n, len(us), mine.dtype.type(growth(v) - 1)
    ours, others = mine[:size], theirs[:size]
    for a in range(size):
        ours[a] = 1 + us[a] * more - them[a]
        others[a] = 1 + them[a] * more - us[a]
    if v.obstacles > 0:
        for a in range(size):
            ours[a] -= walls[a]
            others[a] -= walls[a]
    mine[cells : size + reach(v)] = 0
    theirs[cells : size + reach(v)] = 0


@inlined
def worth(v: Variant, d: int, mine: NDArray[Any], theirs: NDArray[Any], rest: NDArray[Any], out: NDArray[Any]) -> None:
    """Write the worth of each window in one direction, nothing if it holds a wall or stones of both sides."""
    low, high = bounds(v, d)
    size = len(out)
    column = COLUMN[v.n, :size]
    if v.k == FIVE:  # the usual length, in one loop
        one, two, three, four, fifth = five(mine, 0, stride(v, d), size)
        first, second, third, fourth, last = five(theirs, 0, stride(v, d), size)
        for a in range(size):
            ours = one[a] * two[a] * three[a] * four[a] * fifth[a]
            others = first[a] * second[a] * third[a] * fourth[a] * last[a]
            inside = np.int8((column[a] >= low) & (column[a] <= high))
            out[a] = (OWN * ours + (OTHER - OWN * ours) * others) & -inside
    else:
        multiplied(v, d, mine, out)
        multiplied(v, d, theirs, rest)
        for a in range(size):  # both are 1 in an empty window
            inside = np.int8((column[a] >= low) & (column[a] <= high))
            out[a] = (OWN * out[a] + (OTHER - OWN * out[a]) * rest[a]) & -inside


@jit
def is_vain(v: Variant, d: int, a: int, side: NDArray[np.int8], other: NDArray[np.int8], needs_exactly: bool) -> bool:
    """Return True if a window full of a side's stones would be no line: too long, or blocked at both ends.

    It is too long, where just k stones are a line, if one of the side's stones lies next to it, and blocked if there
    are two of the other's.
    """
    step, right = stride(v, d), 0 if d == 2 else -1 if d == 1 else 1
    column, before, behind = a % v.n, a - step, a + v.k * step
    begins = before >= 0 and 0 <= column - right < v.n  # there are cells before it
    ends = behind < v.m * v.n and 0 <= column + v.k * right < v.n
    if needs_exactly and ((begins and side[before] != 0) or (ends and side[behind] != 0)):
        return True
    return v.line & CARO != 0 and begins and ends and other[before] != 0 and other[behind] != 0


@jit
def drop_vain(v: Variant, d: int, planes: Planes, values: NDArray[Any]) -> None:
    """Make windows worth nothing that would be no line of the side that they count for."""
    for a in range(v.m * v.n):
        if values[a] != 0:
            ours = False
            for i in range(v.k):
                ours = ours or planes.mine[a + i * stride(v, d)] != 0
            side, other = (planes.mine, planes.theirs) if ours else (planes.theirs, planes.mine)
            if is_vain(v, d, a, side, other, planes.i_need_exactly if ours else planes.they_need_exactly):
                values[a] = 0


@inlined
def five(cells: NDArray[Any], first: int, step: int, size: int) -> tuple[NDArray[Any], ...]:
    """Return the five stretches of so many cells that begin at `first` and a step further each."""
    second, third, fourth, fifth = first + step, first + 2 * step, first + 3 * step, first + 4 * step
    return (
        cells[first : first + size],
        cells[second : second + size],
        cells[third : third + size],
        cells[fourth : fourth + size],
        cells[fifth : fifth + size],
    )


@inlined
def multiplied(v: Variant, d: int, cells: NDArray[Any], products: NDArray[Any]) -> None:
    """Write the product of the k cells of each window."""
    size, step, j = len(products), stride(v, d), 0
    if v.k >= 5:
        one, two, three, four, fifth = five(cells, 0, step, size)
        for a in range(size):
            products[a] = one[a] * two[a] * three[a] * four[a] * fifth[a]
        j = 5
    else:
        products[:] = 1
    while j < v.k:
        more = cells[j * step : j * step + size]
        for a in range(size):
            products[a] *= more[a]
        j += 1


@inlined
def summed(v: Variant, d: int, cells: NDArray[Any], sums: NDArray[Any]) -> None:
    """Write the sum of the k cells of each window."""
    size, step, j = len(sums), stride(v, d), 0
    if v.k >= 5:
        one, two, three, four, fifth = five(cells, 0, step, size)
        for a in range(size):
            sums[a] = one[a] + two[a] + three[a] + four[a] + fifth[a]
        j = 5
    else:
        sums[:] = 0
    while j < v.k:
        more = cells[j * step : j * step + size]
        for a in range(size):
            sums[a] += more[a]
        j += 1


@inlined
def share(v: Variant, values: NDArray[Any], d: int, totals: NDArray[Any]) -> None:
    """Add the value of each window in one direction to all its cells; `values` begins `reach` places before them."""
    size, step, first, j = len(totals), stride(v, d), reach(v), 0
    if v.k >= 5:
        one, two, three, four, fifth = five(values, first, -step, size)
        for a in range(size):
            totals[a] += one[a] + two[a] + three[a] + four[a] + fifth[a]
        j = 5
    while j < v.k:
        more = values[first - j * step : first - j * step + size]
        for a in range(size):
            totals[a] += more[a]
        j += 1


@inlined
def extremes(v: Variant, d: int, keys: NDArray[Any], flip: Any, high: NDArray[Any], low: NDArray[Any]) -> None:
    """Write the highest key of the windows that hold a cell, as it is and with some bits flipped.

    `keys` begins as in `share`.
    """
    size, step, first, j = len(high), stride(v, d), reach(v), 0
    if v.k >= 5:
        one, two, three, four, fifth = five(keys, first, -step, size)
        for a in range(size):
            high[a] = max(one[a], two[a], three[a], four[a], fifth[a])
            low[a] = max(one[a] ^ flip, two[a] ^ flip, three[a] ^ flip, four[a] ^ flip, fifth[a] ^ flip)
        j = 5
    else:
        high[:] = -1
        low[:] = -1
    while j < v.k:
        more = keys[first - j * step : first - j * step + size]
        for a in range(size):
            high[a], low[a] = max(high[a], more[a]), max(low[a], more[a] ^ flip)
        j += 1


@inlined
def draw_best(legal: NDArray[np.int8], worths: NDArray[Any], hits: NDArray[np.int8], g: Any) -> int:
    """Return the legal cell of the highest worth, none of which is negative; equals have the same chance.

    `hits` is overwritten with 1 for each of them.
    """
    kind, equal, where = worths.dtype.type, np.int16(0), np.int16(0)
    best = kind(-1)
    for a in range(len(legal)):
        best = max(best, kind(worths[a] | kind(legal[a] - 1)))
    for a in range(len(legal)):
        hits[a] = np.int8(worths[a] == best) & legal[a]
        equal = np.int16(equal + hits[a])
        where = max(where, np.int16(a) if hits[a] else np.int16(0))
    n = below(g, int(equal))
    return int(where) if equal == 1 else nth(hits, n)


@jit
def nth(hits: NDArray[np.int8], n: int) -> int:
    """Return the index of the entry that is 1 after `n` others of them."""
    for a in range(len(hits)):
        if hits[a]:
            if n == 0:
                return a
            n -= 1
    return 0
