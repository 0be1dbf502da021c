"""Durak: every card lies in one place, and all counts agree with the cards."""

from typing import Any

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.durak.rules import DISCARD, NO_CARD, STOCK, TABLE, Variant


@implements(dispatch.sound, Variant)
def cards_are_conserved(v: Variant, s: Any) -> bool:
    """Tell whether hand sizes, stock, table and cards' places agree."""
    table, stock, hands, discarded = 0, 0, 0, 0
    for c in range(v.deck):
        place = s.place[c]
        table += place == TABLE
        stock += place == STOCK
        discarded += place == DISCARD
        hands += place < STOCK
        if s.known[c] and place >= STOCK:
            return False
    for i in range(s.drawn, v.deck):
        if s.place[s.stock[i]] != STOCK:
            return False
    for i in range(s.laid):
        if s.place[s.attack[i]] != TABLE or (s.defence[i] != NO_CARD) != (i < s.beaten):
            return False
    counted = 0
    for seat in range(v.players):
        counted += s.count[seat]
    together = table + stock + discarded + hands == v.deck
    return together and counted == hands and stock == v.deck - s.drawn and table == s.laid + s.beaten
