"""Daifugo: hands and played cards make up the deck, counts agree, and what is known is there."""

from typing import Any

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.rules import KIND, NATURAL, WITH_JOKER
from kozyr.envs.daifugo.suited.invariants import suited_sound
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant


@jit
def logged(v: Variant, s: Any) -> bool:
    """Tell whether the sets laid have as many cards as were played."""
    left = 0
    for r in range(JOKER + 1):
        left += s.played[r]
    for i in range(s.log):
        kind = KIND[v.ranks, s.log_set[i]]
        left -= NATURAL[kind] + WITH_JOKER[kind]
    return left == 0


@implements(dispatch.sound, Variant)
def cards_are_conserved(v: Variant, s: Any) -> bool:
    """Tell whether every rank has its cards and every seat's count, places and known cards are right."""
    return suited_sound(v, s) if v.suits else ranks_sound(v, s)


@jit
def ranks_sound(v: Variant, s: Any) -> bool:
    """Tell the same of a deck whose suits do not matter."""
    for r in range(JOKER + 1):
        there = int(s.played[r])
        for seat in range(v.players):
            there += s.hand[seat, r]
            if not 0 <= s.known[seat, r] <= s.hand[seat, r]:
                return False
            if r > s.top[seat] and s.hand[seat, r] != s.known[seat, r]:
                return False
        due = int(v.joker) if r == JOKER else SUITS if r < v.ranks else 0
        if there != due:
            return False
    if v.history and not logged(v, s):
        return False
    taken = 0
    for seat in range(v.players):
        count = 0
        for r in range(JOKER + 1):
            count += s.hand[seat, r]
        if count != s.count[seat] or (count == 0 and s.place[seat] == IN and s.phase == PLAY):
            return False
        if s.place[seat] != IN:
            if (taken >> int(s.place[seat])) & 1:
                return False
            taken |= 1 << int(s.place[seat])
    return True
