"""Scripted players of the m,n,k-game: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk import windows
from kozyr.agents.mnk.hard import UNDECIDED, hard
from kozyr.agents.mnk.swap2 import ELSEWHERE, open_game
from kozyr.agents.mnk.windows import AREA, DIRECTIONS, NARROW, OTHER, OWN, SLACK, Planes
from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.view import Parts

_HARD = 2
_SIDES, _WINDOWS, _PLANES = 3 * SLACK, DIRECTIONS * SLACK, 4 * AREA
_ROOM = AREA + _SIDES + _WINDOWS  # places that `rate` overwrites, more than `hard` does


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    if v.opening_rule:
        a = open_game(v, view, mask, g)
        if a != ELSEWHERE:
            return a
    planes, size = windows.lay_out(v, view, mask, stack_array(_PLANES, np.int8)), windows.area(v)
    cautious = v.last_reply and bool(view[Parts(v).x])
    best, hits = planes.legal, stack_array(AREA, np.int8)
    room = stack_array(_ROOM, np.int32)  # one memory for all widths: on a GPU each thread has it
    if level == _HARD:
        best = stack_array(AREA, np.int8)[:size]
        a = hard_choice(v, planes, best, room, cautious, g)
        if a != UNDECIDED:
            return a
    if v.k <= NARROW:
        few = room.view(np.int16)
        rate(v, planes, few[AREA:_ROOM], few[:size])
        return windows.draw_best(best, few[:size], hits, g)
    rate(v, planes, room[AREA:], room[:size])
    return windows.draw_best(best, room[:size], hits, g)


@jit
def hard_choice(v: Variant, planes: Planes, best: NDArray[np.int8], room: NDArray[Any], cautious: bool, g: Any) -> int:
    """Return the cell that `hard` chooses, or UNDECIDED with 1 at each of the best in `best`."""
    if v.k <= NARROW:
        return hard(v, planes, best, room.view(np.int8), cautious, g)
    return hard(v, planes, best, room.view(np.int16), cautious, g)


@jit
def rate(v: Variant, planes: Planes, room: NDArray[Any], totals: NDArray[Any]) -> None:
    """Write for each cell the worth of its windows; `room` is overwritten.

    A window counts for a side as long as the other has no stone and no wall in it, and it may become a line; own
    windows count a little more. As long as a line can be completed, or else prevented,
    the windows alone count in which it is.
    """
    sides, values = room[:_SIDES], room[_SIDES:]
    size, first = len(totals), windows.reach(v)
    each = first + size
    mine, theirs, rest = sides[:SLACK], sides[SLACK : 2 * SLACK], sides[2 * SLACK : 2 * SLACK + size]
    windows.weigh(v, planes, mine, theirs)
    for d in range(DIRECTIONS):
        values[d * each : d * each + first] = 0
        windows.worth(v, d, mine, theirs, rest, values[d * each + first : (d + 1) * each])
        if v.line or v.bans:
            windows.drop_vain(v, d, planes, values[d * each + first : (d + 1) * each])
    press(v, values[: DIRECTIONS * each])
    totals[:] = 0
    for d in range(DIRECTIONS):
        windows.share(v, values[d * each : (d + 1) * each], d, totals)


@jit
def press(v: Variant, values: NDArray[Any]) -> None:
    """If there is a line to complete, or else to prevent, leave the windows alone in which it is."""
    kind, alone = values.dtype.type, 1
    for _ in range(v.k - 1):
        alone *= windows.growth(v)  # some processors would take a power of floats
    win, save = kind(OWN * alone), kind(OTHER * alone)
    wins, saves = np.int8(0), np.int8(0)
    for i in range(len(values)):
        wins = np.int8(wins | np.int8(values[i] == win))
        saves = np.int8(saves | np.int8(values[i] == save))
    if wins or saves:
        pressing = win if wins else save
        for i in range(len(values)):
            values[i] = values[i] == pressing
