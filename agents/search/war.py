"""War's player that looks ahead: every order is played out in imagined worlds, with `high_first` from then on."""

from typing import Any

from kozyr.agents.search.pimc import Pimc
from kozyr.envs.core.game import Game

LADDER = ("lookahead",)


class Lookahead(Pimc):
    """Choose the order of the pool that wins most often when the unseen first cards are sampled."""

    def __init__(self, game: Game, variant: Any, level: int, budget: int = 100, **settings: Any) -> None:
        super().__init__(game, variant, level, budget, z=0.0, **settings)


PLAYERS = {"lookahead": Lookahead}
