"""Daifugo with suits: every card is in one place, counts agree, and what lies on the pile has been played."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.suited.sets import CARDS_OF, COLUMNS, JOKER_ROW, JOKERED, PASS, SIZE, SUITS
from kozyr.envs.daifugo.variant import Variant

_ALL = (1 << COLUMNS) - 1


@jit
def suited_sound(v: Variant, s: Any) -> bool:
    """Return True if nothing is lost, doubled or counted wrongly."""
    for suit in range(SUITS + 1):
        there = int(s.gone[suit])
        for seat in range(v.players):
            if there & s.cards[seat, suit]:
                return False
            there |= s.cards[seat, suit]
        if there != (_ALL if suit < SUITS else int(v.joker)):
            return False
        if suit < SUITS and CARDS_OF[s.lies, suit] & ~s.gone[suit]:
            return False
    if JOKERED[s.lies] and not s.gone[JOKER_ROW]:
        return False
    if s.laid != SIZE[s.lies] or (s.owner == IN) != (s.lies == PASS):
        return False
    return seats_sound(v, s) and (not v.history or logged(s))


@jit
def logged(s: Any) -> bool:
    """Return True if the sets laid have as many cards as were played, and each has some."""
    left = int(s.gone[JOKER_ROW])
    for suit in range(SUITS):
        for r in range(COLUMNS):
            left += s.gone[suit] >> r & 1
    for i in range(s.log):
        left -= SIZE[s.log_set[i]]
        if s.log_set[i] == PASS:
            return False
    return left == 0


@jit
def seats_sound(v: Variant, s: Any) -> bool:
    """Return True if every seat's count and place is right."""
    places = 0
    for seat in range(v.players):
        count = int(s.cards[seat, JOKER_ROW])
        for suit in range(SUITS):
            for r in range(COLUMNS):
                count += s.cards[seat, suit] >> r & 1
        if count != s.count[seat] or (count == 0 and s.place[seat] == IN and s.phase == PLAY):
            return False
        if s.place[seat] != IN:
            if places >> int(s.place[seat]) & 1:
                return False
            places |= 1 << int(s.place[seat])
    return True
