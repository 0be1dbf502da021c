"""The average of several players: one of them is drawn for a whole game, and nobody is told which.

Whoever meets it sees one player, whose chances in an information set are the mean of theirs, each weighed by how likely
its own actions before would have led there (H. W. Kuhn, "Extensive games and the problem of information", 1953).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.state import OVER
from kozyr.envs.environments.game_tree import Level, Tree


def mixed(tree: Tree, players: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the chances [sets, actions] of a player that draws one of several, all equally likely, for each game.

    Args:
        tree: of the game, in which nobody forgets what it has seen and done.
        players: the chances [sets, actions] of each.
    """
    chances = np.stack(players)
    weights = _own_reach(tree, chances)
    seen = weights.sum(1) > 0
    weights[~seen] = 1.0  # no player of the mixture ever gets there: whatever stands there changes nothing
    weights /= weights.sum(1, keepdims=True)
    return np.einsum("sk,ksa->sa", weights, chances)


def _own_reach(tree: Tree, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how likely each player's own actions before an information set are: [sets, players]."""
    found = np.zeros((len(tree.masks), len(chances)))
    reach = np.ones((len(tree.levels[0].turn), tree.rules.seats, len(chances)))
    for level in tree.levels:
        on = np.flatnonzero(level.turn != OVER)
        found[level.known[on]] = reach[on, level.turn[on]]
        reach = _after(tree, level, chances, reach)
    return found


def _after(tree: Tree, level: Level, chances: NDArray[np.float64], reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the likelihoods [positions, seats, players] at the next level."""
    on = np.flatnonzero(level.turn != OVER)
    which, actions = np.nonzero(tree.masks[level.known[on]])
    rows = on[which]
    after = reach[rows]
    after[np.arange(len(rows)), level.turn[rows]] *= chances[:, level.known[rows], actions].T
    return np.repeat(after, level.follow, axis=0)
