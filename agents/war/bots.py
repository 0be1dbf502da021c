"""Scripted players of War: compiled functions of the view; they differ only where the order of the pool is chosen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.war.actions import FLIP, HIGH_FIRST, LOW_FIRST, OTHER_FIRST, OWN_FIRST
from kozyr.envs.war.rules import Variant
from kozyr.envs.war.view import Parts

_ORDER = (FLIP, LOW_FIRST, OTHER_FIRST, FLIP, OWN_FIRST, HIGH_FIRST)  # what each bot chooses; "flip" has no order


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    if mask[FLIP]:
        return FLIP
    order = _ORDER[level]
    return as_laid(v, view) if order == FLIP else order


@jit
def as_laid(v: Variant, view: NDArray[Any]) -> int:
    """Return the order that begins with the starter's cards, as `pickup="fixed"` does."""
    return OWN_FIRST if view[Parts(v).starter] else OTHER_FIRST
