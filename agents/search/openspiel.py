"""OpenSpiel's tree search as a player: its bot searches sampled worlds as if nothing were hidden."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.searcher import Searcher
from kozyr.envs.bridges import openspiel
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.quote import quote
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.game_tree import DEALT
from kozyr.envs.loops import tables

WORLDS = 8  # that share the budget where cards are hidden
_UCT = 2.0
_MEGABYTES = 500


class Mcts(Searcher):
    """Play the action with the most visits of `pyspiel.MCTSBot`, over all worlds.

    Where nothing is hidden that is the bot itself. Arguments as for `Searcher`; a budget in time is not understood.

    Raises:
        ImportError: naming the extra to install, without OpenSpiel.
        ValueError: for a budget in time.
    """

    guided: ClassVar[bool] = False
    shares: ClassVar[bool] = False  # the library plays in Python, one thread at a time

    def __init__(
        self,
        game: Any,
        variant: Any,
        level: int,
        budget: int = 400,
        seconds: float = 0.0,
        name: str = "openspiel-mcts",
    ) -> None:
        if seconds > 0:
            raise ValueError(f"{quote(name)}: its budget is a number of simulations, as openspiel-mcts@400")
        self._library: Any = openspiel.library()
        self._spiel = openspiel.load(game.name, chance=DEALT, **game.options(variant))
        super().__init__(game, variant, level, budget, name=name)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the legal action with the most visits."""
        worlds = 1 if perfect_information(self.variant) else min(WORLDS, self.budget)
        visits = np.zeros(len(mask), np.int64)
        for world in range(worlds):
            share = self.budget * (world + 1) // worlds - self.budget * world // worlds
            for child in self._visited(view, spread(seed, world), share):
                visits[child.action] += child.explore_count
        return int(np.where(mask != 0, visits, -1).argmax())

    def _visited(self, view: NDArray[Any], seed: int, budget: int) -> Any:
        """Return the actions that the bot has tried in one world, with their visits."""
        world = np.zeros(1, self.game.layout(self.variant))
        tables.guess(self.variant, view, seed, world)
        rngs, solves = seed % 2**31, self._spiel.num_players() == 2
        bot = self._library.MCTSBot(
            self._spiel,
            self._library.RandomRolloutEvaluator(1, rngs),
            _UCT,
            budget,
            _MEGABYTES,
            solves,
            rngs,
            False,
        )
        return bot.mcts_search(openspiel.state_of(self._spiel, world)).children
