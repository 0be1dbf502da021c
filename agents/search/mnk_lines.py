"""Shapes of the m,n,k-game, kept up to date: for every free cell and direction, what a stone there would make.

A stone renews the shapes of at most 8 (k − 1) cells. No rule is written here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.mnk_board import CELLS, FREE, LINE, O, X
from kozyr.envs.core.jit import jit
from kozyr.envs.core.rng import mixed
from kozyr.envs.mnk.rules import WALL, Variant
from kozyr.envs.mnk.view import parts

# For moves: sums over the four directions still tell whether there is a three, a four, an open four and a five.
_VALUE = np.array([0, 1, 4, 6, 24, 24, 128, 1024, 8192, 65536], np.int32)
ANY_FOUR, TWO_FOURS, ANY_FIVE = 1024, 2048, 65536
_FIRST = np.array([0, 25, 50, 99], np.int64)  # line of each direction: rows, columns, diagonals, counter-diagonals
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@jit
def set_up(v: Variant, view: NDArray[Any], b: Any) -> int:
    """Write the position that `view` shows and return the side to move."""
    at, half, mask = parts(v), v.k - 1, 2 ** (2 * v.k - 1) - 1
    b.m, b.n, b.k, b.cells, b.rule = v.m, v.n, v.k, v.m * v.n, v.last_reply
    b.key, b.stop, b.nodes, b.best = np.uint64(0), 0, 0, FREE
    b.stones[:], b.walls[:], b.count[:], b.total[:] = 0, -1, 0, 0
    b.stone[:], b.kind[:], b.score[:], b.place[:] = FREE, 0, 0, FREE
    me, stones, walls = X if view[at.x] else O, 0, 0
    for a in range(b.cells):
        wall = v.obstacles > 0 and view[at.wall + a] != 0
        walls += wall
        for d in range(4):
            line, place = line_of(b, a, d)
            if not wall:
                b.walls[line] &= ~(1 << (place + half))
            if view[at.mine + a]:
                b.stones[me * LINE + line] |= 1 << (place + half)
            elif view[at.theirs + a]:
                b.stones[(1 - me) * LINE + line] |= 1 << (place + half)
        if view[at.mine + a] or view[at.theirs + a]:
            b.stone[a] = me if view[at.mine + a] else 1 - me
            b.key ^= zobrist(a, b.stone[a])
            stones += 1
        elif wall:
            b.stone[a] = WALL
    room = b.cells - walls
    b.left = (min(v.max_moves, room) if v.max_moves else room) - stones
    b.begun, b.logged = b.left, 0
    for a in range(b.cells):
        if b.stone[a] == FREE:
            for d in range(4):
                line, place = line_of(b, a, d)
                renew(b, a, d, line, place, mask)
    b.logged = 0
    return me


@jit
def line_of(b: Any, a: int, d: int) -> tuple[int, int]:
    """Return the line through a cell in a direction, and the cell's place on it."""
    r = a // b.n
    c = a - r * b.n
    number = r if d == 0 else c if d == 1 else r - c + b.n - 1 if d == 2 else r + c
    return _FIRST[d] + number, r if d == 1 else c


@jit
def zobrist(a: int, side: int) -> np.uint64:
    """Return the part that a stone has in the key of a position."""
    return mixed(np.uint64(2 * a + side + 1) * _GOLDEN)


@jit
def put(b: Any, a: int, side: int) -> None:
    """Put a stone of `side` on the free cell `a`."""
    b.marks[b.begun - b.left] = b.logged
    b.left -= 1
    b.key ^= zobrist(a, side)
    b.stone[a] = side
    for s in range(2):
        leave(b, a, s)
        for d in range(4):
            b.total[s] -= b.worth[b.kind[8 * a + 2 * d + s]]
    half, mask = b.k - 1, 2 ** (2 * b.k - 1) - 1
    for d in range(4):
        line, place = line_of(b, a, d)
        stride = 1 if d == 0 else b.n if d == 1 else b.n + 1 if d == 2 else 1 - b.n
        b.stones[side * LINE + line] ^= 1 << (place + half)
        free = ~(b.stones[line] | b.stones[LINE + line] | b.walls[line]) >> place
        for i in range(2 * half + 1):
            if i != half and free >> i & 1:
                renew(b, a + (i - half) * stride, d, line, place + i - half, mask)


