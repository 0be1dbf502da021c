"""Endgame solver: a player that solves endgames exactly and leaves the rest to a scripted one."""

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.searcher import UNSOLVED, Partners, Searcher
from kozyr.envs.core.game import Game


class Solver(Searcher):
    """Play solved endgames exactly, and everything else as the scripted player does.

    Args:
        game: the game; variant: its options.
        level: the scripted player.
        budget: positions that a solution may take, if above 0; seconds: ignored, for such a budget keeps it fast.
        name: the player's name in reports; guide, twins: as for `Searcher`.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        level: int,
        budget: int = 0,
        seconds: float = 0.0,
        name: str = "solver",
        **partners: Unpack[Partners],
    ) -> None:
        super().__init__(game, variant, level, budget, 0.0, name, **partners)
        self.nodes = budget or self.nodes

    def _answer(self, views: NDArray[Any], masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Write the actions for all rows; the twins help with endgames only, the rest is done at once."""
        rows = range(len(views))
        ends = [i for i in rows if self.solvable(views[i])] if self.twins else rows
        self._share(ends, views, masks, actions)
        self._decide(iter(sorted(set(rows).difference(ends))), views, masks, actions)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the action of the solved endgame, or the scripted player's."""
        base = self.default_action(view, mask, seed)
        exact = self.solved(view, mask, base, seed)
        return base if exact == UNSOLVED else exact
