"""Alpha-beta for the m,n,k-game: principal variation search over cells that matter, with a table of positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.board import CELLS, FREE, PLIES, ROOM, O, X
from kozyr.agents.mnk.fours import attack
from kozyr.agents.mnk.learned import worth
from kozyr.agents.mnk.lines import ANY_FIVE, WORTH, five, fives, fours, put, take
from kozyr.agents.mnk.moves import doubles, gather
from kozyr.envs.compile import jit
from kozyr.envs.core.rng import mixed

WIN = 1_000_000  # less the plies to it
SURE = WIN - 1000  # values from here on are wins
INFINITE = 2 * WIN  # beyond all values
_OPEN = 3 * WIN  # no value yet
PAUSED = 4 * WIN
_FRESH, _NEXT, _NARROW, _WHOLE = range(4)  # nothing is under search, or no move, or one with a window of that width
_LUCK = 4  # values at the root that differ by less are a matter of luck
# Where moves are ordered by what was learned, those behind so many others are searched a ply less deep, then two.
_LATE, _LATER, _DEEP = 3, 6, 3  # and at what depth that begins
_SHALLOWEST = -100  # depth that the table can hold
_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

ENTRY: np.dtype[Any] = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("key", np.uint64),
                ("value", np.int32),
                ("age", np.int32),
                ("move", np.int16),
                ("depth", np.int8),
                ("bound", np.int8),
            ],
            align=True,
        ),
    )
)


@jit
def deepen(b: Any, known: NDArray[Any], me: int, depth: int, n: int, seed: int, high: int) -> int:
    """Search the `n` root moves at the buffer's beginning to a depth, the best so far first; note the best.

    Once the nodes reach `b.pause` it returns PAUSED; called again, it goes on.
    """
    if b.stage == _FRESH:
        b.stage, b.root, b.most = _NEXT, 0, -high
    while b.root < n and not b.stop:
        i, a = b.root, b.moves[b.root] & 1023
        luck: Any = np.int64(mixed(np.uint64(seed) + np.uint64(a) * _GOLDEN) >> np.uint64(32)) % _LUCK
        low = b.most - luck
        if b.stage == _NEXT:
            put(b, a, me)
            b.stage, b.level = _NARROW if i else _WHOLE, FREE
        beta = -low if i else high
        value = search(b, known, depth - 1, -low - 1 if b.stage == _NARROW else -high, beta, 1 - me, n)
        if value == PAUSED:
            return PAUSED
        if b.stage == _NARROW and -value > low and not b.stop:
            b.stage, b.level = _WHOLE, FREE
            continue
        take(b, a, me)
        b.stage, b.root = _NEXT, i + 1
        if -value + luck > b.most and not b.stop:
            b.most, b.best = -value + luck, a
            for j in range(i, 0, -1):
                b.moves[j], b.moves[j - 1] = b.moves[j - 1], b.moves[j]
    b.stage = _FRESH
    return b.most


@jit
def search(b: Any, known: NDArray[Any], depth: int, alpha: int, beta: int, me: int, first: int) -> int:
    """Return the value of a position for `me`, to move; it is a bound where it lies outside alpha and beta.

    Moves are kept in the buffer from `first` on, and the positions on the way on a stack, since Numba cannot load
    functions that call themselves from its cache. Once the nodes reach `b.pause` it returns PAUSED; called again, it
    goes on at the level in `b.level`, which is FREE before the first call.
    """
    level: Any = max(b.level, 0)
    value: Any = _OPEN
    if b.level == FREE:
        value = entered(b, known, 0, depth, alpha, beta, me, first)
    elif level % 2:
        me = 1 - me
    while True:
        if value == _OPEN:
            if b.nodes >= b.pause:
                b.level = level
                return PAUSED
            f = b.nodes_open[level]
            if f.left and f.low < f.beta:
                level, me = level + 1, 1 - me
                low = -f.beta if f.whole else -f.low - 1
                put(b, f.move, 1 - me)
                value = entered(b, known, level, f.deeper - f.cut, low, -f.low, me, f.end)
            else:
                bound = _AT_LEAST if f.best >= f.beta else _EXACT if f.best > f.alpha else _AT_MOST
                remember(b, known[f.entry], f.depth, f.best, f.best_move, bound, b.begun - b.left)
                value = f.best
        elif level == 0:
            return value
        else:
            level, me = level - 1, 1 - me
            take(b, b.nodes_open[level].move, me)
            value = 0 if b.stop else weighed(b, b.nodes_open[level], -value)


@jit
def entered(b: Any, known: NDArray[Any], level: int, depth: int, alpha: int, beta: int, me: int, first: int) -> int:
    """Enter a position; return its value, or _OPEN with its moves on the stack."""
    b.nodes += 1
    if b.nodes >= b.limit:
        b.stop = 1
        return 0
    ply = b.begun - b.left
    value = settled(b, me, ply)
    if value != _OPEN:
        return value
    urgent = fives(b, X) + fives(b, O) > 0
    if ply >= PLIES or first > ROOM or (depth <= 0 and not urgent):
        return estimate(b, me, ply, first)
    place = np.int64(b.key & np.uint64(len(known) - 1))
    e = known[place]
    value = remembered(b, e, depth, alpha, beta, ply)
    if value != _OPEN:
        return value
    n = gather(b, me, first, e.move if e.key == b.key and e.age == b.age else FREE)
    f = b.nodes_open[level]
    f.entry, f.depth, f.alpha, f.beta, f.low = place, depth, alpha, beta, alpha
    f.deeper = depth if urgent and n == 1 else depth - 1
    f.best, f.best_move = -INFINITE, FREE
    if fives(b, me):  # X may complete its line for a draw
        f.best, f.low = 0, max(alpha, 0)
    f.first, f.end, f.whole, f.tried, f.cut = first, first + n, 1, 0, 0
    f.quiet = b.learned and not urgent and depth >= _DEEP
    f.left = n if urgent else min(n, b.width)
    f.picked = highest(b.moves[first : first + n], np.int32(2**31 - 1))
    f.move = f.picked & 1023
    return _OPEN


@jit
def weighed(b: Any, f: Any, value: int) -> int:
    """Note the value of a position's move and choose the next one to search; return _OPEN."""
    if f.cut and value > f.low:
        f.cut = 0  # better than thought: the same move again
        return _OPEN
    if not f.whole and f.low < value < f.beta:
        f.whole = 1  # better than thought: the same move again
        return _OPEN
    if value > f.best:
        f.best, f.best_move, f.low = value, f.move, max(f.low, value)
    f.left, f.whole, f.tried = f.left - 1, 0, f.tried + 1
    f.cut = f.quiet * ((f.tried >= _LATE) + (f.tried >= _LATER))
    if f.left:
        f.picked = highest(b.moves[f.first : f.end], f.picked)
        f.move = f.picked & 1023
    return _OPEN


