"""Many tables of one game, stepped by compiled loops. This file knows no rules.

Shapes, for N tables: actions [N], views [N, view], masks [N, actions], turns [N], payoffs [N, seats].
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.compile import count_bits, inlined, jit, lowest_bit, read_bits
from kozyr.envs.core.dispatch import decide, imagine, legal, observe, play, start
from kozyr.envs.core.rng import below, bits
from kozyr.envs.core.state import OVER

RANDOM = 0  # level of the player that chooses among the legal actions at random
RUNNING, TERMINATED, TRUNCATED = 0, 1, 2  # how a step left a table
PORTION = 256  # decisions of a batch that share a generator, so that threads may share the batch
_GUESSES = 4
_WORD = 64  # actions whose marks make a word


@jit
def random_action(mask: NDArray[np.int8], g: Any) -> int:
    """Return a legal action, each with the same chance; the mask must not be empty.

    A few guesses find one where most actions are legal; else count them, a word of marks at a time, and go to the
    chosen one.
    """
    n, total = len(mask), 0
    for _ in range(_GUESSES):
        a = below(g, n)
        if mask[a]:
            return a
    for first in range(0, n, _WORD):
        total += count_bits(marks(mask, first))
    left, first = below(g, total), 0
    word = marks(mask, first)
    while left >= count_bits(word):
        left -= count_bits(word)
        first += _WORD
        word = marks(mask, first)
    while left > 0:
        word &= word - 1  # the lowest mark goes
        left -= 1
    return first + lowest_bit(word)


@inlined
def marks(mask: NDArray[np.int8], first: int) -> int:
    """Return which of the next _WORD actions from `first` on are legal: a bit for each."""
    return read_bits(mask, first, min(_WORD, len(mask) - first))


@jit
def only_action(mask: NDArray[np.int8]) -> int:
    """Return the action that is the only legal one, or −1 if there are more."""
    found = -1
    for a in range(len(mask)):
        if mask[a]:
            if found >= 0:
                return -1
            found = a
    return found


def decide_at_random(v: Any, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Decide for a game without scripted players, whose only level is RANDOM."""
    return random_action(mask, g)


