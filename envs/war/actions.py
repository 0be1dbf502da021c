"""The five actions and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.war.rules import CHOICE, FLIP, FLIPPING, HIGH_FIRST, LOW_FIRST, OTHER_FIRST, OWN_FIRST, PICKING, Variant

ACTIONS = 5


@jit
def actions(v: Variant) -> int:
    """Return how many actions there are, chosen orders or not."""
    return ACTIONS


def table(v: Variant) -> list[tuple[str, str]]:
    """Return the documentation's rows: numbers and meaning."""
    rows = [(f"{FLIP}", "flip: turn the next card up")]
    orders = [
        (f"{OWN_FIRST}", "own_first: put my cards under my deck, then the other's"),
        (f"{OTHER_FIRST}", "other_first: put the other's cards under my deck, then mine"),
        (f"{HIGH_FIRST}", "high_first: put the pool under my deck from the highest rank to the lowest"),
        (f"{LOW_FIRST}", "low_first: put the pool under my deck from the lowest rank to the highest"),
    ]
    return rows + orders if v.pickup == CHOICE else [*rows, (f"{OWN_FIRST} … {LOW_FIRST}", "never legal")]


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the flip, or the four orders for the winner of a turn (§2, §7)."""
    on = s.turn != OVER
    mask[FLIP] = on & (s.phase == FLIPPING)
    order = on & (s.phase == PICKING)
    for a in range(OWN_FIRST, ACTIONS):
        mask[a] = order
