"""The stronger pattern player of the m,n,k-game: it tells threes and fours apart, open and closed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk import windows
from kozyr.agents.mnk.windows import AREA, COLUMN, DIRECTIONS, FIVE, NARROW, ROW, SLACK, Planes
from kozyr.envs.compile import inlined, jit, stack_array
from kozyr.envs.core.rng import below
from kozyr.envs.mnk.rules import Variant

# What a stone makes in a line; sums over the four directions still tell what there is. An open shape can grow in two
# ways. An open four is as good as two fours, four open threes are less than a four, and four open fours than a five.
_OPEN_THREE, _FOUR, _OPEN_FOUR, _FIVE = 1, 5, 10, 41
_TWO_THREES, _FOUR_THREE, _TWO_FOURS = 2 * _OPEN_THREE, _FOUR + _OPEN_THREE, 2 * _FOUR
_DONE = 7  # the highest level: the stone completes a line
ROOM = 5 * SLACK + 2 * AREA  # places that `hard` overwrites
UNDECIDED = -1  # instead of a cell: several are equally good
_MADE = 2 * AREA


class Codes(NamedTuple):
    """Codes of windows: sums over their cells tell their stones, keys the number of stones and the room.

    In windows of at most NARROW cells sums of places differ by less than `step`, so their last bits tell them apart.
    """

    theirs: int  # what a stone of theirs adds to the count of a window; mine add 1
    wall: int  # and what a wall adds: no number of walls looks like stones of one side
    step: int  # what a stone adds to the key of a window; below it there is room for the places of free cells


NARROW_CODES, WIDE_CODES = Codes(8, 48, 16), Codes(32, 1024, 2048)


@jit
def hard(v: Variant, planes: Planes, best: NDArray[np.int8], room: NDArray[Any], cautious: bool, g: Any) -> int:
    """Look one ply ahead with an eye for open fours and threes, forks, and the last reply.

    Args:
        v: the variant; planes: the position; g: draws among equals.
        best: for each cell 1 if it is among the best, 0 if not; overwritten.
        room: ROOM places to overwrite, of 8 bits if windows have at most NARROW cells, or else of 16.
        cautious: whether a completed line of mine can be answered with one.

    Returns:
        The best cell or, if several are as good and the worth of their windows is to decide, UNDECIDED.
    """
    size, highest, legal = len(best), np.int8(0), planes.legal
    if too_few(v, planes):
        for a in range(size):
            best[a] = legal[a]
        return UNDECIDED
    buffer, levels = stack_array(_MADE, np.uint8), stack_array(AREA, np.int8)[:size]
    mine, theirs = buffer[:size], buffer[size : 2 * size]
    shapes(v, planes, room, NARROW_CODES if v.k <= NARROW else WIDE_CODES, mine, theirs)
    for a in range(size):
        levels[a] = level(mine[a], theirs[a]) & -legal[a]
        highest = max(highest, levels[a])
    if highest == _DONE:
        return completed(legal, mine, theirs, cautious)
    equal, where = np.int16(0), np.int16(0)
    for a in range(size):
        best[a] = np.int8(levels[a] == highest) & legal[a]
        equal = np.int16(equal + best[a])
        where = max(where, np.int16(a) if best[a] else np.int16(0))
    if equal > 1:
        return UNDECIDED
    below(g, 1)  # every decision draws once
    return int(where)


@jit
def too_few(v: Variant, planes: Planes) -> bool:
    """Return True if neither side has stones enough for a cell to matter beyond its windows: a four, or two threes."""
    ours, others = np.int16(0), np.int16(0)
    for a in range(len(planes.mine)):
        ours = np.int16(ours + planes.mine[a])
        others = np.int16(others + planes.theirs[a])
    return int(max(ours, others)) < min(v.k - 2, 2 * (v.k - 3))


@jit
def completed(legal: NDArray[np.int8], mine: NDArray[np.uint8], theirs: NDArray[np.uint8], cautious: bool) -> int:
    """Return the cell that completes a line.

    X does not complete a line while O can answer with one, unless there is no way to keep O from it.
    """
    ours, clean, saves, save = -1, False, 0, 0
    for a in range(len(legal)):
        if legal[a] and theirs[a] >= _FIVE:
            saves, save = saves + 1, a
        if legal[a] and mine[a] >= _FIVE and not clean:
            ours, clean = a, theirs[a] >= _FIVE
    return save if saves == 1 and not clean and cautious else ours


@inlined
def level(mine: Any, theirs: Any) -> Any:
    """Return the level of a stone by the shapes that it makes and those that it keeps the other from."""
    grade = np.int8(0)
    grade = np.int8(1) if (theirs >= _FOUR_THREE) | ((theirs >= _TWO_THREES) & (theirs < _FOUR)) else grade
    grade = np.int8(2) if (mine >= _TWO_THREES) & (mine < _FOUR) else grade
    grade = np.int8(3) if mine >= _FOUR_THREE else grade
    grade = np.int8(4) if theirs >= _TWO_FOURS else grade
    grade = np.int8(5) if mine >= _TWO_FOURS else grade
    grade = np.int8(6) if theirs >= _FIVE else grade
    return np.int8(_DONE) if mine >= _FIVE else grade


@jit
def shapes(
    v: Variant,
    planes: Planes,
    room: NDArray[Any],
    codes: Codes,
    mine: NDArray[np.uint8],
    theirs: NDArray[np.uint8],
) -> None:
    """Write for each cell the shape of a stone there, mine and my opponent's."""
    size, first = len(mine), windows.reach(v)
    board, rows, columns = room[:SLACK], room[SLACK : 2 * SLACK], room[2 * SLACK : 3 * SLACK]
    keys, their_keys = room[3 * SLACK :][: first + size], room[4 * SLACK :][: first + size]
    best = room[5 * SLACK :]
    lay(v, planes, codes, board, rows, columns)
    mine[:] = 0
    theirs[:] = 0
    keys[:first] = -1
    their_keys[:first] = -1
    for d in range(DIRECTIONS):
        rank(v, d, codes, board, rows if d else columns, keys[first:], their_keys[first:])
        if v.line or v.bans:
            drop_vain(v, d, planes.mine, planes.theirs, planes.i_need_exactly, keys[first:])
            drop_vain(v, d, planes.theirs, planes.mine, planes.they_need_exactly, their_keys[first:])
        add_shapes(v, d, codes, keys, best[:size], best[AREA : AREA + size], mine)
        add_shapes(v, d, codes, their_keys, best[:size], best[AREA : AREA + size], theirs)


