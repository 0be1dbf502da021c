"""War: every card lies in one line, sizes add up, and what is said to be known is true."""

from typing import Any

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.war.rules import SEATS, UNSEEN, WRAP, Variant


@implements(dispatch.sound, Variant)
def lines_hold_the_deck(v: Variant, s: Any) -> bool:
    """Tell whether each card lies in one line only, and seen cards where they may lie."""
    there = cards = 0
    for seat in range(SEATS):
        if not s.first[seat] <= s.top[seat] <= s.end[seat] or s.unseen[seat] < 0:
            return False
        for i in range(s.first[seat], s.end[seat]):
            c = int(s.line[seat, i & WRAP])
            there |= 1 << c
            cards += 1
            seen = s.owner[c] != UNSEEN
            if seen and (s.owner[c] != seat or ((i - int(s.at[c])) & WRAP) >= s.end[seat] - s.first[seat]):
                return False
            if not seen and i >= s.top[seat] + s.unseen[seat]:
                return False
    return cards == v.deck and there == (1 << v.deck) - 1
