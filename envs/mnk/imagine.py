"""A state from a view: nothing is hidden here, so there is exactly one but for the seats' names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.bans import close
from kozyr.envs.mnk.board import clear, put, wall_off
from kozyr.envs.mnk.rules import NO_CELL, Variant
from kozyr.envs.mnk.swap2 import ADDITION, OPENING, PLAY, STAGES, pass_choice
from kozyr.envs.mnk.view import Parts


@implements(dispatch.imagine, Variant)
def imagine(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Write the position that `view` shows, its owner in seat 0; the newest stone is not known."""
    at, cells = Parts(v), v.m * v.n
    s.rng = np.uint64(seed)
    s.payoff[:] = 0.0
    s.truncated, s.last, s.ply = 0, NO_CELL, 0
    clear(v, s)
    free = cells
    for a in range(cells):
        if v.obstacles > 0 and view[at.wall + a]:
            wall_off(v, s, a)
            free -= 1
        elif view[at.mine + a] or view[at.theirs + a]:
            put(v, s, 0 if view[at.mine + a] else 1, a)
            s.ply += 1
    s.room = free if v.max_moves == 0 else min(v.max_moves, free)
    s.starter = 0 if view[at.x] else 1
    s.x, s.stage = s.starter, PLAY
    s.reply = view[at.reply]
    s.turn = OVER if view[at.over] else 0 if view[at.turn] else 1
    if v.bans:
        close(v, s)
    if v.opening_rule:
        for i in range(STAGES):
            if view[at.opening + i]:
                s.stage = OPENING + i
        if s.stage >= ADDITION:
            pass_choice(s)
