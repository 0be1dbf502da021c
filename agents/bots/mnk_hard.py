"""The stronger pattern player of the m,n,k-game: it tells threes and fours apart, open and closed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.bots import mnk_windows as windows
from kozyr.agents.bots.mnk_windows import BOARD, DIRECTIONS, SLACK
from kozyr.envs.core.jit import jit, stack_array
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import parts

# What a stone makes in a line; sums over the four directions still tell what there is. An open shape can grow in two
# ways. An open four is as good as two fours, four open threes are less than a four, and four open fours than a five.
_OPEN_THREE, _FOUR, _OPEN_FOUR, _FIVE = 1, 5, 10, 41
_TWO_THREES, _FOUR_THREE, _TWO_FOURS = 2 * _OPEN_THREE, _FOUR + _OPEN_THREE, 2 * _FOUR

_LEVEL = np.int32(28)  # first bit of the level of a stone; below it, the worth of all its windows decides
_DONE = 7  # the highest level: the stone completes a line
_ONE, _WALL = 32, 33  # what a stone of theirs and a wall add to the count of a window; mine add 1
_FREE = 1 << 11  # more than the sum of the free cells of a window with at most three
_ANY = _FREE - 1
_TWO_BOARDS, _TWO_SIDES = 2 * BOARD, 2 * SLACK
_BROKEN = -_FREE * 4  # key of a window without enough stones, or with a wall or stones of both sides


@jit
def hard(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], totals: NDArray[np.int32], g: Any) -> int:
    """Look one ply ahead with an eye for open fours and threes, forks, and the last reply.

    Args:
        v: the variant; view, mask: as always; g: draws among equals.
        totals: for each cell the worth of its windows; overwritten.
    """
    cells = v.m * v.n
    made = stack_array(_TWO_BOARDS, np.int16)
    mine, theirs, worths, wins = made[:cells], made[cells : 2 * cells], totals[:cells], np.int16(0)
    shapes(v, view, mine, theirs)
    for a in range(cells):
        wins = max(wins, np.int16(mine[a] & -mask[a]))
    if wins >= _FIVE:
        return completed(v, view, mask, mine, theirs)
    for a in range(cells):
        worths[a] += np.int32(level(mine[a], theirs[a])) << _LEVEL
    return windows.drawn(v, mask, totals, g)


@jit
def completed(
    v: Variant, view: NDArray[Any], mask: NDArray[np.int8], mine: NDArray[np.int16], theirs: NDArray[np.int16]
) -> int:
    """Return the cell that completes a line.

    X does not complete a line while O can answer with one, unless there is no way to keep O from it.
    """
    ours, clean, saves, save = -1, False, 0, 0
    for a in range(v.m * v.n):
        if mask[a] and theirs[a] >= _FIVE:
            saves, save = saves + 1, a
        if mask[a] and mine[a] >= _FIVE and not clean:
            ours, clean = a, theirs[a] >= _FIVE
    return save if saves == 1 and not clean and v.last_reply and view[parts(v).x] else ours


@jit
def level(mine: Any, theirs: Any) -> Any:
    """Return how good a stone is by the shapes that it makes and those that it keeps the other from."""
    found = np.int16(0)
    found = np.int16(1) if (theirs >= _FOUR_THREE) | ((theirs >= _TWO_THREES) & (theirs < _FOUR)) else found
    found = np.int16(2) if (mine >= _TWO_THREES) & (mine < _FOUR) else found
    found = np.int16(3) if mine >= _FOUR_THREE else found
    found = np.int16(4) if theirs >= _TWO_FOURS else found
    found = np.int16(5) if mine >= _TWO_FOURS else found
    found = np.int16(6) if theirs >= _FIVE else found
    return np.int16(_DONE) if mine >= _FIVE else found


@jit
def shapes(v: Variant, view: NDArray[Any], mine: NDArray[np.int16], theirs: NDArray[np.int16]) -> None:
    """Write for each cell what a stone there makes, mine and my opponent's."""
    board, free = stack_array(SLACK, np.int16), stack_array(SLACK, np.int16)
    left, right = stack_array(BOARD, np.int8), stack_array(BOARD, np.int8)
    all_keys = stack_array(_TWO_SIDES, np.int16)
    cells, first = v.m * v.n, windows.reach(v)
    keys, their_keys = all_keys[: first + cells], all_keys[first + cells : 2 * (first + cells)]
    lay(v, view, board, free)
    windows.fence(v, left, right)
    mine[:] = 0
    theirs[:] = 0
    keys[:first] = _BROKEN
    their_keys[:first] = _BROKEN
    for d in range(DIRECTIONS):
        rank(v, d, board, free, keys[first:], their_keys[first:])
        if d != 2:
            fenced = left[:cells] if d == 1 else right[:cells]
            windows.keep(fenced, keys[first:], _BROKEN)
            windows.keep(fenced, their_keys[first:], _BROKEN)
        add_shapes(v, d, keys, mine)
        add_shapes(v, d, their_keys, theirs)