@jit
def lay(
    v: Variant, planes: Planes, codes: Codes, board: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any]
) -> None:
    """Write the term of each cell in the count of a window, and its row and column if it is free; behind lie walls."""
    us, them, walls = planes.mine, planes.theirs, planes.walls
    cells, size, kind = v.m * v.n, len(us), board.dtype.type
    one, wall = kind(codes.theirs), kind(codes.wall)
    here, row, column = board[:size], rows[:size], columns[:size]
    for a in range(size):
        here[a] = us[a] + one * them[a]
    if v.obstacles > 0:
        for a in range(size):
            here[a] += wall * walls[a]
    its_row, its_column = ROW[v.n, :size], COLUMN[v.n, :size]
    for a in range(size):
        free = -kind(here[a] == 0)
        row[a], column[a] = its_row[a] & free, its_column[a] & free
    behind = size + windows.reach(v)
    board[cells:behind] = wall
    rows[size:behind] = 0
    columns[size:behind] = 0


@jit
def drop_vain(
    v: Variant, d: int, side: NDArray[np.int8], other: NDArray[np.int8], needs_exactly: bool, keys: NDArray[Any]
) -> None:
    """Make the keys of windows negative that would be no line of a side."""
    for a in range(v.m * v.n):
        if keys[a] >= 0 and windows.is_vain(v, d, a, side, other, needs_exactly):
            keys[a] = -1


