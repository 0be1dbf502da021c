"""Many tables of one game: compiled loops over the functions of `single_table`. This file knows no rules.

Shapes, for N tables: actions [N], views [N, view], masks [N, actions], turns [N], payoffs [N, seats].
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, merged
from kozyr.envs.core.dispatch import imagine, legal, observe, play, start
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import RUNNING, allowed, choose, deal_row, playout, random_action, show, step_row

ILLEGAL = -2  # what `step_one` returns instead of a turn
PORTION = 256  # decisions of a batch that share a generator, so that threads may share the batch


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
        if wrong < 0 and not allowed(masks[i], a):
            wrong = i
    return wrong


@merged
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


@merged
def deal_one(v: Any, states: NDArray[Any], seed: int, starter: int, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
    """Start the only table in `states`, show it to the seat to move and return that seat.

    An array of one costs a call from Python 0.2 µs, a single record 4 µs.
    """
    s = states[0]
    start(v, s, seed, starter)
    show(v, s, view, mask)
    return s.turn


@merged
def step_one(v: Any, states: NDArray[Any], action: int, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
    """Play at the only table, show it to the next seat and return the turn; nothing is shown once it is over.

    `mask` has the legal actions of the seat to move. If it forbids the action, nothing is done, and ILLEGAL returned.
    """
    if not allowed(mask, action):
        return ILLEGAL
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
        deal_row(v, states[i], rngs[i])
        show(v, states[i], views[i], masks[i])
        turns[i] = states[i].turn


@jit
def first_illegal(masks: NDArray[np.int8], rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    """Return the first place in `rows` whose action is out of range or not legal, or −1."""
    for j in range(len(rows)):
        if not allowed(masks[rows[j]], actions[j]):
            return j
    return -1


@merged
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
    """Play one action at every table, deal finished tables anew, and return how many finished.

    If `masks` forbid an action, nothing is done, and −1 − the first table with such a one is returned.
    """
    for i in range(len(actions)):
        if not allowed(masks[i], actions[i]):
            return -1 - i
    finished = 0
    for i in range(len(states)):
        ends[i] = step_row(v, states[i], actions[i], rngs[i], views[i], masks[i], payoffs[i])
        finished += ends[i] != RUNNING
        turns[i] = states[i].turn
    return finished


@jit
def random_actions(masks: NDArray[np.int8], rngs: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Write a random legal action for every row of masks, drawn from the only generator in `rngs`."""
    for i in range(len(actions)):
        actions[i] = random_action(masks[i], rngs[0])


@jit
def playouts(v: Any, states: NDArray[Any], rngs: NDArray[Any], mask: NDArray[np.int8], games: int) -> int:
    """Deal and play out many games, one after the other, at the only table and return the number of moves."""
    moves, s, g = 0, states[0], rngs[0]
    for _ in range(games):
        deal_row(v, s, g)
        moves += playout(v, s, g, mask)
    return moves
