"""Scripted players in swap2: stones that leave neither side ahead, and the side whose stones lie better.

In openings that `search` valued at 4,000 nodes, on 15×15, the distance of X's two stones decides who is ahead: with the
last reply neither side is at distance 3, and without it neither is at distance 4. Nearer stones are better for X.

Nobody lays two more stones: the better side is worth 0 or more, and after two more stones the other takes that.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.rng import below
from kozyr.envs.loops.single_table import random_action
from kozyr.envs.mnk.actions import Actions
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.swap2 import CHOICE, LAST_CHOICE, OPENING, PLAY, STAGES
from kozyr.envs.mnk.view import Parts

ELSEWHERE = -1  # instead of an action: the player decides as it always does
_NEAR = 2  # cells from the middle to the first stone, and from there to O's


@jit
def stage_in(v: Variant, view: NDArray[Any]) -> int:
    """Return the stage of the opening that a view tells."""
    stage, at = PLAY, Parts(v)
    if v.opening_rule:
        for i in range(STAGES):
            if view[at.opening + i]:
                stage = OPENING + i
    return stage


@jit
def open_game(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return a stone of the opening, or the choice of a side; ELSEWHERE beyond them and for two more stones."""
    stage, at = stage_in(v, view), Actions(v)
    if stage in (CHOICE, LAST_CHOICE):
        return at.take_x if x_is_ahead(v, view) else at.take_o
    if stage != OPENING:
        return ELSEWHERE
    low, high = (balance(v), balance(v)) if count_stones(v, view) > 1 else (0, _NEAR)
    count = 0
    for a in range(v.m * v.n):
        count += lies_well(v, view, mask, a, low, high)
    if count == 0:
        return random_action(mask, g)
    n = below(g, count)
    for a in range(v.m * v.n):
        if lies_well(v, view, mask, a, low, high):
            if n == 0:
                return a
            n -= 1
    return ELSEWHERE


@jit
def balance(v: Variant) -> int:
    """Return the distance of X's stones at which neither side is ahead: less with the last reply, which helps O."""
    return max(v.k - 2 if v.last_reply else v.k - 1, 1)


@jit
def lies_well(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], a: int, low: int, high: int) -> bool:
    """Return True if a legal cell has such a distance from X's first stone, or from the middle while there is none."""
    if not mask[a]:
        return False
    first, at = v.m // 2 * v.n + v.n // 2, Parts(v)
    for b in range(v.m * v.n):
        if view[at.mine + b]:  # who opens counts as X
            first = b
            break
    return low <= distance(v, a, first) <= high


@jit
def distance(v: Variant, a: int, b: int) -> int:
    """Return the distance of two cells: the rows or the columns between them, whatever is more."""
    return max(abs(a // v.n - b // v.n), abs(a % v.n - b % v.n))


@jit
def count_stones(v: Variant, view: NDArray[Any]) -> int:
    """Return the number of stones on the board."""
    at, count = Parts(v), 0
    for a in range(v.m * v.n):
        count += int(view[at.mine + a]) + int(view[at.theirs + a])
    return count


@jit
def x_is_ahead(v: Variant, view: NDArray[Any]) -> bool:
    """Return True if X's stones lie nearer to each other than is even, O's counted against them."""
    at = Parts(v)
    mine, theirs = closeness(v, view, at.mine), closeness(v, view, at.theirs)
    lead = mine - theirs if view[at.x] else theirs - mine
    return lead > v.k - balance(v)


@jit
def closeness(v: Variant, view: NDArray[Any], first: int) -> int:
    """Return the closeness of a side's stones: for each pair of them the cells that they are nearer than k."""
    total = 0
    for a in range(v.m * v.n):
        if view[first + a]:
            for b in range(a):
                if view[first + b]:
                    total += max(v.k - distance(v, a, b), 0)
    return total
