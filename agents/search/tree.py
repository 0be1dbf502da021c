"""Search tree over information sets, in compiled loops that know no rules.

Single-observer information set Monte Carlo tree search: Cowling, Powley and Whitehouse, "Information set Monte Carlo
tree search", IEEE TCIAIG 4(2), 2012. Every simulation samples a world; a node's children are the actions tried so
far, and only those legal in the world at hand compete, by how often they were available.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.determinization import Scratch, evaluate, is_cutoff, play_out, sample_world
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import legal, play
from kozyr.envs.core.rng import below, mixed, spread
from kozyr.envs.core.state import OVER

NONE = -1  # no such node
_HAS_NODE = 2  # mark in the mask: a legal action that has its node


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
