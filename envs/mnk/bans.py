"""The bans of renju: the cells where X may not play (§9).

A stone is looked at with five cells to either side of it in each direction, as words of bits whose middle is the stone.
Whether a three is one may depend on another stone's being banned, and so on: the stones on the way lie on a stack.
"""

from typing import Any

import numpy as np

from kozyr.envs.compile import count_bits, jit, lowest_bit, stack_array
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.board import FILLED, MAX_SIDE, WAYS, through, words_of

CLOSED = 3  # the plane of cells where the seat to move may not play: what is filled, and what is banned
FIVE = 5  # stones in a line
_REACH = 5  # cells to either side of a stone that matter for it
_SEEN = 2 * _REACH + 1
_FEWEST = 4  # stones near a cell without which nothing is banned there: two threes need two more each
_WINDOWS = 4  # of four cells that hold a stone
_WINS, _BANNED, _FREE, _OPEN = range(4)  # what a stone is; _OPEN: two threes may ban it
_CELLS, _NO_CELL = MAX_SIDE**2, -1


@jit
def close(v: Any, s: Any) -> bool:
    """Write where the seat to move may not play, and return True if a cell is left for it."""
    words, room = words_of(v), False
    for i in range(words):
        s.planes[CLOSED * words + i] = s.planes[FILLED * words + i]
    for a in range(v.m * v.n):
        if not s.planes[FILLED * words + (a >> 6)] >> (a & 63) & 1:
            if s.turn == s.starter and is_banned(v, s, a):
                s.planes[CLOSED * words + (a >> 6)] |= np.int64(1) << (a & 63)
            else:
                room = True
    return room or s.turn == OVER


@jit
def is_closed(v: Any, s: Any, a: int) -> bool:
    """Return True if the seat to move may not play on a cell."""
    return s.planes[CLOSED * words_of(v) + (a >> 6)] >> (a & 63) & 1 == 1


@jit
def is_banned(v: Any, s: Any, a: int) -> bool:
    """Return True if X may not play on a free cell: two threes, two fours or six in a row, and no five (§9)."""
    if stones_near(v, s, a) < _FEWEST:
        return False
    kind = kind_of(v, s, a)
    return two_threes(v, s, a) if kind == _OPEN else kind == _BANNED


@jit
def stones_near(v: Any, s: Any, a: int) -> int:
    """Return the number of stones of X near a cell in its lines; some of another diagonal may be among them."""
    r, c, falling, at_falling, rising, at_rising = through(v, a)
    long, count = max(v.m, v.n), 0
    for way in range(WAYS):
        line, place = (r, c, falling, rising)[way] + way * long, (c, r, at_falling, at_rising)[way]
        bits = int(s.lines[s.starter * WAYS * long + line])
        count += count_bits(bits << _REACH >> place & (1 << _SEEN) - 1)
    return count


@jit
def kind_of(v: Any, s: Any, a: int) -> int:
    """Return the kind of a stone of X on a cell by its rows and fours; _OPEN if two threes may ban it."""
    fours, threes, long = 0, 0, False
    for way in range(WAYS):
        own, free = around(v, s, a, way)
        row = length(own)
        if row == FIVE:
            return _WINS
        long |= row > FIVE
        fours += count_fours(own, free)
        chance = False
        for i in range(_WINDOWS):
            chance |= lacking(own, free, i) != 0
        threes += chance
    if long or fours > 1:
        return _BANNED
    return _OPEN if threes > 1 else _FREE


@jit
def around(v: Any, s: Any, a: int, way: int) -> tuple[int, int]:
    """Return the stones of X and the free cells round a cell in one direction, with a stone of X on it."""
    words, r = words_of(v), a // v.n
    c = a - r * v.n
    own, free = 1 << _REACH, 0
    for i in range(_SEEN):
        row, column = r + (i - _REACH) * down(way), c + (i - _REACH) * right(way)
        if i != _REACH and 0 <= row < v.m and 0 <= column < v.n:
            b = row * v.n + column
            own |= int(s.planes[s.starter * words + (b >> 6)] >> (b & 63) & 1) << i
            free |= int(~s.planes[FILLED * words + (b >> 6)] >> (b & 63) & 1) << i
    return own, free


