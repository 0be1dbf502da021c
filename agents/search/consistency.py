"""Whether a question can come about at all, which a search asks before it imagines the worlds behind it.

What a view tells may contradict itself, or the mask. Rules trust their state, so compiled code that plays on from a
world imagined from such a view may never end, or leave its arrays.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import generic, imagine, legal, observe, sound
from kozyr.envs.core.game import Game

UNWRITTEN = -1  # no entry of a view


class Desk(NamedTuple):
    """What the check writes on."""

    states: NDArray[Any]  # [1]
    seen: NDArray[Any]  # [view]
    mask: NDArray[np.int8]  # [actions]


def as_in_play(v: Any, s: Any) -> bool:
    """Tell whether the state is as play leaves it."""
    return sound(v, s)


playable = generic(
    "playable",
    "playable(v, s): tell whether a search may play on from a state; only from a sound one, unless a game says more.",
    as_in_play,
)


def desk(game: Game, v: Any) -> Desk:
    """Return what the check of a game writes on."""
    return Desk(
        np.zeros(1, game.layout(v)), np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8)
    )


@jit
def consistent(v: Any, view: NDArray[Any], mask: NDArray[np.int8], d: Desk) -> bool:
    """Tell whether a world can be imagined whose seat to move sees the view and may do all of the mask."""
    s = d.states[0]
    imagine(v, view, 0, s)
    if s.turn != 0 or not playable(v, s):
        return False
    d.seen[:] = UNWRITTEN
    observe(v, s, 0, d.seen)
    fits = True
    for e in range(len(view)):
        fits &= d.seen[e] == view[e]
    legal(v, s, d.mask)
    for a in range(len(mask)):
        fits &= mask[a] <= d.mask[a]
    return fits
