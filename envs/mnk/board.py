"""The board as words: planes of bits for each seat's stones and for what is not empty, and a word for every line.

Lines go four ways: rows, columns, and diagonals falling and rising. A diagonal that leaves the board on a long side
goes on at the other, so that each way has as many lines as the longer side has cells; a bit that stays 0 keeps its two
halves apart. k stones in a row are then found by shifting words. A board uses the first words of each array: a
small one is small in memory, too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit

MAX_SIDE = 25
FILLED = 2  # the plane of all stones and walls; 0 and 1 are the seats' stones
EMPTY, WALL = -1, 2  # contents of a cell; others are the seat whose stone it is
WAYS, PLANES = 4, 3
EXACT, CARO = 1, 2  # bits of a variant's `line`: longer rows do not count, nor do rows of k that are blocked
SIDES = (8, 15, MAX_SIDE)  # of boards whose states are as large: the longest side
_HALF = 32  # bits of a word


@inlined
def words_of(v: Any) -> int:
    """Return the number of words in a plane."""
    return (v.m * v.n + 63) >> 6


@jit
def content(v: Any, s: Any, a: int) -> int:
    """Return the content of a cell: EMPTY, WALL or a seat."""
    for plane in range(PLANES):  # what is filled and no seat's is a wall
        if s.planes[plane * words_of(v) + (a >> 6)] >> (a & 63) & 1:
            return plane
    return EMPTY


@jit
def clear(v: Any, s: Any) -> None:
    """Take everything off the board."""
    for i in range((PLANES + v.bans) * words_of(v)):
        s.planes[i] = 0
    for i in range(2 * WAYS * max(v.m, v.n)):
        s.lines[i] = 0


@jit
def wall_off(v: Any, s: Any, a: int) -> None:
    """Put a wall on a free cell."""
    s.planes[FILLED * words_of(v) + (a >> 6)] |= np.int64(1) << (a & 63)


@jit
def exchange(v: Any, s: Any) -> None:
    """Give each seat the stones of the other."""
    words, lines = words_of(v), WAYS * max(v.m, v.n)
    for i in range(words):
        s.planes[i], s.planes[words + i] = s.planes[words + i], s.planes[i]
    for i in range(lines):
        s.lines[i], s.lines[lines + i] = s.lines[lines + i], s.lines[i]


@inlined
def through(v: Any, a: int) -> Any:
    """Return the row and the column of a cell, and for each way of a diagonal its number and the cell's bit."""
    r = np.int64(np.uint32(a) // np.uint32(v.n))  # 32 bits are divided sooner than 64
    c = a - r * v.n
    long, along, across = v.m, r, c
    if v.n > v.m:
        long, along, across = v.n, c, r
    falling, rising = along - across, along + across
    first, second = falling < 0, rising >= long
    falling += long if first else 0
    rising -= long if second else 0
    return r, c, falling, across + first, rising, across + second


@jit
def put(v: Any, s: Any, seat: int, a: int) -> bool:
    """Put a seat's stone on a free cell and tell whether there is a line through it (§3), blocked or not.

    Two lines share a word, a half each: 26 bits, the most that a line has, do not fill a half.
    """
    words, stone = words_of(v), np.int64(1) << (a & 63)
    s.planes[seat * words + (a >> 6)] |= stone
    s.planes[FILLED * words + (a >> 6)] |= stone
    r, c, falling, at_falling, rising, at_rising = through(v, a)
    long = max(v.m, v.n)
    first = seat * WAYS * long
    row, column = s.lines[first + r] | 1 << c, s.lines[first + long + c] | 1 << r
    fall = s.lines[first + 2 * long + falling] | 1 << at_falling
    rise = s.lines[first + 3 * long + rising] | 1 << at_rising
    s.lines[first + r], s.lines[first + long + c] = row, column
    s.lines[first + 2 * long + falling], s.lines[first + 3 * long + rising] = fall, rise
    straight, slanting = int(row) | int(column) << _HALF, int(fall) | int(rise) << _HALF
    have = 1  # each bit stands for so many stones in a row, from it on
    while have < v.k:
        more = min(have, v.k - have)
        straight, slanting = straight & straight >> more, slanting & slanting >> more
        have += more
    if (straight | slanting) == 0:
        return False
    here = straight & (reach(v, c) | reach(v, r) << _HALF)
    there = slanting & (reach(v, at_falling) | reach(v, at_rising) << _HALF)
    if v.line & EXACT:
        here, there = here & alone(straight), there & alone(slanting)
    return (here | there) != 0


@jit
def unblocked(v: Any, s: Any, seat: int, a: int) -> bool:
    """Return True if a row through a seat's stone is a line, blocked rows of k being none (§3)."""
    r, c, falling, at_falling, rising, at_rising = through(v, a)
    long = max(v.m, v.n)
    for way in range(WAYS):
        line, place = (r, c, falling, rising)[way] + way * long, (c, r, at_falling, at_rising)[way]
        own, other = int(s.lines[seat * WAYS * long + line]), int(s.lines[(1 - seat) * WAYS * long + line])
        begin, end = place, place + 1
        while begin > 0 and own >> begin - 1 & 1:
            begin -= 1
        while own >> end & 1:
            end += 1
        if counts(v, end - begin, other << 1 >> begin & other >> end & 1 == 1):
            return True
    return False


@jit
def counts(v: Any, length: int, blocked: bool) -> bool:
    """Return True if a row of so many stones is a line; `blocked` if its both ends are the other side's stones (§3)."""
    if length == v.k:
        return not (v.line & CARO and blocked)
    return length > v.k and not v.line & EXACT


@jit
def alone(places: int) -> int:
    """Return the places where rows of k begin and no longer ones are: a longer row has such places side by side."""
    return places & ~(places << 1 | places >> 1)


@jit
def reach(v: Any, place: int) -> int:
    """Return the places where rows of k begin that go over a place of a line, as a mask."""
    return (1 << place + 1) - 1 & -(1 << max(place - v.k + 1, 0))


def contents(v: Any, s: Any) -> list[int]:
    """Return the content of every cell, row by row, outside compiled code: EMPTY, WALL or a seat."""
    cells = np.zeros(v.m * v.n, np.int8)
    _tell(v, s, cells)
    return cells.tolist()


@jit
def _tell(v: Any, s: Any, cells: NDArray[np.int8]) -> None:
    for a in range(len(cells)):
        cells[a] = content(v, s, a)
