"""Undo rule: a move may be taken back if all worlds that I could imagine before it lead to the view that I have."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER


@jit
def follows(
    v: Any,
    states: NDArray[Any],
    me: int,
    actions: NDArray[np.int64],
    views: NDArray[Any],
    world: NDArray[Any],
    mask: NDArray[np.int8],
    worlds: int,
) -> bool:
    """Tell whether `actions` lead from each world that I imagined in `states` to the view views[0] that I have now.

    Args:
        v: the variant.
        states: [1] before the first of `actions`.
        me: my seat.
        actions: since then.
        views: [3, view], the first of which is my view now; the others, world: [1] states and mask: [actions]
            are written to.
        worlds: how many to imagine.
    """
    dispatch.observe(v, states[0], me, views[1])
    for seed in range(worlds):
        dispatch.imagine(v, views[1], seed, world[0])
        for i in range(len(actions)):
            if world[0].turn == OVER:
                return False
            dispatch.legal(v, world[0], mask)
            if not mask[actions[i]]:
                return False
            dispatch.play(v, world[0], actions[i])
        dispatch.observe(v, world[0], 0, views[2])
        for i in range(views.shape[1]):
            if views[0, i] != views[2, i]:
                return False
    return True
