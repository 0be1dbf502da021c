"""Positions from random games, from the first decision to the last: what a search may be asked."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.tables import deal_one, random_actions, step_one

_GAMES = 3
_EACH = 16  # positions of a game


def positions(game: Game, variant: Any, seed: int = 0) -> Iterator[tuple[NDArray[Any], NDArray[np.int8]]]:
    """Give views [view] and masks [actions] of a few random games in which there is a choice.

    They are spread evenly over each game, from its last decision and its first one inwards.
    """
    rngs = generators(seed, 1)
    for deal in range(_GAMES):
        seen = _choices(game, variant, seed + deal, rngs)
        left = np.unique(np.linspace(0, len(seen) - 1, min(_EACH, len(seen)), dtype=np.int64)).tolist()
        while left:
            yield seen[left.pop()]
            left.reverse()


def _choices(game: Game, variant: Any, seed: int, rngs: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[np.int8]]]:
    """Return all views and masks of a random game in which more than one action is legal."""
    state, view = np.zeros(1, game.layout(variant)), np.zeros(game.size(variant), game.view_dtype)
    mask, action = np.zeros(game.actions(variant), np.int8), np.zeros(1, np.int64)
    found: list[tuple[NDArray[Any], NDArray[np.int8]]] = []
    deal_one(variant, state, seed, -1, view, mask)
    while state["turn"][0] != OVER:
        if mask.sum() > 1:
            found.append((view.copy(), mask.copy()))
        random_actions(mask[None], rngs, action)
        step_one(variant, state, int(action[0]), view, mask)
    return found
