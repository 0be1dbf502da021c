"""Durak's page: the document's bot against itself, and against `low`."""

import numpy as np

from kozyr import envs
from kozyr.agents.durak.bots import DOCUMENT, LADDER
from kozyr.agents.statistics.fact import Fact, mean, share
from kozyr.agents.statistics.general import played


def facts(deals: int, seed: int) -> list[Fact]:
    """Return the page's figures, 52 cards and two seats."""
    game = envs.game("durak")
    v = game.agree()
    states = played(game, v, [DOCUMENT], deals, seed)
    first = states["payoff"][np.arange(deals), states["starter"]]
    found = [
        share("document v document: the first attacker wins", int((first > 0).sum()), deals, 49.9),
        share("document v document: the other wins", int((first < 0).sum()), deals, 50.1),
        share("document v document: drawn", int((first == 0).sum()), deals, 0.0),
        mean("document v document: length", states["rounds"], "rounds", 54),
    ]
    low = played(game, v, [LADDER.index("low"), DOCUMENT], deals, seed)["payoff"][:, 0]
    return [
        *found,
        share("low v document: low wins", int((low > 0).sum()), deals, 79.8),
        share("low v document: document wins", int((low < 0).sum()), deals, 7.5),
        share("low v document: drawn", int((low == 0).sum()), deals, 12.7),
    ]
