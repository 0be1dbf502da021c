"""Daifugo: hands and played cards make up the deck, counts agree, and what is known is there, with suits or without."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.actions import KIND, NATURAL, WITH_JOKER
from kozyr.envs.daifugo.round import IN, NO_RANK, NOBODY, PLAY, follows
from kozyr.envs.daifugo.suited.sets import CARDS_OF, COLUMNS, JOKER_ROW, JOKERED, PASS, SIZE
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant

_ALL = (1 << COLUMNS) - 1


@jit
def logged(v: Variant, s: Any) -> bool:
    """Return True if the sets laid have as many cards as were played."""
    left = 0
    for r in range(JOKER + 1):
        left += s.played[r]
    for i in range(s.log):
        kind = KIND[v.ranks, s.log_set[i]]
        left -= NATURAL[kind] + WITH_JOKER[kind]
    return left == 0


@jit
def played_any(s: Any) -> bool:
    """Return True if cards were played in this round."""
    cards = 0
    for r in range(JOKER + 1):
        cards |= int(s.played[r])
    for suit in range(SUITS + 1):
        cards |= int(s.gone[suit])
    return cards != 0


@implements(dispatch.sound, Variant)
def cards_are_conserved(v: Variant, s: Any) -> bool:
    """Return True if every card, count and place is right, and somebody can be to move."""
    if not (suited_sound(v, s) if v.suits else ranks_sound(v, s)):
        return False
    return s.turn == OVER or (places_fit(v, s) and turn_fits(v, s))


@jit
def places_fit(v: Variant, s: Any) -> bool:
    """Return True if the places of this round and of the one before can have been taken (§7, §8, §12)."""
    places, before, left = 0, 0, 0
    for seat in range(v.players):
        left += s.place[seat] == IN
        if IN < s.place[seat] < v.players - 1:
            places |= 1 << int(s.place[seat])
        if s.before[seat] != IN:
            before |= 1 << int(s.before[seat])
    first = (1 << s.taken) - 1
    fits = places == first or (v.foul_finish and places & first == first)  # the others from the last on (§22)
    return left > 1 and fits and before == ((1 << v.players) - 1 if follows(v, s) else 0)


@jit
def turn_fits(v: Variant, s: Any) -> bool:
    """Return True if the seat to move is in, and has a set to answer, to lead, or a card to give (§3 to §6, §11)."""
    if s.place[s.turn] != IN or (s.laid > 0) != (s.owner != NOBODY):
        return False
    if s.phase != PLAY:
        return (
            not played_any(s)
            and s.laid == 0
            and s.gives > 0
            and s.count[s.turn] >= s.gives
            and s.before[s.turn] == s.phase - 1
        )
    if not v.suits and (s.laid > 0) != (s.rank != NO_RANK):
        return False
    return s.laid == 0 or not (s.passed[s.turn] or (s.turn == s.owner and not (v.suits and v.owner_answers)))


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
    places = 0
    for seat in range(v.players):
        count = 0
        for r in range(JOKER + 1):
            count += s.hand[seat, r]
        if count != s.count[seat] or (count == 0 and s.place[seat] == IN and s.phase == PLAY):
            return False
        if s.place[seat] != IN:
            if (places >> int(s.place[seat])) & 1:
                return False
            places |= 1 << int(s.place[seat])
    return True


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
    return suited_seats_sound(v, s) and (not v.history or sets_logged(s))


@jit
def sets_logged(s: Any) -> bool:
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
def suited_seats_sound(v: Variant, s: Any) -> bool:
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
