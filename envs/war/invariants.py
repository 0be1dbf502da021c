"""War: every card lies in one line, sizes add up, and what is said to be known is true."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.war.rules import CHOICE, LAST_CARD, NO_CARD, PICKING, SEATS, UNSEEN, WAR, WRAP, Variant, next_cards


@implements(dispatch.sound, Variant)
def lines_hold_the_deck(v: Variant, s: Any) -> bool:
    """Return True if each card lies in one line only, and seen cards where they may lie."""
    there = cards = 0
    for seat in range(SEATS):
        if not s.first[seat] <= s.top[seat] <= s.end[seat] or s.unseen[seat] < 0:
            return False
        for i in range(s.first[seat], s.end[seat]):
            c = int(s.line[seat, i & WRAP])
            if c == NO_CARD:
                return False
            there |= 1 << c
            cards += 1
            seen = s.owner[c] != UNSEEN
            if seen and (s.owner[c] != seat or ((i - int(s.at[c])) & WRAP) >= s.end[seat] - s.first[seat]):
                return False
            if not seen and i >= s.top[seat] + s.unseen[seat]:
                return False
    return cards == v.deck and there == (1 << v.deck) - 1 and (s.turn == OVER or turn_fits(v, s))


@jit
def turn_fits(v: Variant, s: Any) -> bool:
    """Return True if the seat to move has a card to turn up, or a pool whose order it chooses (§2, §3, §7, §9)."""
    me, other = s.turn, 1 - s.turn
    mine, theirs = flips(s, me), flips(s, other)
    if not (0 <= s.turns < v.max_turns and row_fits(v, s, me) and row_fits(v, s, other)):
        return False
    if s.phase == PICKING:
        return v.pickup == CHOICE and mine > 0 and mine == theirs
    enough = s.end[me] - s.top[me] >= max(next_cards(v, s, me), 1)
    return enough and theirs == (mine if me == s.starter else mine + 1)


@jit
def flips(s: Any, seat: int) -> int:
    """Return the number of cards that a seat has turned up in this turn."""
    row = s.top[seat] - s.first[seat]
    return (row + WAR - 2) // WAR + (row > 0)


@jit
def row_fits(v: Variant, s: Any, seat: int) -> bool:
    """Return True if a seat has laid one card and four for each war; who is short laid all that he had (§3, §12)."""
    row = s.top[seat] - s.first[seat]
    return row == 0 or row % WAR == 1 or (v.shortage == LAST_CARD and s.top[seat] == s.end[seat])
