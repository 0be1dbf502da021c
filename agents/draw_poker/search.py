"""A poker player that compares actions in worlds where the others hold what fits their bets and exchanges."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.beliefs import believe
from kozyr.agents.search import determinization
from kozyr.agents.search.pimc import Pimc
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.actions import FOLD
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts

Z = 0.0  # where worlds fit the betting, waiting for clear differences costs more than it saves: a fifth of the gain
OTHERWISE = 3  # in one of so many worlds the others play as the next weaker scripted player does


class Believer(Pimc):
    """Play the action that wins most chips in worlds that fit the betting; a world ends with the hand."""

    def __init__(self, game: Any, variant: Any, level: int, z: float = Z, **options: Any) -> None:
        super().__init__(game, variant, level, z=z, **options)

    def candidates(self, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return all actions but to fold where nothing is to be paid."""
        wanted = mask.copy()
        if view[Parts(self.variant).to_match] == 0:
            wanted[FOLD] = 0
        return wanted


@implements(determinization.sample_world, Variant)
def sample_world(
    v: Variant, view: NDArray[Any], seed: int, world: int, level: int, board: determinization.Scratch
) -> int:
    """Imagine hands that fit what the others have done, as players of the level that is returned do it."""
    rival = level - 1 if level > 1 and world % OTHERWISE == 0 else level
    believe(v, view, seed, rival, board)
    return rival


@implements(determinization.is_cutoff, Variant)
def is_cutoff(v: Variant, s: Any, root: Any) -> bool:
    """Return True if the hand is over."""
    return s.turn == OVER or s.hands != root.hands


@implements(determinization.evaluate, Variant)
def evaluate(v: Variant, s: Any, root: Any, seat: int) -> float:
    """Return the chips that a seat has won in the hand, as a share of all chips that it can."""
    return s.change[seat] / ((v.players - 1.0) * v.stack)
