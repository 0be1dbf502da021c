"""The numbers of actions and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from leduc.rules import CALL, FOLD, RAISE, RAISES, Variant, highest


@jit
def actions(v: Variant) -> int:
    """Return how many actions there are."""
    return 3


def table(v: Variant) -> list[tuple[str, str]]:
    """Return the documentation's rows: numbers and meaning."""
    return [("0", "fold"), ("1", "call, or check where that costs nothing"), ("2", "raise")]


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§2, §3)."""
    mask[:] = 0
    if s.turn != OVER:
        mask[FOLD] = s.paid[s.turn] < highest(v, s)
        mask[CALL] = 1
        mask[RAISE] = s.raises < RAISES
