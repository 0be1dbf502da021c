"""The moves that a search of the m,n,k-game tries, with their values."""

from typing import Any

from kozyr.agents.mnk.board import CELLS, FREE, O
from kozyr.agents.mnk.fours import pick
from kozyr.agents.mnk.learned import rating
from kozyr.agents.mnk.lines import ANY_FIVE, ANY_FOUR, TWO_FOURS, five, fives, four, fours
from kozyr.envs.compile import jit

_ROOT_WIDTH = 30
_IDLE = (49 << 32) - 1  # value of a cell far from all stones


@jit
def doubles(b: Any, side: int) -> bool:
    """Return True if one stone can make an open four of `side`, or two fours."""
    best = 0
    for i in range(fours(b, side)):
        best = max(best, b.score[side * CELLS + four(b, side, i)])
    return best >= TWO_FOURS


@jit
def gather(b: Any, me: int, first: int, move: int) -> int:
    """Write the moves worth a try, with their values, into the buffer and return their number."""
    you, n = 1 - me, 0
    if fives(b, you):
        for i in range(fives(b, you)):
            n = note(b, me, five(b, you, i), first, n, move)
        if me == O and b.rule:
            n = note_fours(b, me, you, first, n, move)
        return n
    if doubles(b, you) and not doubles(b, me):
        for i in range(fours(b, you)):
            n = note(b, me, four(b, you, i), first, n, move)
        for i in range(fours(b, me)):
            if b.score[you * CELLS + four(b, me, i)] < ANY_FOUR:
                n = note(b, me, four(b, me, i), first, n, move)
        return n
    n = note_all(b, me, first, _IDLE, move)
    return n if n else note_all(b, me, first, -1, move)


@jit
def note_all(b: Any, me: int, first: int, least: int, move: int) -> int:
    """Write all free cells with a score above `least` into the buffer and return their number."""
    n, mine, theirs = 0, b.score[me * CELLS :][: b.cells], b.score[(1 - me) * CELLS :][: b.cells]
    moves = b.moves[first : first + b.cells]
    for a in range(len(mine)):
        score = 2 * mine[a] + theirs[a]
        moves[n] = (1 << 30 if a == move else score >> 32 << 10) | a
        n += score > least
    if b.learned:
        for i in range(n):
            a = moves[i] & 1023
            moves[i] = (1 << 30 if a == move else rating(b, me, a) << 10) | a
    return n


@jit
def note_fours(b: Any, me: int, you: int, first: int, n: int, move: int) -> int:
    """Add the fours of `me` that do not take a five away, and return the number of moves now."""
    for i in range(fours(b, me)):
        if b.score[you * CELLS + four(b, me, i)] < ANY_FIVE:
            n = note(b, me, four(b, me, i), first, n, move)
    return n


@jit
def note(b: Any, me: int, a: int, first: int, n: int, move: int) -> int:
    """Add a move with its value, the highest if it is `move`, and return the number of moves now."""
    score = 2 * b.score[me * CELLS + a] + b.score[(1 - me) * CELLS + a]
    value = rating(b, me, a) if b.learned else score >> 32
    b.moves[first + n] = (1 << 30 if a == move else value << 10) | int(a)
    return n + 1


@jit
def root(b: Any, me: int) -> int:
    """Write the root moves, best shape first, and return their number."""
    n = gather(b, me, 0, FREE)
    for i in range(n):
        pick(b, i, n)
    b.best = b.moves[0] & 1023
    return n if fives(b, 1 - me) else min(n, _ROOT_WIDTH)
