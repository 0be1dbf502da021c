"""Information set Monte Carlo tree search: players for every game, one of which reuses its tree between moves.

Single-observer search: Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search", IEEE TCIAIG 4(2),
2012. Every simulation samples a world; a node's children are the actions tried so far, and only those legal in the
world at hand compete, by how often they were available. The tree grows in compiled loops that know no rules.
"""

from collections import OrderedDict
from math import log, sqrt
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.interruptible import Pace
from kozyr.agents.search.determinization import (
    MOST_PLIES,
    Scratch,
    evaluate,
    is_cutoff,
    play_out,
    sample_world,
    scratch,
)
from kozyr.agents.search.searcher import ActionValues, Partners, Searcher
from kozyr.envs.compile import jit
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.dispatch import imagine, legal, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import below, mixed, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks

NONE = -1  # no such node
_HAS_NODE = 2  # mark in the mask: a legal action that has its node
SIMULATIONS = 1000
TREE_REUSE = "ismcts-kept"
_MOST_NODES = 200_000  # of a search by time
_ROOM = 10_000_000  # nodes of any search: 440 MB
_PORTION, _FIRST = 50, 4  # simulations between two looks at the clock at most, and before the first one
_MOST_VIEWS = 50_000  # that are remembered; the oldest go first
_DEEPEST = 64  # actions of the others between two decisions
_NODES = 100_000  # copied by the first compiled call


class Tree(NamedTuple):
    """Nodes as columns; node 0 is the position to decide, and node `used[0]` the next free one."""

    action: NDArray[np.int32]  # [nodes] that leads here
    parent: NDArray[np.int32]
    child: NDArray[np.int32]  # the newest child, or NONE
    sibling: NDArray[np.int32]  # the next older child of the same parent, or NONE
    seat: NDArray[np.int32]  # the seat that played the action
    visits: NDArray[np.int32]
    chances: NDArray[np.int32]  # visits of the parent in which the action was legal
    value: NDArray[np.float64]  # sum of that seat's results
    squares: NDArray[np.float64]  # the same, each squared
    used: NDArray[np.int32]  # [1]


def tree(nodes: int) -> Tree:
    """Return an empty tree with room for so many nodes."""
    linked = np.zeros((5, nodes), np.int32)  # zeros take no memory until nodes are written
    linked[:, 0] = NONE
    action, parent, child, sibling, seat = linked
    visits, chances = np.zeros((2, nodes), np.int32)
    value, squares = np.zeros((2, nodes))
    return Tree(action, parent, child, sibling, seat, visits, chances, value, squares, np.ones(1, np.int32))


@jit
def grow(
    v: Any, view: NDArray[Any], first: int, last: int, seed: int, level: int, depth: int, c: float, t: Tree, b: Scratch
) -> None:
    """Run the simulations `first` to `last` − 1, each of which adds a node while there is room."""
    root, s = b.states[0], b.states[1]
    for i in range(first, last):
        rngs = spread(seed, i)
        rival = sample_world(v, view, rngs, i, level, b)
        b.states[1] = b.states[0]
        b.rngs[0].rng = mixed(np.uint64(rngs))
        node = descend(v, s, root, c, t, b)
        play_out(v, s, root, level, rival, depth, b)
        while node != NONE:
            t.visits[node] += 1
            if t.seat[node] >= 0:
                won = evaluate(v, s, root, t.seat[node])
                t.value[node] += won
                t.squares[node] += won * won
            node = t.parent[node]


@jit
def descend(v: Any, s: Any, root: Any, c: float, t: Tree, b: Scratch) -> int:
    """Walk down by the highest confidence bounds, add a node for an action not tried yet, and return the last node."""
    node = 0
    while s.turn != OVER and not (node and is_cutoff(v, s, root)):
        legal(v, s, b.mask)
        best = best_child(node, c, t, b.mask)
        fresh = 0
        for a in range(len(b.mask)):
            fresh += b.mask[a] == 1
        if fresh and t.used[0] < len(t.action):
            node = sprout(node, s.turn, nth(b.mask, below(b.rngs[0], fresh)), t)
            play(v, s, t.action[node])
            return node
        if best == NONE:
            return node
        node = best
        play(v, s, t.action[node])
    return node


@jit
def best_child(node: int, c: float, t: Tree, mask: NDArray[np.int8]) -> int:
    """Return the legal child of the highest upper confidence bound, or NONE; mark actions with a node in the mask."""
    most: Any = -np.inf
    best: Any = NONE
    child: Any = t.child[node]
    while child != NONE:
        if mask[t.action[child]]:
            mask[t.action[child]] = _HAS_NODE
            t.chances[child] += 1
            n = t.visits[child]
            bound = t.value[child] / n + c * sqrt(log(t.chances[child]) / n)
            if bound > most:
                best, most = child, bound
        child = t.sibling[child]
    return best


@jit
def nth(mask: NDArray[np.int8], n: int) -> int:
    """Return the n-th action that is legal and has no node yet, from 0."""
    for a in range(len(mask)):
        if mask[a] == 1:
            if n == 0:
                return a
            n -= 1
    return NONE


@jit
def sprout(node: int, seat: int, a: int, t: Tree) -> int:
    """Add a child to a node and return it."""
    new = t.used[0]
    t.used[0] += 1
    t.action[new], t.parent[new], t.seat[new] = a, node, seat
    t.sibling[new], t.child[node] = t.child[node], new
    t.child[new] = NONE
    t.visits[new], t.chances[new], t.value[new], t.squares[new] = 0, 1, 0.0, 0.0
    return new


@jit
def graft(t: Tree, node: int, old: NDArray[np.int32], new: Tree, first: int, steps: int) -> int:
    """Copy the subtree of a node into an empty tree, whose root it becomes; `old` [nodes] is written to.

    It goes on with the children of the new node `first`, for so many nodes, and returns the next one, or NONE at the
    end.
    """
    child: Any = NONE
    if first == 0:
        old[0], new.visits[0] = node, t.visits[node]
    i: Any = first
    while i < min(first + steps, new.used[0]):
        child = t.child[old[i]]
        while child != NONE:
            n = sprout(i, int(t.seat[child]), int(t.action[child]), new)
            old[n] = child
            new.visits[n], new.chances[n] = t.visits[child], t.chances[child]
            new.value[n], new.squares[n] = t.value[child], t.squares[child]
            child = t.sibling[child]
        i += 1
    return i if i < new.used[0] else NONE


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
