"""Shapes of the m,n,k-game, kept up to date: for every free cell and direction, what a stone there would make.

A stone touches at most 8 (k − 1) cells, or 8k where lines are exact: for each side those from which it can be seen past
what bars the side. It is taken back by the same steps, so nothing but the touched cells is kept. No rule is written
here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.board import CELLS, FREE, LINE, NEAR, SPAN, O, X
from kozyr.agents.mnk.learned import count, shift, sum_up
from kozyr.envs.compile import highest_bit, jit, lowest_bit
from kozyr.envs.core.rng import mixed
from kozyr.envs.mnk.board import WALL
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import Parts

# What a shape adds to the score of its cell: a value for moves, × 2³², and what the shape is worth in a position. Sums
# of values over the four directions still tell whether there is a three, a four, an open four and a five.
_VALUE, _WORTH = (0, 1, 4, 6, 24, 24, 128, 1024, 8192, 65536), (0, 0, 1, 2, 8, 8, 30, 20, 60, 0)
_SCORE = np.array([(value << 32) + worth for value, worth in zip(_VALUE, _WORTH, strict=True)], np.int64)
ANY_FOUR, TWO_FOURS, ANY_FIVE = 1024 << 32, 2048 << 32, 65536 << 32
WORTH = 2**32 - 1  # bits of a score or of a sum of scores
_TAKEN = -(2**51)  # outweighs any score, and fits in a move with its value
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@jit
def set_up(v: Variant, view: NDArray[Any], b: Any) -> int:
    """Write the position that `view` shows and return the side to move."""
    at = Parts(v)
    b.key, b.stop, b.nodes, b.best = np.uint64(0), 0, 0, FREE
    b.barred[:], b.count[:], b.total[:], b.sums[:] = -1, 0, 0, 0
    b.stone[:], b.score[:], b.place[:] = FREE, 0, FREE
    me, stones, walls = X if view[at.x] else O, 0, 0
    for a in range(b.cells):
        if v.obstacles > 0 and view[at.wall + a] != 0:
            walls += 1
            b.stone[a] = WALL
            b.key ^= zobrist(CELLS + a, X)
        elif view[at.mine + a] or view[at.theirs + a]:
            b.stone[a] = me if view[at.mine + a] else 1 - me
            b.key ^= zobrist(a, int(b.stone[a]))
            stones += 1
        for d in range(4):
            for s in range(2):
                if b.stone[a] == FREE or b.stone[a] == s:
                    bar(b, a, d, s)
    room = b.cells - walls
    b.left = (min(v.max_moves, room) if v.max_moves else room) - stones
    b.begun = b.left
    for a in range(b.cells):
        for s in range(2):
            if b.stone[a] == FREE:
                read(b, a, s)
            else:
                b.score[s * CELLS + a] = _TAKEN
        if b.learned and b.stone[a] == FREE:
            sum_up(b, a)
    return me


@jit
def bar(b: Any, a: int, d: int, s: int) -> None:
    """Bar a side from a cell on its line in one direction, or take the bar away."""
    b.barred[s * LINE + b.line[4 * a + d]] ^= np.int64(1) << (b.along[4 * a + d] + b.half)


@jit
def read(b: Any, a: int, s: int) -> None:
    """Read a side's shapes on a free cell off its lines."""
    score: Any = 0
    for d in range(4):
        line, place, window = b.line[4 * a + d], b.along[4 * a + d], b.window
        barred, other = b.barred[s * LINE + line] >> place & window, b.barred[(1 - s) * LINE + line] >> place & window
        number = b.three[other & ~barred] + 2 * b.three[barred]
        b.number[4 * (s * CELLS + a) + d] = number
        score += _SCORE[b.table[number]]
    b.score[s * CELLS + a] = score
    b.total[s] += score
    enter(b, a, s, score)


@jit
def zobrist(a: int, side: int) -> np.uint64:
    """Return the part that a stone has in the key of a position."""
    return mixed(np.uint64(2 * a + side + 1) * _GOLDEN)


