"""A player by information set Monte Carlo tree search, for every game."""

from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.searcher import Partners, Searcher
from kozyr.agents.search.tree import NONE, Tree, grow, tree
from kozyr.agents.search.worlds import scratch
from kozyr.envs.core.game import Game

SIMULATIONS = 1000
_MOST_NODES = 200_000  # of a search by time
_PORTION = 50  # simulations between two looks at the clock


class Ismcts(Searcher):
    """Play the action that a tree search over imagined worlds has visited most.

    Args:
        game: the game; variant: its options.
        level: the scripted player that plays on where the tree ends.
        budget: simulations a decision; seconds: time a decision instead.
        c: weight of exploration; payoffs run from −1 to 1.
        depth: plies that are played on after the tree's end; 0: to the end of the game.
        name: what reports call it; twins: as for `Searcher`.
    """

    guided: ClassVar[bool] = False

    def __init__(
        self,
        game: Game,
        variant: Any,
        level: int,
        budget: int = SIMULATIONS,
        seconds: float = 0.0,
        c: float = 0.7,
        depth: int = 0,
        name: str = "ismcts",
        **partners: Unpack[Partners],
    ) -> None:
        self._c, self._depth = c, depth
        self._board = scratch(game, variant)
        super().__init__(game, variant, level, budget, seconds, name, **partners)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the most visited action at the root."""
        grown = self.planted(view, _MOST_NODES if self.seconds > 0 else self.budget + 1)
        for first, last in self.portions(_PORTION):
            grow(self.variant, view, first, last, seed, self.playing, self._depth, self._c, grown, self._board)
        best, most, child = NONE, -1, int(grown.child[0])
        while child != NONE:
            if grown.visits[child] > most:
                best, most = child, int(grown.visits[child])
            child = int(grown.sibling[child])
        if best == NONE:
            return int(mask.argmax())
        self.chosen(view, seed, grown, best)
        return int(grown.action[best])

    def planted(self, view: NDArray[Any], room: int) -> Tree:
        """Return the tree to begin with, with room for so many nodes more."""
        return tree(room)

    def chosen(self, view: NDArray[Any], seed: int, grown: Tree, node: int) -> None:
        """Be told which of the root's children was chosen."""
