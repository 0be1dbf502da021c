"""Counted figures with their 95 % intervals, beside what the rules page or a table says, and those of every game.

With one scripted player in all seats a game has the return of the first seat, draws, and length.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents import roster
from kozyr.agents.statistics.intervals import METHOD, QUANTILE, UNBOUNDED, mean_interval, wilson
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators, spread
from kozyr.envs.loops import episodes

_AT_ONCE = 4096  # games in one compiled call


@dataclass(frozen=True)
class Fact:
    """Tell one figure.

    Attributes:
        name: what was counted, in words.
        value: the figure; low and high: its 95 % interval.
        unit: "%" or what is counted.
        expected: what the rules page or an exact count says, or None.
        interval_method: the name of the interval's method.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str
    expected: float | None = None
    interval_method: str = METHOD


def share(name: str, hits: int, n: int, expected: float | None = None) -> Fact:
    """Return a share in percent with Wilson's interval.

    Raises:
        ValueError: if nothing was counted.
    """
    if n == 0:
        raise ValueError(f"{name}: none were seen in so few deals; take more")
    p = hits / n
    low, high = wilson(p, n)
    return Fact(name, 100 * p, 100 * low, 100 * high, "%", expected, "Wilson's interval")


def mean(name: str, values: NDArray[Any], unit: str, expected: float | None = None) -> Fact:
    """Return a mean with its interval."""
    return Fact(name, *mean_interval(values, UNBOUNDED), unit, expected)


def median(name: str, values: NDArray[Any], unit: str, expected: float | None = None) -> Fact:
    """Return a median with the interval between the order statistics that the binomial law gives."""
    ordered, n = np.sort(values), len(values)
    reach = QUANTILE * n**0.5 / 2
    low, high = max(0, int(n / 2 - reach)), min(n - 1, int(np.ceil(n / 2 + reach)))
    ends = float(ordered[low]), float(ordered[high])
    return Fact(name, float(np.median(values)), *ends, unit, expected, "order statistics")


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
