"""Five-card draw: chips are conserved, bets are in the pot, and every card lies in one place."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.deck import CARDS
from kozyr.envs.draw_poker.evaluate import HAND, NO_CARD
from kozyr.envs.draw_poker.rules import EXCHANGE, NOBODY, SECOND, Variant


@implements(dispatch.sound, Variant)
def chips_and_cards_are_conserved(v: Variant, s: Any) -> bool:
    """Return True if chips and pot make up the stacks, and no card is in two hands."""
    chips = 0
    for k in range(v.players):
        chips += s.chips[k] + s.paid[k]
        at_risk = s.bet[0, k] + s.bet[1, k]
        if s.chips[k] < 0 or at_risk > s.paid[k] or (s.turn != OVER and s.began[k] != s.chips[k] + s.paid[k]):
            return False
    return chips == v.players * v.stack and cards_are_single(v, s) and (s.turn == OVER or turn_fits(v, s))


@jit
def turn_fits(v: Variant, s: Any) -> bool:
    """Return True if those who have still to act can, and the bets of this round agree (§4 to §7)."""
    if s.phase > SECOND or s.button == NOBODY or not s.pending[s.turn]:
        return False
    highest, bets = 0, s.bet[s.phase >> 1]
    for k in range(v.players):
        if s.pending[k] and (s.folded[k] or s.out[k] or (s.phase != EXCHANGE and s.chips[k] == 0)):
            return False
        if bool(s.out[k]) != (s.chips[k] + s.paid[k] == 0) or (not s.out[k] and s.hand[k, 0] == NO_CARD):
            return False
        highest = max(highest, bets[k])
    return highest == s.highest if s.phase != EXCHANGE else s.highest == 0


@jit
def cards_are_single(v: Variant, s: Any) -> bool:
    """Return True if hands and discards hold no card twice and the deck holds all."""
    seen = deck = whole = 0
    for i in range(v.deck):
        if s.deck[i] == NO_CARD:
            return False
        deck |= 1 << int(s.deck[i])
        whole |= 1 << int(CARDS[v.deck, i])
    for k in range(v.players):
        for i in range(HAND):
            for c in (int(s.hand[k, i]), int(s.discarded[k, i])):
                if c != NO_CARD:
                    if (seen >> c) & 1:
                        return False
                    seen |= 1 << c
    return deck == whole
