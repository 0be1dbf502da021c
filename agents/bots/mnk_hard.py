"""The stronger pattern player of the m,n,k-game: it tells threes and fours apart, open and closed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.bots import mnk_windows as windows
from kozyr.agents.bots.mnk_windows import GRID, LED_PLACES, MINE, PLACES, THEIRS
from kozyr.envs.core.jit import jit, stack_array
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import parts

# What a stone makes in a line, by the stones that then lack, first closed and then open: an open shape can grow in
# two ways. Sums over the four directions still tell how many threes, fours, open fours and fives there are.
_SHAPES = np.array([65536, 65536, 1024, 8192, 24, 128, 6, 24, 1, 4, 0, 0], np.int32)
_TOO_MANY = 5  # stones that lack and make no shape
_THREE, _FOUR, _TWO_FOURS, _FIVE = 128, 1024, 2048, 65536

# What a stone achieves, the best first; among equals the worth of all windows decides.
_DONE, _SAVED, _OPEN_FOUR, _NO_OPEN_FOUR, _FOUR_THREE, _TWO_THREES, _NO_FORK, _NOTHING = (
    n << 30 for n in range(7, -1, -1)
)

_STONE = np.int32(16)  # first bit of the number of stones in a window's key, above the sum of its free places
_LACKS = np.int32((1 << _STONE) - 1)
_BROKEN = np.int32(-(1 << 30))  # key of a window with a wall or a stone of the other side


@jit
def hard(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Look one ply ahead with an eye for open fours and threes, forks, and the last reply.

    X does not complete a line while O can answer with one, unless there is no way to keep O from it.
    """
    wide = windows.width(v)
    mine, theirs, totals = stack_array(PLACES, np.int32), stack_array(PLACES, np.int32), stack_array(PLACES, np.int32)
    values = stack_array(PLACES, np.int64)
    shapes(v, view, mine, theirs, totals)
    ours, clean, saves, save = -1, False, 0, 0
    for r in range(v.m):
        for c in range(v.n):
            i, a = r * wide + c, r * v.n + c
            if mask[a]:
                values[i] = rated(mine[i], theirs[i]) + int(totals[i])
                if theirs[i] >= _FIVE:
                    saves, save = saves + 1, a
                if mine[i] >= _FIVE and not clean:
                    ours, clean = a, theirs[i] >= _FIVE
    if ours >= 0:
        return save if saves == 1 and not clean and v.last_reply and view[parts(v).x] else ours
    return windows.drawn(v, mask, values, g)


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
def shapes(
    v: Variant,
    view: NDArray[Any],
    mine: NDArray[np.int32],
    theirs: NDArray[np.int32],
    totals: NDArray[np.int32],
) -> None:
    """Write for each place what a stone there makes, mine and my opponent's, and the worth of its windows."""
    size = v.m * windows.width(v)
    grid, spots = stack_array(GRID, np.int32), stack_array(GRID, np.int32)
    counts, lacks = stack_array(PLACES, np.int32), stack_array(PLACES, np.int32)
    values = stack_array(LED_PLACES, np.int32)
    windows.lay(v, view, grid)
    for i in range((v.m + v.k - 1) * windows.width(v)):
        spots[i] = i if grid[i] == 0 else 0
    for i in range(size):
        mine[i], theirs[i], totals[i] = 0, 0, 0
    for i in range(windows.lead(v)):
        values[i] = 0
    for d in range(windows.DIRECTIONS):
        windows.summed(v, grid, d, counts)
        windows.summed(v, spots, d, lacks)
        here = values[windows.lead(v) : windows.lead(v) + size]
        for i in range(size):
            here[i] = windows.worth(counts[i])
        windows.share(v, values, d, totals)
        add_shapes(v, d, counts, lacks, MINE, mine)
        add_shapes(v, d, counts, lacks, THEIRS, theirs)


@jit
def add_shapes(
    v: Variant,
    d: int,
    counts: NDArray[np.int32],
    lacks: NDArray[np.int32],
    shift: int,
    made: NDArray[np.int32],
) -> None:
    """Add what a stone of one side makes in one direction.

    The fullest windows without anything of the other side make the shape, which is open if two of them lack
    different cells: then the highest and the lowest sums of free places differ.
    """
    size, lead = v.m * windows.width(v), windows.lead(v)
    keys, back = stack_array(LED_PLACES, np.int32), stack_array(LED_PLACES, np.int32)
    high, low = stack_array(PLACES, np.int32), stack_array(PLACES, np.int32)
    for i in range(lead):
        keys[i], back[i] = _BROKEN, _BROKEN
    here, here_back, k = keys[lead : lead + size], back[lead : lead + size], np.int32(v.k)
    for i in range(size):
        stones = counts[i] >> np.int32(shift)
        pure = stones <= k and stones << np.int32(shift) == counts[i]
        here[i] = np.int32(stones << _STONE) + lacks[i] if pure else _BROKEN
        here_back[i] = np.int32(stones << _STONE) + (_LACKS - lacks[i]) if pure else _BROKEN
    highest(v, keys, d, high)
    highest(v, back, d, low)
    for i in range(size):
        lacking = min(max(v.k - 1 - (high[i] >> _STONE), 0), _TOO_MANY)  # between the rows stands what was there before
        made[i] += _SHAPES[2 * lacking + ((high[i] & _LACKS) + (low[i] & _LACKS) != _LACKS)]


@jit
def highest(v: Variant, keys: NDArray[np.int32], d: int, best: NDArray[np.int32]) -> None:
    """Write the highest key of the windows in one direction that hold each place."""
    size, lead, step = v.m * windows.width(v), windows.lead(v), windows.stride(v, d)
    for i in range(size):
        best[i] = keys[lead + i]
    for j in range(1, v.k):
        begun = keys[lead - j * step : lead - j * step + size]
        for i in range(size):
            best[i] = best[i] if best[i] > begun[i] else begun[i]