@inlined
def rank(
    v: Variant,
    d: int,
    codes: Codes,
    board: NDArray[Any],
    places: NDArray[Any],
    keys: NDArray[Any],
    their_keys: NDArray[Any],
) -> None:
    """Write the key of each window for both sides: the number of its last three stones, then its free cells.

    Keys of windows without enough stones, with a wall or with stones of both sides are negative.
    """
    kind = keys.dtype.type
    low, high = windows.bounds(v, d)
    column = COLUMN[v.n, : len(keys)]
    most, one = v.k - 1, codes.theirs
    mine_1, mine_2, mine_3 = kind(most), kind(most - 1), kind(most - 2)
    theirs_1, theirs_2, theirs_3 = kind(most * one), kind((most - 1) * one), kind((most - 2) * one)
    two, three, below = kind(codes.step), kind(2 * codes.step), kind(codes.step - 1)
    size = len(keys)
    if v.k == FIVE:  # the usual length, in one loop
        c_1, c_2, c_3, c_4, c_5 = windows.five(board, 0, windows.stride(v, d), size)
        p_1, p_2, p_3, p_4, p_5 = windows.five(places, 0, windows.stride(v, d), size)
        for a in range(size):
            count = kind(c_1[a] + c_2[a] + c_3[a] + c_4[a] + c_5[a])
            where = kind(p_1[a] + p_2[a] + p_3[a] + p_4[a] + p_5[a]) & below
            where |= -kind((column[a] < low) | (column[a] > high))
            keys[a] = stones(count, mine_1, mine_2, mine_3, two, three) | where
            their_keys[a] = stones(count, theirs_1, theirs_2, theirs_3, two, three) | where
    else:
        windows.summed(v, d, board, keys)
        windows.summed(v, d, places, their_keys)
        for a in range(size):
            count, where = keys[a], kind(their_keys[a] & below) | -kind((column[a] < low) | (column[a] > high))
            keys[a] = stones(count, mine_1, mine_2, mine_3, two, three) | where
            their_keys[a] = stones(count, theirs_1, theirs_2, theirs_3, two, three) | where


@inlined
def stones(count: Any, lacks_1: Any, lacks_2: Any, lacks_3: Any, two: Any, three: Any) -> Any:
    """Return the number of the last three stones in a window as its key encodes it, from the sum of its cells."""
    key = three if count == lacks_1 else np.int8(-1)
    key = two if count == lacks_2 else key
    return np.int8(0) if count == lacks_3 else key


@inlined
def add_shapes(
    v: Variant,
    d: int,
    codes: Codes,
    keys: NDArray[Any],
    high: NDArray[Any],
    low: NDArray[Any],
    out: NDArray[np.uint8],
) -> None:
    """Add the shapes of a side's stones in one direction.

    The fullest windows make the shape, which is open if two of them lack different cells: then the highest and the
    lowest sums of free cells differ. `high` and `low` are overwritten with them.
    """
    kind, size = keys.dtype.type, len(out)
    two, three, below = kind(codes.step), kind(2 * codes.step), kind(codes.step - 1)
    if v.k == FIVE:  # the usual length, in one loop
        one, other, third, fourth, fifth = windows.five(keys, windows.reach(v), -windows.stride(v, d), size)
        for a in range(size):
            most = max(one[a], other[a], third[a], fourth[a], fifth[a])
            least = max(one[a] ^ below, other[a] ^ below, third[a] ^ below, fourth[a] ^ below, fifth[a] ^ below)
            out[a] += shape(most, least, two, three, below)
    else:
        windows.extremes(v, d, keys, below, high, low)
        for a in range(size):
            out[a] += shape(high[a], low[a], two, three, below)


@inlined
def shape(high: Any, low: Any, two: Any, three: Any, below: Any) -> Any:
    """Return the shape of a stone whose windows have these highest keys, as they are and with their places flipped."""
    is_open = (high ^ low) & below != below
    four = np.uint8(_OPEN_FOUR) if is_open else np.uint8(_FOUR)
    best = np.uint8(_OPEN_THREE) if is_open & (high >= 0) else np.uint8(0)
    best = four if high >= two else best
    return np.uint8(_FIVE) if high >= three else best