@jit
def down(way: int) -> int:
    """Return the rows of a step in a direction: →, ↓, ↘ or ↙."""
    return int(way > 0)


@jit
def right(way: int) -> int:
    """Return the columns of a step in a direction."""
    return 0 if way == 1 else -1 if way > 2 else 1


@jit
def length(own: int) -> int:
    """Return the length of the row through the middle."""
    first, last = _REACH, _REACH
    while first > 0 and own >> (first - 1) & 1:
        first -= 1
    while own >> (last + 1) & 1:
        last += 1
    return last - first + 1


@jit
def count_fours(own: int, free: int) -> int:
    """Return the number of fours through the middle: of sets of four stones that one more makes exactly five in a row.

    The four stones of a straight four are one set, though two cells make them five.
    """
    number, before = 0, 0
    for first in range(1, _REACH + 1):
        window, beside = 31 << first, 1 << (first - 1) | 1 << (first + FIVE)
        four = own & window
        if count_bits(four) == FIVE - 1 and four | (free & window) == window and not own & beside and four != before:
            number, before = number + 1, four
    return number


@jit
def lacking(own: int, free: int, i: int) -> int:
    """Return the bit of the cell that the `i`-th window of four through the middle lacks for a straight four, or 0.

    A straight four has a free cell at either end, and with a stone on each of them there are exactly five in a row.
    """
    first = i + 2
    window, ends = 15 << first, 1 << (first - 1) | 1 << (first + 4)
    beyond, rest = 1 << (first - 2) | 1 << (first + 5), window & ~own
    return rest if count_bits(rest) == 1 and rest & free and free & ends == ends and not own & beyond else 0


@jit
def two_threes(v: Any, s: Any, a: int) -> bool:
    """Return True if X makes two threes with a stone on a cell, where it makes no five.

    A three counts if a stone makes a straight four of it, no five anywhere, and is not banned itself. Numba cannot load
    functions that call themselves from its cache, so the stones whose bans are looked for lie on a stack.
    """
    cells = stack_array(_CELLS, np.int16)
    tried, threes = stack_array(_CELLS, np.int8), stack_array(_CELLS, np.int8)
    level = 0
    cells[0], tried[0], threes[0] = a, 0, 0
    turn_over(v, s, a)
    while True:
        at = _NO_CELL
        while at == _NO_CELL and tried[level] < WAYS * _WINDOWS and threes[level] < 2:
            at = straightening(v, s, int(cells[level]), int(tried[level]))
            tried[level] += 1
        kind = kind_of(v, s, at) if at != _NO_CELL else _BANNED
        if kind == _OPEN:
            level += 1
            cells[level], tried[level], threes[level] = at, 0, 0
            turn_over(v, s, at)
            continue
        counts = kind == _FREE
        if at == _NO_CELL:  # all is known of the newest stone
            banned = threes[level] > 1
            turn_over(v, s, int(cells[level]))
            if level == 0:
                return banned
            level -= 1
            counts = not banned
        if counts:  # on to the next direction
            threes[level] += 1
            tried[level] = (tried[level] + _WINDOWS - 1) // _WINDOWS * _WINDOWS


@jit
def straightening(v: Any, s: Any, a: int, number: int) -> int:
    """Return the cell that makes a straight four in a window of a stone, by the window's number, or _NO_CELL."""
    way = number // _WINDOWS
    own, free = around(v, s, a, way)
    bit = lacking(own, free, number % _WINDOWS)
    if bit == 0:
        return _NO_CELL
    away = lowest_bit(bit) - _REACH
    return a + away * (down(way) * v.n + right(way))


@jit
def turn_over(v: Any, s: Any, a: int) -> None:
    """Put a stone of X on the board's planes, or take it away."""
    words, stone = words_of(v), np.int64(1) << (a & 63)
    s.planes[s.starter * words + (a >> 6)] ^= stone
    s.planes[FILLED * words + (a >> 6)] ^= stone
