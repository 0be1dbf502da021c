"""A player by information set Monte Carlo tree search, for every game."""

from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.determinization import MOST_PLIES, scratch
from kozyr.agents.search.searcher import Partners, Searcher, Weighed
from kozyr.agents.search.tree import NONE, Tree, grow, tree
from kozyr.envs.core.game import Game
from kozyr.envs.environments import check

SIMULATIONS = 1000
_MOST_NODES = 200_000  # of a search by time
_ROOM = 10_000_000  # nodes of any search: 440 MB
_PORTION, _FIRST = 50, 4  # simulations between two looks at the clock at most, and before the first one


class Ismcts(Searcher):
    """Play the action that a tree search over imagined worlds has visited most.

    Args:
        game: the game; variant: its options.
        level: the scripted player that plays from the tree's end.
        budget: simulations a decision; seconds: time a decision instead.
        c: weight of exploration; payoffs run from −1 to 1.
        depth: plies that are played after the tree's end; 0: to the end of the game.
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
        self._c, self._depth = c, check.count("depth", depth, 0, MOST_PLIES)
        self._board = scratch(game, variant)
        super().__init__(game, variant, level, budget, seconds, name, **partners)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the most visited action at the root."""
        grown = self.planted(view, _MOST_NODES if self.seconds > 0 else min(self.budget + 1, _ROOM))
        for first, last in self.portions(_PORTION, self.pace(_FIRST)):
            grow(self.variant, view, first, last, seed, self.playing, self._depth, self._c, grown, self._board)
        tried = [node for node in _children(grown, 0) if mask[grown.action[node]]]
        if not tried:
            return int(mask.argmax())
        best = tried[int(grown.visits[tried].argmax())]
        self.weighed = _weighed(grown, tried)
        self.chosen(view, seed, grown, best)
        return int(grown.action[best])

    def planted(self, view: NDArray[Any], room: int) -> Tree:
        """Return the tree to begin with, with room for so many nodes more."""
        return tree(room)

    def chosen(self, view: NDArray[Any], seed: int, grown: Tree, node: int) -> None:
        """Be told which of the root's children was chosen."""


def _children(grown: Tree, node: int) -> list[int]:
    """Return the children of a node, newest first."""
    found, child = list[int](), int(grown.child[node])
    while child != NONE:
        found.append(child)
        child = int(grown.sibling[child])
    return found


def _weighed(grown: Tree, nodes: list[int]) -> Weighed:
    """Return what the visits of some nodes have won."""
    n, sums, squares = grown.visits[nodes], grown.value[nodes], grown.squares[nodes]
    spread = np.maximum(squares - sums * sums / np.maximum(n, 1), 0.0) / np.maximum(n - 1, 1)
    errors = np.where(n < 2, np.nan, np.sqrt(spread / np.maximum(n, 1)))
    return Weighed(grown.action[nodes].astype(np.int64), sums / np.maximum(n, 1), errors)
