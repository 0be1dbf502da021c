"""Durak: every card lies in one place, and all counts agree with the cards."""

from typing import Any

from kozyr.envs.compile import count_bits, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.cards import bit, rank_of
from kozyr.envs.durak.rules import HAND, NO_CARD, PLACES, STOCK, TABLE, Variant, most_attacks, trump_of_attack


@implements(dispatch.sound, Variant)
def cards_are_conserved(v: Variant, s: Any) -> bool:
    """Return True if hand sizes, stock, table and cards' places agree, and somebody can be to move."""
    if not 0 <= s.beaten <= s.laid <= HAND or not 0 <= s.drawn <= v.deck:
        return False
    if not (cards_agree(v, s) and table_agrees(v, s) and shown_agrees(v, s)):
        return False
    return s.turn == OVER or turn_fits(v, s)


@jit
def cards_agree(v: Variant, s: Any) -> bool:
    """Return True if every card lies in one place, and hands and stock agree with their counts."""
    every, hands, together = 0, 0, 0
    for place in range(PLACES):
        every |= s.cards[place]
        together += count_bits(s.cards[place])
    for seat in range(v.players):
        hands |= s.cards[seat]
        if s.count[seat] != count_bits(s.cards[seat]):
            return False
    stock = 0
    for i in range(s.drawn, v.deck):
        stock |= bit(s.stock[i])
    return every == bit(v.deck) - 1 and together == v.deck and s.known & ~hands == 0 and stock == s.cards[STOCK]


@jit
def table_agrees(v: Variant, s: Any) -> bool:
    """Return True if the cards on the table are those that were laid, and the ranks that fit are theirs."""
    table, fits = 0, 0
    for i in range(s.laid + s.beaten):
        c = s.attack[i] if i < s.laid else s.defence[i - s.laid]
        if c == NO_CARD or (i < s.laid and (s.defence[i] != NO_CARD) != (i < s.beaten)):
            return False
        table |= bit(c)
        fits |= rank_of(v.deck, c)
    return table == s.cards[TABLE] and fits == s.fits


@jit
def shown_agrees(v: Variant, s: Any) -> bool:
    """Return True if a trump that was shown is known to be in a hand, or has been laid since (§15)."""
    if not s.trump_shown:
        return True
    return v.show_trump and s.laid > 0 and (s.known | s.cards[TABLE]) & trump_of_attack(v, s) != 0


@jit
def turn_fits(v: Variant, s: Any) -> bool:
    """Return True if those at the table are in the game, and the seat to move has something to do (§3 to §6)."""
    if s.attacker == s.defender or s.out[s.attacker] or s.out[s.defender] or s.out[s.turn]:
        return False
    if not 1 <= s.limit <= min(most_attacks(v, s), s.count[s.defender] + s.beaten):
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
