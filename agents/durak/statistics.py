"""Durak's page: `passive` against itself, and against `low`."""

import numpy as np

from kozyr import envs
from kozyr.agents.durak import LADDER
from kozyr.agents.durak.bots import PASSIVE
from kozyr.agents.statistics.fact import Fact, mean, played, share


def facts(deals: int, seed: int) -> list[Fact]:
    """Return the page's figures, 52 cards and two seats."""
    game = envs.game("durak")
    v = game.make_variant()
    states = played(game, v, [PASSIVE], deals, seed)
    first = states["payoff"][np.arange(deals), states["starter"]]
    figures = [
        share("passive v passive: the first attacker wins", int((first > 0).sum()), deals, 50.4),
        share("passive v passive: the other wins", int((first < 0).sum()), deals, 49.6),
        share("passive v passive: drawn", int((first == 0).sum()), deals, 0.0),
        mean("passive v passive: length", states["rounds"], "rounds", 54),
    ]
    low = played(game, v, [LADDER.index("low"), PASSIVE], deals, seed)["payoff"][:, 0]
    return [
        *figures,
        share("low v passive: low wins", int((low > 0).sum()), deals, 79.8),
        share("low v passive: passive wins", int((low < 0).sum()), deals, 7.5),
        share("low v passive: drawn", int((low == 0).sum()), deals, 12.7),
    ]
