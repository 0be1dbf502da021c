"""Positions of a game: samples from random games, and the check that a view and a mask belong to a position.

A view may contradict itself, or the mask. Rules trust their state, so compiled code that plays on from a world imagined
from such a view may never end, or leave its arrays. A search therefore checks every position first.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import generic, imagine, legal, observe, sound
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.tables import deal_one, random_actions, step_one

UNWRITTEN = -1  # no entry of a view
_GAMES = 3
_PER_GAME = 16  # positions of a game

Position = tuple[NDArray[Any], NDArray[np.int8]]  # a view [view] and its mask [actions]


def positions(game: Game, variant: Any, seed: int = 0) -> Iterator[Position]:
    """Give views [view] and masks [actions] of a few random games in which there is a choice.

    They are spread evenly over each game, alternately from its end and from its beginning.
    """
    rngs = generators(seed, 1)
    for deal in range(_GAMES):
        choices = _choices(game, variant, seed + deal, rngs)
        remaining = np.unique(np.linspace(0, len(choices) - 1, min(_PER_GAME, len(choices)), dtype=np.int64)).tolist()
        while remaining:
            yield choices[remaining.pop()]
            remaining.reverse()


def _choices(game: Game, variant: Any, seed: int, rngs: NDArray[Any]) -> list[Position]:
    """Return all positions of a random game in which more than one action is legal."""
    state, view = np.zeros(1, game.layout(variant)), np.zeros(game.size(variant), game.view_dtype)
    mask, action = np.zeros(game.actions(variant), np.int8), np.zeros(1, np.int64)
    choices: list[Position] = []
    deal_one(variant, state, seed, -1, view, mask)
    while state["turn"][0] != OVER:
        if mask.sum() > 1:
            choices.append((view.copy(), mask.copy()))
        random_actions(mask[None], rngs, action)
        step_one(variant, state, int(action[0]), view, mask)
    return choices


class PositionScratch(NamedTuple):
    """Arrays that `consistent` writes to."""

    states: NDArray[Any]  # [1]
    observed: NDArray[Any]  # [view]
    mask: NDArray[np.int8]  # [actions]


def is_sound(v: Any, s: Any) -> bool:
    """Return True if the game calls the state sound."""
    return sound(v, s)


playable = generic(
    "playable",
    "playable(v, s): tell whether a search may play on from a state; only from a sound one, unless a game says more.",
    is_sound,
)


def position_scratch(game: Game, v: Any) -> PositionScratch:
    """Return the arrays that the check of a game writes to."""
    return PositionScratch(
        np.zeros(1, game.layout(v)), np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8)
    )


@jit
def consistent(v: Any, view: NDArray[Any], mask: NDArray[np.int8], d: PositionScratch) -> bool:
    """Return True if some world has this view for the seat to move and allows every action of the mask."""
    s = d.states[0]
    imagine(v, view, 0, s)
    if s.turn != 0 or not playable(v, s):
        return False
    d.observed[:] = UNWRITTEN
    observe(v, s, 0, d.observed)
    fits = True
    for e in range(len(view)):
        fits &= d.observed[e] == view[e]
    legal(v, s, d.mask)
    for a in range(len(mask)):
        fits &= mask[a] <= d.mask[a]
    return fits