@jit
def take(b: Any, a: int, side: int) -> None:
    """Take the newest stone back, and all changes of shapes since; its cell has kept its shapes."""
    b.left += 1
    b.key ^= zobrist(a, side)
    b.stone[a] = FREE
    for d in range(4):
        line, place = line_of(b, a, d)
        b.stones[side * LINE + line] ^= 1 << (place + b.k - 1)
    for i in range(b.logged - 1, b.marks[b.begun - b.left] - 1, -1):
        change(b, b.log[i] >> 8, b.log[i] & 255)
    b.logged = b.marks[b.begun - b.left]
    for s in range(2):
        enter(b, a, s)
        for d in range(4):
            b.total[s] += b.worth[b.kind[8 * a + 2 * d + s]]


@jit
def renew(b: Any, a: int, d: int, line: int, place: int, mask: int) -> None:
    """Look the shapes of both sides on a free cell in one line up again."""
    x = b.three[b.stones[line] >> place & mask]
    o = b.three[b.stones[LINE + line] >> place & mask]
    wall = 2 * b.three[b.walls[line] >> place & mask]
    note(b, 8 * a + 2 * d + X, b.table[x + 2 * o + wall])
    note(b, 8 * a + 2 * d + O, b.table[o + 2 * x + wall])


@jit
def note(b: Any, where: int, new: int) -> None:
    """Change a shape if it is another, and log the old one."""
    old = b.kind[where]
    if new != old:
        b.log[b.logged] = where << 8 | old
        b.logged += 1
        change(b, where, new)


@jit
def change(b: Any, where: int, new: int) -> None:
    """Write a shape; `where` is eight times the cell, two times the direction and the side."""
    a, side, old = where >> 3, where & 1, b.kind[where]
    b.kind[where] = new
    b.total[side] += b.worth[new] - b.worth[old]
    before = b.score[side * CELLS + a]
    after = before + _VALUE[new] - _VALUE[old]
    if max(before, after) >= ANY_FOUR:
        if (before >= ANY_FOUR) + (before >= ANY_FIVE) != (after >= ANY_FOUR) + (after >= ANY_FIVE):
            leave(b, a, side)
            b.score[side * CELLS + a] = after
            enter(b, a, side)
    b.score[side * CELLS + a] = after


@jit
def enter(b: Any, a: int, side: int) -> None:
    """Put a cell into the list of its side's fours or fives if it belongs there."""
    score = b.score[side * CELLS + a]
    if score >= ANY_FOUR:
        which = 2 * side + (score >= ANY_FIVE)
        b.place[side * CELLS + a] = b.count[which]
        b.listed[which * CELLS + b.count[which]] = a
        b.count[which] += 1


@jit
def leave(b: Any, a: int, side: int) -> None:
    """Take a cell out of its list; the last one there moves to its place."""
    score = b.score[side * CELLS + a]
    if score >= ANY_FOUR:
        which = 2 * side + (score >= ANY_FIVE)
        b.count[which] -= 1
        last = b.listed[which * CELLS + b.count[which]]
        b.listed[which * CELLS + b.place[side * CELLS + a]] = last
        b.place[side * CELLS + last] = b.place[side * CELLS + a]


@jit
def fours(b: Any, side: int) -> int:
    """Count the free cells where `side` makes a four and no five."""
    return b.count[2 * side]


@jit
def fives(b: Any, side: int) -> int:
    """Count the free cells where `side` makes a five."""
    return b.count[2 * side + 1]


@jit
def four(b: Any, side: int, i: int) -> int:
    """Return one of those cells."""
    return b.listed[2 * side * CELLS + i]


@jit
def five(b: Any, side: int, i: int) -> int:
    """Return one of those cells."""
    return b.listed[(2 * side + 1) * CELLS + i]
