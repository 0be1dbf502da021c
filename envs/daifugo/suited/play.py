"""Daifugo with suits: deal, exchange, sets and passes. § points to the paragraphs of RULES.md."""

from typing import Any

import numpy as np

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core.rng import below, shuffle
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.exchange import GIFTS, GIVE_FIRST, GIVE_SECOND, PLAY, at_place
from kozyr.envs.daifugo.round import IN, clear_pile, clear_table, first_in, follows, log, pay_out, seat_in_order
from kozyr.envs.daifugo.suited.sets import (
    CARDS,
    CARDS_OF,
    COLUMNS,
    JOKER_ROW,
    JOKERED,
    KIND,
    LONE,
    LONE_JOKER,
    PASS,
    SIZE,
    SPADE_THREE,
    STOPS,
    SUITS,
    SUITS_OF,
    TURNS,
    card_of,
)
from kozyr.envs.daifugo.variant import SEATS, THREE_OF_DIAMONDS, Variant

DIAMONDS = 2
_THREE = 1  # bit of the three in the mask of a suit


@jit
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Deal the first round; the starter leads, or who holds the three of diamonds if none is given (§1, §20)."""
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.rounds = 0, 0, 1
    seat_in_order(v, s)
    if v.reseat:
        draw_order(v, s)
    deal_first(v, s)
    if starter >= 0:
        s.turn = s.leads = starter
    s.starter = s.turn


@jit
def deal_first(v: Variant, s: Any) -> None:
    """Deal a round that follows no other; the seat that is drawn leads (§1, §20)."""
    first = below(s, v.players)
    deal(v, s, first)
    begin_play(v, s, first)


@jit
def draw_order(v: Variant, s: Any) -> None:
    """Draw the order of turns anew (§20)."""
    order = stack_array(SEATS, np.int32)
    for seat in range(v.players):
        order[seat] = seat
    shuffle(s, order, v.players)
    for i in range(v.players):
        s.next_of[order[i]] = order[i + 1 if i + 1 < v.players else 0]


@jit
def deal(v: Variant, s: Any, first: int) -> None:
    """Clear the table and deal every card, one at a time from `first` on in the order of turns (§1).

    Each card goes to a seat drawn by the cards it still lacks, which is the same as dealing a shuffled deck.
    """
    clear(s)
    seat = first
    for _ in range(SUITS * COLUMNS + v.joker):
        s.count[seat] += 1
        seat = s.next_of[seat]
    lacks = stack_array(SEATS, np.int32)
    for k in range(v.players):
        lacks[k] = s.count[k]
    left = SUITS * COLUMNS + v.joker
    for suit in range(SUITS + v.joker):
        for r in range(COLUMNS if suit < SUITS else 1):
            i, seat = below(s, left), 0
            while i >= lacks[seat]:
                i -= lacks[seat]
                seat += 1
            s.cards[seat, suit] |= 1 << r
            lacks[seat] -= 1
            left -= 1


@jit
def clear(s: Any) -> None:
    """Take all cards, marks and places off the table."""
    clear_table(s)
    s.cards[:, :], s.gone[:], s.gave[:, :] = 0, 0, 0
    s.top[:] = CARDS
    s.leads, s.passes = 0, 0
    clear_set(s)


@jit
def clear_set(s: Any) -> None:
    """Take the pile away, and with it passes and the lock (§6, §17)."""
    clear_pile(s)
    s.lies, s.bound = PASS, 0


@jit
def begin_play(v: Variant, s: Any, leader: int) -> None:
    """Give the first turn of a round to its leader, or to who holds the three of diamonds (§20)."""
    s.phase, s.turn = PLAY, leader
    if v.start == THREE_OF_DIAMONDS:
        s.turn = 0
        while not s.cards[s.turn, DIAMONDS] & _THREE:
            s.turn += 1
    s.leads = s.turn


@jit
def play(v: Variant, s: Any, a: int) -> None:
    """Apply a legal action."""
    if s.phase != PLAY:
        give(v, s, a)
    elif a == PASS:
        s.passed[s.turn] = 1
        s.passes += v.pass_limit > 0
        if v.pass_limit and s.passes >= v.pass_limit:
            draw_places(v, s)
        else:
            go_on(v, s, s.turn)
    else:
        if v.history:
            log(s, a)
        lay(v, s, a)


@jit
def lay(v: Variant, s: Any, a: int) -> None:
    """Lay a set on the pile (§3, §9, §10, §15 to §19)."""
    seat, under = int(s.turn), int(s.lies)
    for suit in range(SUITS):
        s.cards[seat, suit] &= ~CARDS_OF[a, suit]
        s.gone[suit] |= CARDS_OF[a, suit]
    if JOKERED[a]:
        s.cards[seat, JOKER_ROW], s.gone[JOKER_ROW] = 0, 1
    s.count[seat] -= SIZE[a]
    if KIND[a] == LONE:
        s.bound = 0
    elif v.suit_lock and SUITS_OF[a] == SUITS_OF[under]:
        s.bound = SUITS_OF[a]
    s.lies, s.laid, s.owner, s.leads, s.passes = a, SIZE[a], seat, seat, 0
    if not v.pass_lockout:
        s.passed[:] = 0
    if v.revolution and TURNS[a]:
        s.upside = 1 - s.upside
    if s.count[seat] == 0:
        s.place[seat] = s.taken
        s.taken += 1
        if s.taken == v.players - 1:
            end_round(v, s)
            return
    if (v.eight_stop and STOPS[a]) or (v.spade_three and a == SPADE_THREE and under == LONE_JOKER):
        clear_set(s)
        s.turn = first_in(s, seat)
    else:
        go_on(v, s, seat)


@jit
def go_on(v: Variant, s: Any, seat: int) -> None:
    """Give the turn to the next seat after `seat` that may answer; if there is none, clear the pile (§6, §19)."""
    k = s.next_of[seat]
    for _ in range(v.players):
        if s.place[k] == IN and not s.passed[k] and (v.owner_answers or k != s.owner):
            s.turn = k
            return
        k = s.next_of[k]
    clear_set(s)
    s.turn = first_in(s, s.leads)


@jit
def draw_places(v: Variant, s: Any) -> None:
    """End a round in which nobody plays any more: the places left are drawn (§21)."""
    left = stack_array(SEATS, np.int32)
    s.passes, n = 0, v.players - s.taken
    for i in range(n):
        left[i] = s.taken + i
    shuffle(s, left, n)
    for seat in range(v.players):
        if s.place[seat] == IN:
            n -= 1
            s.place[seat] = left[n]
    end_round(v, s)


@jit
def end_round(v: Variant, s: Any) -> None:
    """Give the last seat the place that remains, then deal the next round or pay out (§7, §8)."""
    for seat in range(v.players):
        if s.place[seat] == IN:
            s.place[seat] = v.players - 1
        s.total[seat] += s.place[seat]
    s.taken = v.players - 1
    if s.rounds == v.rounds:
        s.turn = OVER
        pay_out(v, s)
        return
    s.rounds += 1
    for seat in range(v.players):
        s.before[seat] = s.place[seat]
    if v.reseat and (s.rounds - 1) % v.reseat == 0:
        draw_order(v, s)
    if not follows(v, s):
        s.before[:] = IN
        deal_first(v, s)
        return
    deal(v, s, at_place(s, 0))
    if v.exchange:
        begin_exchange(v, s)
    else:
        begin_play(v, s, at_place(s, v.players - 1))


@jit
def begin_exchange(v: Variant, s: Any) -> None:
    """Hand the strongest cards upward, then let the first choose what to give back (§11, §20)."""
    for place in range(GIFTS):
        giver = at_place(s, v.players - 1 - place)
        for _ in range(GIFTS - place):
            card = strongest(s, giver)
            hand_over(s, giver, at_place(s, place), card)
            s.top[giver] = strength(card)
    s.phase, s.gives, s.turn = GIVE_FIRST, GIFTS, at_place(s, 0)


@jit
def strength(card: int) -> int:
    """Return the number of cards weaker in the exchange than a card: by rank, then clubs, diamonds, hearts, spades."""
    return card if card == CARDS - 1 else card % COLUMNS * SUITS + SUITS - 1 - card // COLUMNS


@jit
def strongest(s: Any, seat: int) -> int:
    """Return a seat's strongest card: the joker, then the highest rank, and of equal ones the first suit."""
    if s.cards[seat, JOKER_ROW]:
        return LONE_JOKER - 1
    for r in range(COLUMNS - 1, -1, -1):
        for suit in range(SUITS):
            if s.cards[seat, suit] >> r & 1:
                return suit * COLUMNS + r
    return -1


@jit
def hand_over(s: Any, giver: int, taker: int, card: int) -> None:
    """Move a card from hand to hand; only these two see it."""
    suit, bit = card // COLUMNS, 1 << card % COLUMNS
    s.cards[giver, suit] &= ~bit
    s.cards[taker, suit] |= bit
    s.gave[giver, suit] |= bit
    s.gave[taker, suit] &= ~bit  # what comes back was not given
    s.count[giver] -= 1
    s.count[taker] += 1


@jit
def give(v: Variant, s: Any, a: int) -> None:
    """Give a card back; after the last one the second gives, or play begins."""
    hand_over(s, s.turn, at_place(s, v.players - s.phase), card_of(a))
    s.gives -= 1
    if s.gives > 0:
        return
    if s.phase == GIVE_FIRST:
        s.phase, s.gives, s.turn = GIVE_SECOND, 1, at_place(s, 1)
    else:
        begin_play(v, s, at_place(s, v.players - 1))
