"""Scripted poker players, weakest first: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.heuristic import STYLE, play_style
from kozyr.agents.draw_poker.rule_based import play_priority
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts

HEURISTIC = 2


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    if level == HEURISTIC:
        return play_style(v, view, mask, STYLE)
    return play_priority(v, view, mask, Parts(v))
