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
        back, ahead = room(v, r, c, -dr, -dc), room(v, r, c, dr, dc)
        if back + ahead + 1 >= v.k:
            total += windows(v, view, a, dr * v.n + dc, back, ahead)
    return total


@jit
def room(v: Variant, r: int, c: int, dr: int, dc: int) -> int:
    """Return how many cells, at most k − 1, lie beyond a cell in a direction."""
    n = v.k - 1
    if dr:
        n = min(n, v.m - 1 - r if dr > 0 else r)
    if dc:
        n = min(n, v.n - 1 - c if dc > 0 else c)
    return n


@jit
def windows(v: Variant, view: NDArray[Any], a: int, stride: int, back: int, ahead: int) -> int:
    """Return the worth of the windows of k cells that hold cell `a` in one direction, by letting one slide."""
    at = parts(v)
    mine, theirs, walls, total = 0, 0, 0, 0
    for i in range(-back, ahead + 1):
        cell = a + i * stride
        mine += view[at.mine + cell]
        theirs += view[at.theirs + cell]
        if v.obstacles > 0:
            walls += view[at.wall + cell]
        if i + back >= v.k - 1:
            if walls == 0:
                total += window(v, mine, theirs)
            cell -= (v.k - 1) * stride
            mine -= view[at.mine + cell]
            theirs -= view[at.theirs + cell]
            if v.obstacles > 0:
                walls -= view[at.wall + cell]
    return total


@jit
def window(v: Variant, mine: int, theirs: int) -> int:
    """Return the worth of a window of k cells without walls."""
    if mine and theirs:
        return 0
    if mine == v.k - 1:
        return _WIN
    if theirs == v.k - 1:
        return _SAVE
    return 3 << 3 * min(mine, _COUNTED) if mine else 2 << 3 * min(theirs, _COUNTED)
