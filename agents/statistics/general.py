"""Figures of every game, with one scripted player in all seats: return of the first seat, draws, length."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents import roster
from kozyr.agents.statistics.fact import Fact, mean, share
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.loops import episodes

_AT_ONCE = 4096  # games in one compiled call


def facts(game: Game, deals: int, seed: int) -> list[Fact]:
    """Return the figures of the scripted players that are alike in all seats, under the default options."""
    figures: list[Fact] = []
    for level, name in enumerate(roster.of(game.name).ladder):
        states = played(game, game.make_variant(), [level], deals, seed)
        first = states["payoff"][np.arange(deals), states["starter"]]
        even = ~states["payoff"].any(1)
        figures += [
            mean(f"{name}: return of the seat that begins", first, "return"),
            share(f"{name}: draws", int((even & (states["truncated"] == 0)).sum()), deals),
            share(f"{name}: cut off by a cap", int(states["truncated"].sum()), deals),
            mean(f"{name}: length of a game", states["ply"], "actions"),
        ]
    return figures


def played(game: Game, v: Any, levels: list[int], deals: int, seed: int) -> NDArray[Any]:
    """Return the final states of games between scripted players; the last level fills the seats that are left."""
    registry.seat_bots(game)
    seats = game.seats(v)
    states: NDArray[Any] = np.zeros(deals, game.layout(v))
    occupants = np.array([levels[min(k, len(levels) - 1)] for k in range(seats)], np.int32)
    for first in range(0, deals, _AT_ONCE):
        part = states[first : first + _AT_ONCE]
        n = len(part)
        seeds = np.array([spread(seed, first + i) for i in range(n)], np.int64)
        views, masks = np.zeros((n, game.size(v)), game.view_dtype), np.zeros((n, game.actions(v)), np.int8)
        rngs = generators(spread(seed, first), n)
        episodes.arrange(
            v, part, seeds, np.full(n, -1), 0, np.tile(occupants, (n, 1)), rngs, views, masks, np.zeros(n, np.int64)
        )
    return states
