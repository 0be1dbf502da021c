"""Information set Monte Carlo tree search: players for every game, one of which reuses its tree between moves."""

from collections import OrderedDict
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.interruptible import Pace
from kozyr.agents.search.determinization import MOST_PLIES, Scratch, scratch
from kozyr.agents.search.searcher import ActionValues, Partners, Searcher
from kozyr.agents.search.tree import NONE, Tree, graft, grow, tree
from kozyr.envs.compile import jit
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.dispatch import imagine, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks

SIMULATIONS = 1000
TREE_REUSE = "ismcts-kept"
_MOST_NODES = 200_000  # of a search by time
_ROOM = 10_000_000  # nodes of any search: 440 MB
_PORTION, _FIRST = 50, 4  # simulations between two looks at the clock at most, and before the first one
_MOST_VIEWS = 50_000  # that are remembered; the oldest go first
_DEEPEST = 64  # actions of the others between two decisions
_NODES = 100_000  # copied by the first compiled call


class Ismcts(Searcher):
    """Play the action that a tree search over imagined worlds has visited most.

    Args:
        game: the game; variant: its options.
        level: the scripted player that plays from the tree's end.
        budget: simulations a decision; seconds: time a decision instead.
        c: weight of exploration; payoffs run from −1 to 1.
        depth: plies that are played after the tree's end; 0: to the end of the game.
        name: the player's name in reports; twins: as for `Searcher`.
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
        self._c, self._depth = c, argument_checks.count("depth", depth, 0, MOST_PLIES)
        self._board = scratch(game, variant)
        super().__init__(game, variant, level, budget, seconds, name, **partners)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the most visited action at the root."""
        nodes = self.first_tree(view, _MOST_NODES if self.seconds > 0 else min(self.budget + 1, _ROOM))
        for first, last in self.portions(_PORTION, self.pace(_FIRST)):
            grow(self.variant, view, first, last, seed, self.playing, self._depth, self._c, nodes, self._board)
        tried = [node for node in _children(nodes, 0) if mask[nodes.action[node]]]
        if not tried:
            return int(mask.argmax())
        best = tried[int(nodes.visits[tried].argmax())]
        self.action_values = _action_values(nodes, tried)
        self.after_search(view, seed, nodes, best)
        return int(nodes.action[best])

    def first_tree(self, view: NDArray[Any], room: int) -> Tree:
        """Return the tree that a search begins with, with room for `room` more nodes."""
        return tree(room)

    def after_search(self, view: NDArray[Any], seed: int, nodes: Tree, best: int) -> None:
        """Do what a subclass needs after a search has settled on the root's child `best`."""


def _children(nodes: Tree, node: int) -> list[int]:
    """Return the children of a node, newest first."""
    children, child = list[int](), int(nodes.child[node])
    while child != NONE:
        children.append(child)
        child = int(nodes.sibling[child])
    return children


def _action_values(nodes: Tree, children: list[int]) -> ActionValues:
    """Return the mean results of some nodes' actions, with their standard errors."""
    n, sums, squares = nodes.visits[children], nodes.value[children], nodes.squares[children]
    spread = np.maximum(squares - sums * sums / np.maximum(n, 1), 0.0) / np.maximum(n - 1, 1)
    errors = np.where(n < 2, np.nan, np.sqrt(spread / np.maximum(n, 1)))
    return ActionValues(nodes.action[children].astype(np.int64), sums / np.maximum(n, 1), errors)


class TreeReuseIsmcts(Ismcts):
    """Search as `Ismcts` does, from the tree of the last decision of the same game if there is one.

    The statistics below a reply of the others are used again once that reply was chosen. The answer to a view then
    depends on earlier searches of the same game, which is why no other player does so. Many games may be played at
    once: a tree is looked up by the view that it leads to. Arguments as for `Ismcts`; the budget is that of each
    decision, on top of the reused tree.

    Raises:
        ValueError: for a game in which something is hidden.
    """

    shares: ClassVar[bool] = False

    def __init__(self, game: Game, variant: Any, level: int, name: str = TREE_REUSE, **options: Any) -> None:
        if not perfect_information(variant):
            raise ValueError(f"{game.name}:{name} keeps its tree, which only fits games in which nothing is hidden")
        self._trees = OrderedDict[bytes, tuple[Tree, int]]()
        super().__init__(game, variant, level, name=name, **options)

    def reset(self, seat: int, seed: int) -> None:
        """Seed the player anew and forget all trees."""
        super().reset(seat, seed)
        self._trees.clear()

    def first_tree(self, view: NDArray[Any], room: int) -> Tree:
        """Return the part of an earlier tree that begins at the view, with room for more nodes, or an empty tree."""
        earlier = self._trees.pop(view.tobytes(), None)
        return super().first_tree(view, room) if earlier is None else _subtree(*earlier, room)

    def after_search(self, view: NDArray[Any], seed: int, nodes: Tree, best: int) -> None:
        """Remember the subtree of the best action under every view that may come next."""
        rest, first = _subtree(nodes, best, 0), int(nodes.action[best])
        open_nodes = [(0, [first])]
        while open_nodes:
            node, path = open_nodes.pop()
            turn = play_path(self.variant, view, seed, np.array(path), self._board)
            if turn == 0:
                self._trees[self._board.observed.tobytes()] = rest, node
            elif turn != OVER and len(path) < _DEEPEST:
                child = int(rest.child[node])
                while child != NONE:
                    open_nodes.append((child, [*path, int(rest.action[child])]))
                    child = int(rest.sibling[child])
        while len(self._trees) > _MOST_VIEWS:
            self._trees.popitem(last=False)


def _subtree(nodes: Tree, node: int, room: int) -> Tree:
    """Return the tree that begins at a node, with room for more nodes."""
    size = min(int(nodes.used[0]), int(nodes.visits[node]) + 1)  # a visit adds one node at most
    subtree, old, at = tree(size + room), np.zeros(size, np.int32), 0
    for steps in Pace(_NODES).calls():
        at = graft(nodes, node, old, subtree, at, steps)
        if at == NONE:
            break
    return subtree


@jit
def play_path(v: Any, view: NDArray[Any], seed: int, path: NDArray[np.int64], b: Scratch) -> int:
    """Play some actions from a view and return the seat to move; if it is the view's own, write its next view."""
    imagine(v, view, seed, b.states[0])
    s = b.states[0]
    for a in path:
        play(v, s, a)
    if s.turn == 0:
        observe(v, s, 0, b.observed)
    return s.turn