@jit
def choose(v: Any, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the scripted player `level`."""
    if level == RANDOM:
        return random_action(mask, g)
    return decide(v, level, view, mask, g)


@jit
def choose_batch(
    v: Any, level: int, views: NDArray[Any], masks: NDArray[np.int8], rngs: NDArray[Any], actions: NDArray[np.int64]
) -> int:
    """Write the actions of a scripted player for many views, and return the first row whose mask forbids it, or −1.

    Each PORTION of them has a generator of its own in `rngs`; the last one serves all that are left.
    """
    last, wrong = len(rngs) - 1, -1
    for i in range(len(actions)):
        a = choose(v, level, views[i], masks[i], rngs[min(i // PORTION, last)])
        actions[i] = a
        if wrong < 0 and (a < 0 or a >= masks.shape[1] or not masks[i, a]):
            wrong = i
    return wrong


@jit
def show(v: Any, s: Any, view: NDArray[Any], mask: NDArray[np.int8]) -> None:
    """Write the view and the legal actions of the seat to move."""
    legal(v, s, mask)
    observe(v, s, s.turn, view)


@jit
def look(v: Any, states: NDArray[Any], seat: int, view: NDArray[Any]) -> None:
    """Write what any seat of the only table in `states` knows, to move or not."""
    observe(v, states[0], seat, view)


@jit
def guess(v: Any, view: NDArray[Any], seed: int, states: NDArray[Any]) -> None:
    """Write a state drawn among those that fit a view to the only table; the view's owner is seat 0."""
    imagine(v, view, seed, states[0])


@jit
def look_round(v: Any, states: NDArray[Any], seats: NDArray[np.int32], views: NDArray[Any]) -> None:
    """Overwrite views [N, others, view] with what the others see, clockwise from a seat of each table."""
    for i in range(len(states)):
        for j in range(views.shape[1]):
            observe(v, states[i], (seats[i] + 1 + j) % (views.shape[1] + 1), views[i, j])


@jit
def look_all(v: Any, states: NDArray[Any], views: NDArray[Any]) -> None:
    """Overwrite views [N, seats, view] with what every seat of each table knows."""
    for i in range(len(states)):
        for k in range(views.shape[1]):
            observe(v, states[i], k, views[i, k])


@jit
def legal_all(v: Any, states: NDArray[Any], masks: NDArray[np.int8]) -> None:
    """Overwrite masks [N, actions] with the legal actions of each table's seat to move."""
    for i in range(len(states)):
        legal(v, states[i], masks[i])


@jit
def play_all(v: Any, states: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Play one action at every table, none of which is over, and deal nothing anew."""
    for i in range(len(states)):
        play(v, states[i], actions[i])


@jit
def deal_one(v: Any, states: NDArray[Any], seed: int, starter: int, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
    """Start the only table in `states`, show it to the seat to move and return that seat.

    An array of one costs a call from Python 0.2 µs, a single record 4 µs.
    """
    s = states[0]
    start(v, s, seed, starter)
    show(v, s, view, mask)
    return s.turn


@jit
def step_one(v: Any, states: NDArray[Any], action: int, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
    """Play at the only table, show it to the next seat and return the turn; nothing is shown once it is over."""
    s = states[0]
    play(v, s, action)
    if s.turn != OVER:
        show(v, s, view, mask)
    return s.turn


@jit
def deal(
    v: Any,
    states: NDArray[Any],
    rngs: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[np.int8],
    turns: NDArray[np.int32],
) -> None:
    """Start every table with a seed drawn from its own generator in `rngs`."""
    for i in range(len(states)):
        s = states[i]
        start(v, s, np.int64(bits(rngs[i]) >> np.uint64(1)), -1)
        show(v, s, views[i], masks[i])
        turns[i] = s.turn


@jit
def first_illegal(masks: NDArray[np.int8], rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    """Return the first place in `rows` whose action is out of range or not legal, or −1."""
    for j in range(len(rows)):
        a = actions[j]
        if a < 0 or a >= masks.shape[1] or not masks[rows[j], a]:
            return j
    return -1


@jit
def step(
    v: Any,
    states: NDArray[Any],
    actions: NDArray[np.int64],
    rngs: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[np.int8],
    turns: NDArray[np.int32],
    payoffs: NDArray[np.float32],
    ends: NDArray[np.int8],
) -> int:
    """Play one action at every table, deal finished tables anew, and return how many finished."""
    finished = 0
    for i in range(len(states)):
        s = states[i]
        play(v, s, actions[i])
        ends[i] = RUNNING
        for k in range(payoffs.shape[1]):
            payoffs[i, k] = s.payoff[k]
        if s.turn == OVER:
            finished += 1
            ends[i] = TRUNCATED if s.truncated else TERMINATED
            start(v, s, np.int64(bits(rngs[i]) >> np.uint64(1)), -1)
        show(v, s, views[i], masks[i])
        turns[i] = s.turn
    return finished


@jit
def step_legal(
    v: Any,
    states: NDArray[Any],
    actions: NDArray[np.int64],
    rngs: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[np.int8],
    turns: NDArray[np.int32],
    payoffs: NDArray[np.float32],
    ends: NDArray[np.int8],
) -> int:
    """Do what `step` does if all actions are legal; else do nothing and return −1 − the first table with another."""
    for i in range(len(actions)):
        a = actions[i]
        if a < 0 or a >= masks.shape[1] or not masks[i, a]:
            return -1 - i
    return step(v, states, actions, rngs, views, masks, turns, payoffs, ends)


@jit
def random_actions(masks: NDArray[np.int8], rngs: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Write a random legal action for every row of masks, drawn from the only generator in `rngs`."""
    for i in range(len(actions)):
        actions[i] = random_action(masks[i], rngs[0])


@jit
def playout(v: Any, s: Any, g: Any, mask: NDArray[np.int8]) -> int:
    """Play at random to the end and return the number of moves."""
    moves = 0
    while s.turn != OVER:
        legal(v, s, mask)
        play(v, s, random_action(mask, g))
        moves += 1
    return moves


@jit
def playouts(v: Any, states: NDArray[Any], rngs: NDArray[Any], mask: NDArray[np.int8], games: int) -> int:
    """Deal and play out many games, one after the other, at the only table and return the number of moves."""
    moves, s, g = 0, states[0], rngs[0]
    for _ in range(games):
        start(v, s, np.int64(bits(g) >> np.uint64(1)), -1)
        moves += playout(v, s, g, mask)
    return moves