@jit
def put(b: Any, a: int, side: int) -> None:
    """Put a stone of `side` on the free cell `a`."""
    ply = b.begun - b.left
    b.left -= 1
    b.key ^= zobrist(a, side)
    b.stone[a] = side
    x, o, window = 0, 0, b.window
    for d in range(4):
        line, place = b.line[4 * a + d], b.along[4 * a + d]
        no_x, no_o = b.barred[line] >> place & window, b.barred[LINE + line] >> place & window
        free = ~(no_x | no_o)
        x |= (b.reach[no_x] & free) << SPAN * d
        o |= (b.reach[no_o] & free) << SPAN * d
        bar(b, a, d, 1 - side)
    b.near[2 * ply], b.near[2 * ply + 1] = x, o
    for s in range(2):
        score = b.score[s * CELLS + a]
        leave(b, a, s, score)
        b.total[s] -= score
        b.score[s * CELLS + a] = score + _TAKEN
    if b.learned:
        count(b, a, -1)
    for s in range(2):
        step = (s != side) * NEAR
        moved = renew(b, a, s, b.near[2 * ply + s], step)
        if moved:
            relist(b, a, s, moved, step, False)


@jit
def take(b: Any, a: int, side: int) -> None:
    """Take the newest stone back; its cell has kept its scores."""
    b.left += 1
    b.key ^= zobrist(a, side)
    b.stone[a] = FREE
    ply = b.begun - b.left
    for d in range(4):
        bar(b, a, d, 1 - side)
    for s in range(2):
        step = (2 + (s != side)) * NEAR
        moved = renew(b, a, s, b.near[2 * ply + s], step)
        if moved:
            relist(b, a, s, moved, step, True)
    for s in range(2):
        score = b.score[s * CELLS + a] - _TAKEN
        b.score[s * CELLS + a] = score
        b.total[s] += score
        enter(b, a, s, score)
    if b.learned:
        count(b, a, 1)


@jit
def renew(b: Any, a: int, s: int, near: int, step: int) -> int:
    """Change the numbers and scores that `s` has near `a` by a step; return the cells that go to another list."""
    first, change, moved = 4 * (s * CELLS + a), 0, 0
    while near:
        bit, i = near & -near, lowest_bit(near)
        near ^= bit
        where = first + b.away[i]
        old = b.number[where]
        new = np.uint32(old + b.step[step + i])
        b.number[where] = new
        if b.learned:
            shift(b, s, (where >> 2) - s * CELLS, old, new)
        more = _SCORE[b.table[new]] - _SCORE[b.table[old]]
        before = b.score[where >> 2]
        after = before + more
        b.score[where >> 2] = after
        change += more
        across = ((before - ANY_FOUR) ^ (after - ANY_FOUR)) | ((before - ANY_FIVE) ^ (after - ANY_FIVE))
        moved |= bit if across < 0 else 0  # signs differ: the score is now on the other side of a bound
    b.total[s] += change
    return moved


@jit
def relist(b: Any, a: int, s: int, moved: int, step: int, back: bool) -> None:
    """Move cells near `a` from the lists of their old scores to those of their new ones; `back`, the last one first."""
    while moved:
        i = highest_bit(moved) if back else lowest_bit(moved)
        moved ^= 1 << i
        where = 4 * (s * CELLS + a) + b.away[i]
        new = b.number[where]
        after = b.score[where >> 2]
        before = after - _SCORE[b.table[new]] + _SCORE[b.table[np.uint32(new - b.step[step + i])]]
        leave(b, (where >> 2) - s * CELLS, s, before)
        enter(b, (where >> 2) - s * CELLS, s, after)


@jit
def enter(b: Any, a: int, side: int, score: int) -> None:
    """Put a cell into the list of its side's fours or fives if its score belongs there."""
    if score >= ANY_FOUR:
        which = 2 * side + (score >= ANY_FIVE)
        b.place[side * CELLS + a] = b.count[which]
        b.listed[which * CELLS + b.count[which]] = a
        b.count[which] += 1


@jit
def leave(b: Any, a: int, side: int, score: int) -> None:
    """Take a cell out of its list; the last one there moves to its place."""
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
