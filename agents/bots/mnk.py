"""Scripted players of the m,n,k-game: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.bots import mnk_windows as windows
from kozyr.agents.bots.mnk_hard import hard
from kozyr.agents.bots.mnk_windows import ALL_PLACES, DIRECTIONS, GRID, LED_PLACES, MINE, PLACES, THEIRS
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.jit import jit, stack_array
from kozyr.envs.mnk.rules import Variant

LADDER = ("random", "easy", "hard")
_EASY = 1
_CALM, _SAVE, _WIN = range(3)  # what there is to do at once


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    return easy(v, view, mask, g) if level == _EASY else hard(v, view, mask, g)


@jit
def easy(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Look one ply ahead: take the cell whose windows of k hold the most stones of one colour.

    A window counts for a side as long as the other has no stone and no wall in it; own windows count a little
    more. A line is completed at once, and else the other's line is prevented. Equal cells: one is drawn.
    """
    grid = stack_array(GRID, np.int32)
    counts = stack_array(ALL_PLACES, np.int32)
    values = stack_array(LED_PLACES, np.int32)
    totals = stack_array(PLACES, np.int32)
    size, lead = v.m * windows.width(v), windows.lead(v)
    windows.lay(v, view, grid)
    for d in range(DIRECTIONS):
        windows.summed(v, grid, d, counts[d * size : (d + 1) * size])
    pressing = pressure(v, counts[: DIRECTIONS * size])
    for i in range(lead):
        values[i] = 0
    for i in range(size):
        totals[i] = 0
    for d in range(DIRECTIONS):
        rate(v, counts[d * size : (d + 1) * size], pressing, values[lead : lead + size])
        windows.share(v, values, d, totals)
    return windows.drawn(v, mask, totals, g)


@jit
def pressure(v: Variant, counts: NDArray[np.int32]) -> int:
    """Tell whether there is a line to complete or to prevent."""
    wins, saves = 0, 0
    for i in range(len(counts)):
        wins += counts[i] == v.k - 1 << MINE
        saves += counts[i] == v.k - 1 << THEIRS
    return _WIN if wins else _SAVE if saves else _CALM


@jit
def rate(v: Variant, counts: NDArray[np.int32], pressing: int, values: NDArray[np.int32]) -> None:
    """Write the value of each window; under pressure only those that press have one."""
    if pressing == _CALM:
        for i in range(len(counts)):
            values[i] = windows.worth(counts[i])
    else:
        alone = v.k - 1 << (MINE if pressing == _WIN else THEIRS)
        for i in range(len(counts)):
            values[i] = counts[i] == alone
