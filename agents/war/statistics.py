"""War's page: who wins how often, how long it takes, and how it ends."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.statistics.fact import Fact, mean, median, share
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import play, start
from kozyr.envs.core.rng import spread
from kozyr.envs.core.state import OVER
from kozyr.envs.war.actions import FLIP

_EXPECTED = {  # starter wins, other wins, unfinished, mean and median turns, by shortage, wars in 100 turns
    "fixed": (42.4, 38.7, 18.9, 367, 312, 62.6, 3.4),
    "random": (49.7, 49.7, 0.6, 229, 178, 52.9, 6.3),
}


def facts(deals: int, seed: int) -> list[Fact]:
    """Return the page's figures for both orders that leave nothing to choose."""
    return [fact for pickup, page in _EXPECTED.items() for fact in _facts(pickup, page, deals, seed)]


def _facts(pickup: str, page: tuple[float, ...], deals: int, seed: int) -> list[Fact]:
    game = envs.game("war")
    ends: NDArray[np.int32] = np.zeros((deals, 4), np.int32)
    v = game.make_variant(pickup=pickup)
    states: NDArray[Any] = np.zeros(1, game.layout(v))
    play_out(v, states, seed, ends)
    result, turns, wars, shortage = ends.T
    finished = result != 0
    return [
        share(f"{pickup}: the starter wins", int((result > 0).sum()), deals, page[0]),
        share(f"{pickup}: the other wins", int((result < 0).sum()), deals, page[1]),
        share(f"{pickup}: not finished within the cap", int((~finished).sum()), deals, page[2]),
        mean(f"{pickup}: length of a finished game", turns[finished], "turns", page[3]),
        median(f"{pickup}: median length of a finished game", turns[finished], "turns", page[4]),
        share(f"{pickup}: finished games decided by war shortage", int(shortage.sum()), int(finished.sum()), page[5]),
        share(f"{pickup}: wars in 100 turns", int(wars.sum()), int(turns.sum()), page[6]),
    ]


@jit
def play_out(v: Any, states: NDArray[Any], seed: int, ends: NDArray[np.int32]) -> None:
    """Play deals to their ends and write a row for each: the starter's result, turns, wars, 1 for a shortage."""
    s = states[0]
    for i in range(len(ends)):
        start(v, s, spread(seed, i), -1)
        while s.turn != OVER:
            play(v, s, FLIP)
        ends[i, 0] = s.payoff[s.starter]
        ends[i, 1], ends[i, 2] = s.turns, s.wars
        ends[i, 3] = s.top[0] != s.first[0]  # cards are left on the table
