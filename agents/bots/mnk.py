"""Scripted players of the m,n,k-game: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.bots import mnk_windows as windows
from kozyr.agents.bots.mnk_hard import hard
from kozyr.agents.bots.mnk_windows import BOARD, DIRECTIONS, OTHER, OWN, SLACK
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.jit import jit, stack_array
from kozyr.envs.mnk.rules import Variant

LADDER = ("random", "easy", "hard")
_EASY = 1
_NEVER = -1  # no window is worth that
_SIDES, _WINDOWS = 3 * SLACK, DIRECTIONS * SLACK


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    totals = stack_array(BOARD, np.int32)
    if level == _EASY:
        rate(v, view, OWN * windows.alone(v), OTHER * windows.alone(v), totals)
        return windows.drawn(v, mask, totals, g)
    rate(v, view, _NEVER, _NEVER, totals)
    return hard(v, view, mask, totals, g)


@jit
def rate(v: Variant, view: NDArray[Any], win: int, save: int, totals: NDArray[np.int32]) -> None:
    """Write for each cell the worth of its windows, as `easy` sees it.

    A window counts for a side as long as the other has no stone and no wall in it, own windows a little more. As
    long as some are worth a `win`, or else a `save`, no other counts.
    """
    if v.k <= windows.NARROW:
        narrow = stack_array(_WINDOWS, np.int16)
        total(v, view, stack_array(_SIDES, np.int16), narrow, np.int16(win), np.int16(save), totals)
    else:
        wide = stack_array(_WINDOWS, np.int32)
        total(v, view, stack_array(_SIDES, np.int32), wide, np.int32(win), np.int32(save), totals)


@jit
def total(
    v: Variant,
    view: NDArray[Any],
    sides: NDArray[Any],
    values: NDArray[Any],
    win: Any,
    save: Any,
    totals: NDArray[np.int32],
) -> None:
    """Do so with arrays of as many bits as are needed."""
    left, right = stack_array(BOARD, np.int8), stack_array(BOARD, np.int8)
    cells, first = v.m * v.n, windows.reach(v)
    each = first + cells
    mine, theirs, rest = sides[:SLACK], sides[SLACK : 2 * SLACK], sides[2 * SLACK : 2 * SLACK + cells]
    windows.weigh(v, view, mine, theirs)
    windows.fence(v, left, right)
    for d in range(DIRECTIONS):
        here = values[d * each + first : (d + 1) * each]
        values[d * each : d * each + first] = 0
        windows.worth(v, d, mine, theirs, rest, here)
        if d != 2:
            windows.keep(left[:cells] if d == 1 else right[:cells], here, 0)
    press(values[: DIRECTIONS * each], win, save)
    totals[:cells] = 0
    for d in range(DIRECTIONS):
        windows.share(v, values[d * each : (d + 1) * each], d, totals)


@jit
def press(values: NDArray[Any], win: Any, save: Any) -> None:
    """If there is a line to complete, or else to prevent, leave the windows alone in which it is."""
    wins, saves = np.int8(0), np.int8(0)
    for i in range(len(values)):
        wins = np.int8(wins | np.int8(values[i] == win))
        saves = np.int8(saves | np.int8(values[i] == save))
    if wins or saves:
        pressing = win if wins else save
        for i in range(len(values)):
            values[i] = values[i] == pressing
