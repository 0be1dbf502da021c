"""Durak: every card lies in one place, and all counts agree with the cards."""

from typing import Any

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.rules import DISCARD, HAND, NO_CARD, STOCK, TABLE, Variant


@implements(dispatch.sound, Variant)
def cards_are_conserved(v: Variant, s: Any) -> bool:
    """Tell whether hand sizes, stock, table and cards' places agree, and somebody can be to move."""
    if not 0 <= s.beaten <= s.laid <= HAND or not 0 <= s.drawn <= v.deck:
        return False
    return cards_agree(v, s) and (s.turn == OVER or turn_fits(v, s))


@jit
def cards_agree(v: Variant, s: Any) -> bool:
    """Tell whether every card lies in one place, and all counts agree with the cards."""
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
        if s.attack[i] == NO_CARD or s.place[s.attack[i]] != TABLE or (s.defence[i] != NO_CARD) != (i < s.beaten):
            return False
    for seat in range(v.players):
        counted = 0
        for c in range(v.deck):
            counted += s.place[c] == seat
        if counted != s.count[seat]:
            return False
    together = table + stock + discarded + hands == v.deck
    return together and stock == v.deck - s.drawn and table == s.laid + s.beaten


@jit
def turn_fits(v: Variant, s: Any) -> bool:
    """Tell whether those at the table are in the game, and the seat to move has something to do (§3 to §6)."""
    if s.attacker == s.defender or s.out[s.attacker] or s.out[s.defender] or s.out[s.turn]:
        return False
    if not 1 <= s.limit <= min(HAND, s.count[s.defender] + s.beaten):
        return False
    holders = 0
    for seat in range(v.players):
        holders += seat != s.defender and s.count[seat] > 0
        if s.out[seat] and (s.count[seat] or s.drawn < v.deck):
            return False
    open_cards, room = s.laid - s.beaten, s.limit - s.laid
    if s.turn == s.defender:
        return open_cards > 0 and room >= 0 and not s.taking
    if s.laid == 0:
        return s.turn == s.attacker and s.count[s.turn] > 0 and not s.taking
    return s.count[s.turn] > 0 and room > 0 and s.passes < holders and (open_cards > 0) == (s.taking > 0)