@jit
def lay(v: Variant, view: NDArray[Any], board: NDArray[np.int16], free: NDArray[np.int16]) -> None:
    """Write what each cell adds to the count of a window and to the sum of its free cells; behind them lie walls."""
    at, cells, behind = parts(v), v.m * v.n, windows.reach(v)
    mine, theirs = view[at.mine : at.mine + cells], view[at.theirs : at.theirs + cells]
    for a in range(cells):
        board[a] = mine[a] + _ONE * theirs[a]
    if v.obstacles > 0:
        walls = view[at.wall : at.wall + cells]
        for a in range(cells):
            board[a] += _WALL * walls[a]
    for a in range(cells):
        free[a] = a if board[a] == 0 else 0
    board[cells : cells + behind] = _WALL
    free[cells : cells + behind] = 0


@jit
def rank(
    v: Variant,
    d: int,
    board: NDArray[np.int16],
    free: NDArray[np.int16],
    keys: NDArray[np.int16],
    their_keys: NDArray[np.int16],
) -> None:
    """Write the key of each window for both sides: how many of the last three stones it has, then its free cells."""
    most = np.int16(v.k - 1)
    their_most = np.int16(most * _ONE)
    windows.summed(v, d, board, keys)
    windows.summed(v, d, free, their_keys)
    for a in range(len(keys)):
        count, cells = keys[a], np.int16(their_keys[a] & _ANY)
        one = np.int16(2 * _FREE) if count == most else np.int16(_BROKEN)
        one = np.int16(_FREE) if count == np.int16(most - 1) else one
        one = np.int16(0) if count == np.int16(most - 2) else one
        two = np.int16(2 * _FREE) if count == their_most else np.int16(_BROKEN)
        two = np.int16(_FREE) if count == np.int16(their_most - _ONE) else two
        two = np.int16(0) if count == np.int16(their_most - 2 * _ONE) else two
        keys[a], their_keys[a] = one | cells, two | cells


@jit
def add_shapes(v: Variant, d: int, keys: NDArray[np.int16], made: NDArray[np.int16]) -> None:
    """Add what a stone of one side makes in one direction.

    The fullest windows make the shape, which is open if two of them lack different cells: then the highest and the
    lowest sums of free cells differ.
    """
    best = stack_array(_TWO_BOARDS, np.int16)
    size = len(made)
    high, low = best[:size], best[size : 2 * size]
    windows.highest(v, d, keys, 0, high)
    windows.highest(v, d, keys, _ANY, low)
    for a in range(size):
        is_open = np.int16(high[a] & _ANY) + np.int16(low[a] & _ANY) != _ANY
        shape = np.int16(_OPEN_THREE) if is_open & (high[a] >= 0) else np.int16(0)
        four = np.int16(_OPEN_FOUR) if is_open else np.int16(_FOUR)
        shape = four if high[a] >= _FREE else shape
        made[a] += np.int16(_FIVE) if high[a] >= 2 * _FREE else shape
