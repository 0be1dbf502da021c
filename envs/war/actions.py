"""Actions of War (flip, or an order of the pool): which are legal, and what each begins."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.war.rules import FLIPPING, PICKING, Variant, end_turn, flip, sort, take_side


class Actions(ActionLayout):
    """The kinds of actions, in the order of their numbers; only `pickup="choice"` lets a seat choose an order."""

    flip = Action("flip: turn the next card up")
    own_first = Action('own_first: put my cards under my deck, then the other\'s; with `pickup="choice"`')
    other_first = Action('other_first: put the other\'s cards under my deck, then mine; with `pickup="choice"`')
    high_first = Action('high_first: put the pool under my deck from the highest rank down; with `pickup="choice"`')
    low_first = Action('low_first: put the pool under my deck from the lowest rank up; with `pickup="choice"`')

    @classmethod
    def advice(cls, variant: Any) -> str:
        """Return the advice on writing an action, which follows "write"."""
        return f"one of {', '.join(cls.declared)}"


FLIP, OWN_FIRST, OTHER_FIRST, HIGH_FIRST, LOW_FIRST = Actions.kinds()  # the numbers of the actions, too
split = Actions.split


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the flip, or the four orders for the winner of a turn (§2, §7)."""
    at, on = Actions(v), s.turn != OVER
    mask[at.flip] = on & (s.phase == FLIPPING)
    order = on & (s.phase == PICKING)
    for a in range(at.own_first, at.size):
        mask[a] = order


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Apply a legal action: turn a card up, or put the pool in the chosen order under the deck (§2, §7)."""
    kind, seat = split(v, a)[0], s.turn
    s.ply += 1
    if kind == FLIP:
        flip(v, s)
        return
    begin, side = s.end[seat], 1 - seat if kind == OTHER_FIRST else seat
    take_side(s, seat, side)
    take_side(s, seat, 1 - side)
    if kind >= HIGH_FIRST:
        sort(v, s, seat, begin, kind == HIGH_FIRST)
    end_turn(v, s, seat)
