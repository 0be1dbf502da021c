"""Tables at which every seat learns: a compiled step, and the decisions that wait for their game's result.

A decision takes a slot, with the view and the action. The slots of a table's game are a chain; when the game is over
each gets what its seat was paid, and is ready to be learned from.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit
from kozyr.envs.core.dispatch import play, start
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import bits, generators
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.episodes import at_random
from kozyr.envs.loops.single_table import show

_NONE = -1


class Tables(NamedTuple):
    """N tables: whose turn it is sees `views` and may play what `masks` allow."""

    states: NDArray[Any]  # [N]
    deals: NDArray[Any]  # [N] generators of the deals; `seed`: where each was as the game began
    views: NDArray[Any]  # [N, view]
    masks: NDArray[np.int8]  # [N, actions]
    last: NDArray[np.int64]  # [N] the last slot of each table's game, −1 before its first decision
    length: NDArray[np.int64]  # [N] decisions of each table's game


class Slots(NamedTuple):
    """Decisions that wait for their game's result or are ready; `counts` are how many of `free` and `ready` hold."""

    views: NDArray[Any]  # [slots, view]
    actions: NDArray[np.int64]  # [slots]
    seats: NDArray[np.int64]  # [slots]
    before: NDArray[np.int64]  # [slots] the slot of the decision before in the same game, or −1
    results: NDArray[np.float32]  # [slots] what the seat was paid
    free: NDArray[np.int64]  # [slots] numbers of slots that nothing is in
    ready: NDArray[np.int64]  # [slots] numbers of slots whose game is over
    counts: NDArray[np.int64]  # [2] of free and of ready slots


def tables(game: Game, variant: Any, n: int) -> Tables:
    """Return N tables without games."""
    views = np.zeros((n, game.size(variant)), game.view_dtype)
    masks = np.zeros((n, game.actions(variant)), np.int8)
    none = np.full(n, _NONE, np.int64)
    return Tables(np.zeros(n, game.layout(variant)), generators(0, n), views, masks, none, np.zeros(n, np.int64))


def slots(game: Game, variant: Any, size: int) -> Slots:
    """Return so many free slots."""
    actions, seats, before, ready = np.zeros((4, size), np.int64)
    views, results = np.zeros((size, game.size(variant)), game.view_dtype), np.zeros(size, np.float32)
    return Slots(views, actions, seats, before, results, np.arange(size), ready, np.array([size, 0]))


def larger(own: Slots) -> Slots:
    """Return twice as many slots, with all that is in the ones there are."""
    size = len(own.actions)
    arrays: list[NDArray[Any]] = [*own[:-1]]
    more = [np.concatenate([array, np.zeros_like(array)]) for array in arrays]
    result = Slots._make([*more, own.counts.copy()])
    free = own.counts[0]
    result.free[free : free + size] = np.arange(size, 2 * size)
    result.counts[0] += size
    return result


@jit
def open_all(v: Any, at: Tables, opening: int) -> None:
    """Begin a game at every table; no decision of an earlier one is kept."""
    for i in range(len(at.states)):
        begin(v, at, i, opening)


@jit
def begin(v: Any, at: Tables, i: int, opening: int) -> None:
    """Deal games at table `i` until somebody is to move, after so many random plies."""
    s = at.states[i]
    at.last[i], at.length[i] = _NONE, 0
    while True:
        at.deals[i].seed = at.deals[i].rng
        start(v, s, np.int64(bits(at.deals[i]) >> np.uint64(1)), -1)
        at_random(v, s, opening, at.masks[i], at.deals[i])
        if s.turn != OVER:
            break
    show(v, s, at.views[i], at.masks[i])


@inlined
def put(at: Tables, into: Slots, i: int, action: int) -> None:
    """Write the mover's decision at table `i` down, before it is played."""
    into.counts[0] -= 1
    slot = into.free[into.counts[0]]
    for j in range(at.views.shape[1]):
        into.views[slot, j] = at.views[i, j]
    into.actions[slot], into.seats[slot], into.before[slot] = action, at.states[i].turn, at.last[i]
    at.last[i] = slot
    at.length[i] += 1


@jit
def advance(
    v: Any, at: Tables, into: Slots, actions: NDArray[np.int64], opening: int, paid: NDArray[np.float32]
) -> int:
    """Write the mover's decision down and play it at every table; pay the slots of games that are over, deal anew.

    Args:
        v: the variant; at: the tables; into: at least as many free slots as there are tables.
        actions: [N] legal; opening: random plies of a game that begins.
        paid: float32 [N, 2] to which seat 0's payoff and the length of each game that has ended are written.

    Returns:
        How many games have ended: the first rows of `paid`.
    """
    ended = 0
    for i in range(len(actions)):
        s = at.states[i]
        put(at, into, i, actions[i])
        play(v, s, actions[i])
        if s.turn != OVER:
            show(v, s, at.views[i], at.masks[i])
            continue
        paid[ended, 0], paid[ended, 1] = s.payoff[0], at.length[i]
        ended += 1
        slot = at.last[i]
        while slot != _NONE:
            into.results[slot] = s.payoff[into.seats[slot]]
            into.ready[into.counts[1]] = slot
            into.counts[1] += 1
            slot = into.before[slot]
        begin(v, at, i, opening)
    return ended


def take_ready(own: Slots, n: int) -> NDArray[np.int64]:
    """Return the numbers of the first `n` ready slots and free all of them: to be read before the next `advance`."""
    count = own.counts[1]
    numbers = own.ready[:n].copy()
    own.ready[: count - n] = own.ready[n:count].copy()
    own.free[own.counts[0] : own.counts[0] + n] = numbers
    own.counts[:] += (n, -n)
    return numbers
