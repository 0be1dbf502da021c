"""Games in progress of deep Monte-Carlo, and decisions that wait for a whole minibatch, in a form that may be kept.

A game is its deal and its actions; the rules play it again, each action checked, so that it may come from anybody.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import play
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.environments.logged_tables import require_array
from kozyr.envs.loops.single_table import allowed, show
from kozyr.training.learners.monte_carlo.self_play import Slots, Tables, begin, larger, put

Games = dict[str, NDArray[Any]]
_MOST = 1e15  # of a payoff


def content(at: Tables, own: Slots) -> Games:
    """Return the games in progress and the decisions that are ready, as `take_up` takes them.

    Returns:
        generators: uint64 [2, N] the deals', where the game began and where it is; counts: int64 [N] actions of each
        game; actions: int64 [all of them]; views, choices, results: of the decisions that are ready.
    """
    actions, ready = np.zeros(int(at.length.sum()), np.int64), own.ready[: own.counts[1]]
    write_actions(at, own, actions)
    generators = np.array([at.deals["seed"], at.deals["rng"]])
    decisions = {"views": own.views[ready], "choices": own.actions[ready], "results": own.results[ready]}
    return {"generators": generators, "counts": at.length.copy(), "actions": actions, **decisions}


@jit
def write_actions(at: Tables, own: Slots, actions: NDArray[np.int64]) -> None:
    """Write the actions of all games in progress, one table's after the other's."""
    last = 0
    for i in range(len(at.last)):
        last += at.length[i]
        slot = at.last[i]
        for j in range(at.length[i]):
            actions[last - 1 - j] = own.actions[slot]
            slot = own.before[slot]


def take_up(game: Game, variant: Any, opening: int, at: Tables, own: Slots, games: Games) -> Slots:
    """Go on with games that were in progress; return slots that hold their decisions, and those that are ready.

    Args:
        game: the game; variant: its options.
        opening: random plies that begin every game.
        at: as many tables; own: slots, all of them free.
        games: as `content` returns it.

    Raises:
        ValueError: if they are no such games.
    """
    _require_fit(game, variant, at, games)
    while own.counts[0] < len(games["actions"]) + len(games["choices"]) + len(at.states):
        own = larger(own)
    at.deals["rng"], after = games["generators"]
    table = replay(variant, at, own, opening, games["counts"], games["actions"])
    wrong = np.flatnonzero(at.deals["rng"] != after)
    if table >= 0 or len(wrong):
        raise ValueError(f"the game at table {table if table >= 0 else wrong[0]} cannot have been played so")
    ready = len(games["choices"])
    slots = own.free[own.counts[0] - ready : own.counts[0]]
    own.views[slots], own.actions[slots], own.results[slots] = games["views"], games["choices"], games["results"]
    own.ready[:ready] = slots
    own.counts[:] += (-ready, ready)
    return own


@jit
def replay(v: Any, at: Tables, into: Slots, opening: int, counts: NDArray[Any], actions: NDArray[np.int64]) -> int:
    """Play the game in progress at every table; return the first table whose game cannot have been so, or −1."""
    first = 0
    for i in range(len(counts)):
        begin(v, at, i, opening)
        for action in actions[first : first + counts[i]]:
            if at.states[i].turn == OVER or not allowed(at.masks[i], action):
                return i
            put(at, into, i, action)
            play(v, at.states[i], action)
            if at.states[i].turn != OVER:
                show(v, at.states[i], at.views[i], at.masks[i])
        if at.states[i].turn == OVER:
            return i
        first += counts[i]
    return -1


def _require_fit(game: Game, variant: Any, at: Tables, games: Games) -> None:
    """Raise ValueError unless there is a game a table, and all decisions are such as the game has."""
    n, actions, ready = len(at.states), np.size(games["actions"]), np.size(games["choices"])
    require_array("generators", games["generators"], (2, n), np.uint64)
    require_array("counts", games["counts"], (n,), np.int64)
    require_array("actions", games["actions"], (actions,), np.int64)
    require_array("choices", games["choices"], (ready,), np.int64)
    require_array("views", games["views"], (ready, game.size(variant)), game.view_dtype)
    require_array("results", games["results"], (ready,), np.float32)
    if (games["counts"] < 0).any() or sum(games["counts"].tolist()) != actions:
        raise ValueError("the games in progress have more or fewer actions than they say")
    if (games["choices"] < 0).any() or (games["choices"] >= game.actions(variant)).any():
        raise ValueError("the decisions that are ready have actions that there are not")
    if (games["views"] < 0).any() or (games["views"] > game.high(variant)).any():
        raise ValueError("the decisions that are ready have views that cannot be")
    if not (np.abs(games["results"]) <= _MOST).all():
        raise ValueError("the decisions that are ready have results that cannot be")