@jit
def highest(moves: NDArray[np.int32], below: Any) -> Any:
    """Return the highest of some moves with their values that is below another, or −1."""
    best = np.int32(-1)
    for j in range(len(moves)):
        best = max(best, moves[j] if moves[j] < below else np.int32(-1))
    return best


@jit
def remembered(b: Any, e: Any, depth: int, alpha: int, beta: int, ply: int) -> int:
    """Return the value that an entry of the table has for the position, or _OPEN."""
    if e.key != b.key or e.age != b.age or e.depth < depth:
        return _OPEN
    value = e.value - ply if e.value > SURE else e.value + ply if e.value < -SURE else e.value
    if e.bound == _EXACT or (e.bound == _AT_LEAST and value >= beta) or (e.bound == _AT_MOST and value <= alpha):
        return value
    return _OPEN


@jit
def remember(b: Any, e: Any, depth: int, value: int, move: int, bound: int, ply: int) -> None:
    """Write a value into an entry of the table; wins count from the position there."""
    e.key, e.age, e.move, e.depth, e.bound = b.key, b.age, move, max(depth, _SHALLOWEST), bound
    e.value = value + ply if value > SURE else value - ply if value < -SURE else value


@jit
def settled(b: Any, me: int, ply: int) -> int:
    """Return the value of a position that fives and open fours decide, or _OPEN."""
    you = 1 - me
    if b.left == 0:
        return 0
    if fives(b, me):
        if me == O or not b.rule or b.left == 1 or fives(b, you) == 0:
            return WIN - ply - 1
        if fives(b, you) > 1:
            return 0
        return WIN - ply - 1 if b.score[me * CELLS + five(b, you, 0)] >= ANY_FIVE else _OPEN
    if fives(b, you):
        if b.left == 1:
            return 0
        if fives(b, you) > 1 and not (me == O and b.rule and fours(b, me)):
            return -(WIN - ply - 2)
        return _OPEN
    if b.left >= 3 and (me == O or not b.rule or fours(b, O) == 0) and doubles(b, me):
        return WIN - ply - 3
    return _OPEN


@jit
def estimate(b: Any, me: int, ply: int, first: int) -> int:
    """Return the value of a position by the learned evaluation or by its shapes, or by a win through fours."""
    if fours(b, me) and ply < PLIES and first <= ROOM:
        best, learned = b.best, b.learned
        b.learned = 0  # what is put there is taken back, and not valued
        won = attack(b, me, first, b.fours_deep, b.nodes + b.fours_nodes)
        b.best, b.learned = best, learned
        if won:
            return WIN - ply - 2 * b.fours_deep
    if b.learned:
        return worth(b, me)
    return (b.total[me] & WORTH) - (b.total[1 - me] & WORTH) + b.tempo
