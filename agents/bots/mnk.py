"""Scripted players of the m,n,k-game: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.bots.mnk_hard import hard
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.jit import jit
from kozyr.envs.core.rng import below
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import parts

LADDER = ("random", "easy", "hard")
_EASY = 1
_WIN, _SAVE = 1 << 55, 1 << 46  # completing a line, and keeping the other from it
_COUNTED = 8  # more stones than these make a window no better, so that the sums stay below _SAVE


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    return easy(v, view, mask, g) if level == _EASY else hard(v, view, mask, g)


@jit
def easy(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Look one ply ahead: take the cell whose windows of k hold the most stones of one colour.

    A window counts for a side as long as the other has no stone and no wall in it; own windows count a little
    more. A line is completed at once, and the other's line is prevented next. Equal cells: one is drawn.
    """
    best, best_value, equal = 0, -1, 1
    for a in range(v.m * v.n):
        if mask[a]:
            value = worth(v, view, a)
            if value > best_value:
                best, best_value, equal = a, value, 1
            elif value == best_value:
                equal += 1
                if below(g, equal) == 0:
                    best = a
    return best


@jit
def worth(v: Variant, view: NDArray[Any], a: int) -> int:
    """Return how good a stone on cell `a` is for me, made of all windows of k cells that hold it."""
    r, c, total = a // v.n, a % v.n, 0
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for back in range(v.k):
            top, left = r - back * dr, c - back * dc
            bottom, right = top + (v.k - 1) * dr, left + (v.k - 1) * dc
            if top >= 0 and 0 <= left < v.n and bottom < v.m and 0 <= right < v.n:
                total += window(v, view, top * v.n + left, dr * v.n + dc)
    return total


@jit
def window(v: Variant, view: NDArray[Any], first: int, stride: int) -> int:
    """Return the worth of one window of k cells, which begins at a cell and goes on by a stride."""
    at = parts(v)
    mine, theirs = 0, 0
    for i in range(v.k):
        cell = first + i * stride
        if v.obstacles > 0 and view[at.wall + cell]:
            return 0
        mine += int(view[at.mine + cell])
        theirs += int(view[at.theirs + cell])
    if mine and theirs:
        return 0
    if mine == v.k - 1:
        return _WIN
    if theirs == v.k - 1:
        return _SAVE
    return 3 << 3 * min(mine, _COUNTED) if mine else 2 << 3 * min(theirs, _COUNTED)
