"""Forced wins of the m,n,k-game by sequences of fours (VCF), with the last reply thought of.

A four of X forces less than one of O: O may answer with a four of its own, since five stones of X are then answered
with five of O. So every four that O can make counts as a parry, and X has won only if it can answer each of them.
"""

from typing import Any

from kozyr.agents.mnk.board import CELLS, FREE, ROOM, O, X
from kozyr.agents.mnk.lines import ANY_FIVE, five, fives, four, fours, put, take
from kozyr.envs.compile import jit

LOST, WON, OPEN = -2, -3, -4  # no cell and no list of parries, but what the position is to the attacker
_NEVER = 1 << 62  # nodes


@jit
def attack(b: Any, me: int, first: int, depth: int, limit: int) -> bool:
    """Return True if `me`, to move, wins by at most `depth` fours and then a five; the first cell is in `b.best`.

    It gives up once the nodes reach `limit`; moves are kept in the buffer from `first` on. The attacker's positions
    on the way are kept on a stack, since Numba cannot load functions that call themselves from its cache.
    """
    return resume_attack(b, me, 0, begin_attack(b, me, 0, first, depth, limit), depth, limit, _NEVER) == WON


@jit
def resume_attack(b: Any, me: int, level: int, result: int, depth: int, limit: int, pause: int) -> int:
    """Go on with an attack from its position at a level of the stack; return WON or LOST.

    Once the nodes reach `pause` it returns OPEN, and the level in `b.level`.
    """
    while True:
        if result == OPEN:
            if b.nodes >= pause:
                b.level = level
                return OPEN
            result = forced_on(b, me, level)
            if result == OPEN:
                level += 1
                result = begin_attack(b, me, level, b.attacks_open[level - 1].last, depth - level, limit)
        elif level == 0:
            return result
        else:
            level -= 1
            result = undo_parry(b, me, level, result)


@jit
def begin_attack(b: Any, me: int, level: int, first: int, depth: int, limit: int) -> int:
    """Enter a position of the attacker; return WON, LOST or OPEN, with its moves on the stack."""
    b.nodes += 1
    must = compelled(b, me)
    if must == WON:
        return WON
    if must == LOST or depth == 0 or b.nodes >= limit or first > ROOM:
        return LOST
    f = b.attacks_open[level]
    f.next, f.end, f.move = first, first + attempts(b, me, must, first), FREE
    return OPEN


@jit
def forced_on(b: Any, me: int, level: int) -> int:
    """Put the next parry, after the next four if need be, and return OPEN; or WON or LOST at the end."""
    f = b.attacks_open[level]
    while True:
        if f.move == FREE:
            if f.next == f.end:
                return LOST
            f.move = pick(b, f.next, f.end)
            f.next += 1
            put(b, f.move, me)
            count = parries(b, me, f.end)
            f.parry, f.last = f.end, f.end + max(count, 0)
            if count == LOST:
                take(b, f.move, me)
                f.move = FREE
        elif f.parry < f.last:
            put(b, b.moves[f.parry], 1 - me)
            return OPEN
        else:  # every parry has been answered
            take(b, f.move, me)
            b.best = f.move
            return WON


@jit
def undo_parry(b: Any, me: int, level: int, result: int) -> int:
    """Take back the parry that led to WON or LOST, and the four before it if the attack failed there."""
    f = b.attacks_open[level]
    take(b, b.moves[f.parry], 1 - me)
    f.parry += 1
    if result == LOST:
        take(b, f.move, me)
        f.move = FREE
    return OPEN


@jit
def compelled(b: Any, me: int) -> int:
    """Return the cell that `me` must take, FREE if there is none such, WON with a five to play, or LOST."""
    other = fives(b, 1 - me)
    if b.left == 0:
        return LOST
    if fives(b, me):
        if me == O or not b.rule or b.left == 1 or other == 0:
            b.best = five(b, me, 0)
            return WON
        if other == 1 and b.score[me * CELLS + five(b, O, 0)] >= ANY_FIVE:
            b.best = five(b, O, 0)
            return WON
    return LOST if other > 1 else five(b, 1 - me, 0) if other else FREE


@jit
def attempts(b: Any, me: int, must: int, first: int) -> int:
    """Write the moves that may go on forcing, with their values, and return their number."""
    if must != FREE:
        b.moves[first] = must
        return 1
    for i in range(fours(b, me)):
        a = four(b, me, i)
        score = 2 * b.score[me * CELLS + a] + b.score[(1 - me) * CELLS + a]
        b.moves[first + i] = score >> 32 << 10 | a
    return fours(b, me)


@jit
def pick(b: Any, i: int, end: int) -> int:
    """Bring the move of the highest value among those from `i` on to `i` and return its cell."""
    best = i
    for j in range(i + 1, end):
        if b.moves[j] > b.moves[best]:
            best = j
    b.moves[i], b.moves[best] = b.moves[best], b.moves[i]
    return b.moves[i] & 1023


@jit
def parries(b: Any, me: int, first: int) -> int:
    """Write the other side's answers to the fours of `me` and return their number; or WON or LOST."""
    you = 1 - me
    if fives(b, me) == 0 or fives(b, you) > 0 or b.left < 2:
        return LOST
    counters = fours(b, you) if me == X and b.rule else 0
    if fives(b, me) > 1 and counters == 0:
        return WON
    n = 0
    if fives(b, me) == 1:
        b.moves[first], n = five(b, me, 0), 1
    for i in range(counters):
        a = four(b, you, i)
        if n == 0 or a != b.moves[first]:
            b.moves[first + n] = a
            n += 1
    return n
