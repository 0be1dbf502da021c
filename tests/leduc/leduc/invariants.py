"""What is true of a state at every moment."""

from typing import Any

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from leduc.rules import MOST, Variant, cards


@implements(dispatch.sound, Variant)
def cards_differ_and_chips_are_few(v: Variant, s: Any) -> bool:
    """Tell whether no card is there twice and nobody has paid too much."""
    there = 1 << s.open_card
    for k in range(v.players):
        card = 1 << s.hand[k]
        if there & card or not 0 <= s.hand[k] < cards(v) or not 1 <= s.paid[k] <= MOST:
            return False
        there |= card
    return True
