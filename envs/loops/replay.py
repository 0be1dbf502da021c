"""Games in progress, played again from their deals: logs of the actions that came from outside, and loops over them.

A deal, the generator of the scripted players and the actions from outside lead to a position. The rules play it, each
action checked, so that a log may come from anybody. This file knows no rules.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import play, start
from kozyr.envs.core.rng import mixed
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.episodes import ANY, LEARNER, Episodes, at_random, scripted
from kozyr.envs.loops.single_table import RUNNING, allowed


@jit
def note(
    deals: Any,
    noted: NDArray[np.uint64],
    counts: NDArray[np.int64],
    log: NDArray[np.int32],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> int:
    """Append an action to the log of each of `rows`, before it is played; return how many logs are full then.

    Args:
        deals: [N] generators of the deals; noted: [N] where each was as its log began, which begins anew elsewhere.
        counts: [N] actions in each log; log: [N, room] the actions.
        rows: the tables; actions: of each.
    """
    full = 0
    for j in range(len(rows)):
        i = rows[j]
        if noted[i] != deals[i].rng:
            noted[i], counts[i] = deals[i].rng, 0
        log[i, counts[i]] = actions[j]
        counts[i] += 1
        full += counts[i] == log.shape[1]
    return full


@jit
def replay(v: Any, c: Episodes, opening: int, counts: NDArray[np.int64], actions: NDArray[np.int32]) -> int:
    """Play the game in progress at every table; return the first table whose game cannot have been so, or −1.

    Args:
        v: the variant.
        c: tables with generators, occupants and seats as they are after `reseat`; the rest is written.
        opening: random plies that begin every game.
        counts: [N] actions from outside at each table, replaced by how many of them are the learner's.
        actions: those of all tables, one table's after the other's.
    """
    first = 0
    for i in range(len(c.states)):
        last = first + counts[i]
        counts[i] = replay_row(v, c, opening, i, actions[first:last])
        if counts[i] < 0:
            return i
        first = last
    return -1


@jit
def replay_row(v: Any, c: Episodes, opening: int, i: int, actions: NDArray[np.int32]) -> int:
    """Play the game at table `i`; return how often the learner acts in it, or −1 if it does not come to its turn."""
    s, g, view, mask, own = c.states[i], c.rngs[i], c.views[i], c.masks[i], 0
    start(v, s, np.int64(mixed(c.deals[i].rng) >> np.uint64(1)), -1)
    at_random(v, s, opening, mask, g)
    scripted(v, s, c.occupants[i], ANY, g, view, mask)
    for action in actions:
        if s.turn == OVER or not allowed(mask, action):
            return -1
        own += s.turn == c.seat[i]
        play(v, s, action)
        scripted(v, s, c.occupants[i], ANY, g, view, mask)
    if s.turn != c.seat[i]:
        return -1
    c.acted[i], c.waiting[i], c.rewards[i], c.ends[i] = own > 0, LEARNER, 0.0, RUNNING
    return own
