"""Rules of Daifugo with suits: deal, exchange, sets and passes, and which of these are legal.

§ points to the paragraphs of RULES.md. Legal sets come from bit operations on the masks of a hand's suits, not from
trying every set.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit, lowest_bit, stack_array, write_bits
from kozyr.envs.core.rng import below, shuffle
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.round import (
    GIVE_FIRST,
    GIVE_SECOND,
    IN,
    PLAY,
    at_place,
    clear_pile,
    clear_table,
    first_in,
    follows,
    log,
    pay_out,
    seat_in_order,
)
from kozyr.envs.daifugo.suited.sets import (
    ACTIONS,
    BITS,
    CARDS,
    CARDS_OF,
    COLUMNS,
    FIRST,
    GROUP,
    GROUP_AT,
    GROUP_MASK,
    HIGH,
    JOKER_GROUP_AT,
    JOKER_GROUP_MASK,
    JOKER_GROUP_SUITS,
    JOKER_ROW,
    JOKER_SEQUENCE_AT,
    JOKERED,
    KIND,
    LONE,
    LONE_JOKER,
    LONGEST,
    LOW,
    PASS,
    SEQUENCE,
    SEQUENCE_AT,
    SINGLE,
    SIZE,
    SPADE_THREE,
    STOPS,
    SUITS,
    SUITS_OF,
    TURNS,
    card_of,
)
from kozyr.envs.daifugo.variant import GIFTS, SEATS, THREE_OF_DIAMONDS, Variant

DIAMONDS = 2
_THREE = 1  # bit of the three in the mask of a suit
_RUNS = LONGEST + 1
_COLUMNS_BITS = (1 << COLUMNS + 1) - 2  # bits 1 to 13
_EVERYWHERE = (1 << COLUMNS + 3) - 1  # bits 0 to 15: no card follows from every column on
_GROUPS, _JOKER_GROUPS = len(GROUP_MASK), len(JOKER_GROUP_MASK)  # of a rank


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


def _words(fits: Any) -> NDArray[np.int64]:
    """Return a word of bits for each row: which groups fit."""
    return np.asarray((fits.astype(np.int64) << np.arange(fits.shape[1])).sum(1), np.int64)


_HELD, _SIZES, _BOUND = np.arange(16)[:, None], np.arange(6)[:, None], np.arange(32)[:, None]
# Bit g tells whether group g of a rank can be laid from the suits held, has a size, has the suits of a lock; 0: any.
FROM_HELD = _words(GROUP_MASK & ~_HELD == 0)
OF_SIZE = _words((_SIZES == 0) | (BITS[GROUP_MASK] == _SIZES))
OF_SUITS = _words((_BOUND == 0) | (GROUP_MASK == _BOUND))
JOKER_FROM_HELD = _words(JOKER_GROUP_MASK & ~_HELD == 0)
JOKER_OF_SIZE = _words((_SIZES == 0) | (BITS[JOKER_GROUP_MASK] + 1 == _SIZES))
JOKER_OF_SUITS = _words((_BOUND == 0) | (JOKER_GROUP_SUITS == _BOUND))


@jit
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§3, §4, §11, §15 to §19)."""
    mask[:ACTIONS] = 0
    if s.turn == OVER:
        return
    hand, lies = s.cards[s.turn], int(s.lies)
    if s.phase != PLAY:
        mark_singles(hand, 1, COLUMNS, 0, mask)
        return
    if lies == PASS:
        mask[PASS] = v.leader_may_pass
        mark_singles(hand, 1, COLUMNS, 0, mask)
        mark_groups(hand, 1, COLUMNS, 0, 0, mask)
        if v.sequences:
            mark_sequences(hand, FIRST, LONGEST, 0, COLUMNS + 1, 0, mask)
        return
    mask[PASS] = 1
    if lies == LONE_JOKER:
        mask[SPADE_THREE] = v.spade_three and hand[0] & 1
        return
    answers(s, hand, lies, mask)


@jit
def answers(s: Any, hand: NDArray[np.int16], lies: int, mask: NDArray[np.int8]) -> None:
    """Mark what beats a set: as many cards of the same kind, in columns above it, or below it in a revolution."""
    low = 0 if s.upside else int(HIGH[lies]) + 1
    high = int(LOW[lies]) - 1 if s.upside else COLUMNS + 1
    kind, size, bound = KIND[lies], int(SIZE[lies]), int(s.bound)
    if kind == SEQUENCE:
        mark_sequences(hand, size, size, low, high, bound, mask)
        return
    low, high = max(low, 1), min(high, COLUMNS)
    if kind == SINGLE:
        mark_singles(hand, low, high, bound, mask)
    elif kind == GROUP:
        mark_groups(hand, low, high, size, bound, mask)


@jit
def mark_singles(hand: NDArray[np.int16], low: int, high: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark the joker, and natural cards of columns `low` to `high`, in the suits of the lock alone if there is one."""
    within, word = columns(low, high), 0
    for suit in range(SUITS):
        if bound == 0 or bound == 1 << suit:
            word |= (int(hand[suit]) & within) << COLUMNS * suit
    write_bits(mask, 1, CARDS, word | int(hand[JOKER_ROW]) << CARDS - 1)


@jit
def columns(low: int, high: int) -> int:
    """Return the bits of columns `low` to `high` in the mask of a suit."""
    return (1 << max(high, 0)) - 1 & ~((1 << (low - 1)) - 1)


@jit
def mark_groups(hand: NDArray[np.int16], low: int, high: int, size: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark groups of a size, 0: of every size, in columns `low` to `high`."""
    a, b, c, d = int(hand[0]), int(hand[1]), int(hand[2]), int(hand[3])
    joker = hand[JOKER_ROW] > 0
    ranks = a | b | c | d if joker else (a & b) | (c & d) | ((a | b) & (c | d))
    ranks &= columns(low, high)
    fit, joker_fit = OF_SIZE[size] & OF_SUITS[bound], JOKER_OF_SIZE[size] & JOKER_OF_SUITS[bound]
    while ranks:
        r = lowest_bit(ranks)
        ranks &= ranks - 1
        held = (a >> r & 1) | (b >> r & 1) << 1 | (c >> r & 1) << 2 | (d >> r & 1) << 3
        write_bits(mask, GROUP_AT + _GROUPS * r, _GROUPS, FROM_HELD[held] & fit)
        if joker:
            write_bits(mask, JOKER_GROUP_AT + _JOKER_GROUPS * r, _JOKER_GROUPS, JOKER_FROM_HELD[held] & joker_fit)


@jit
def mark_sequences(
    hand: NDArray[np.int16], least: int, most: int, low: int, high: int, bound: int, mask: NDArray[np.int8]
) -> None:
    """Mark the sequences of `least` to `most` cards that lie in columns `low` to `high`.

    Bit c of `runs[n]` tells whether n natural cards of the suit follow each other from column c on.
    """
    runs, joker = stack_array(_RUNS, np.int32), int(hand[JOKER_ROW])
    for suit in range(SUITS):
        if bound and bound != 1 << suit:
            continue
        ranks = int(hand[suit]) << 1 & _COLUMNS_BITS
        longest = min(most, count_bits(ranks) + joker)
        runs[0] = _EVERYWHERE
        for n in range(longest):
            runs[n + 1] = runs[n] & (ranks >> n)
        for size in range(least, longest + 1):
            last = high - size + 1  # column in which one may begin at most
            if last < low or (joker == 0 and runs[size] == 0):
                break
            within = (1 << (last + 1)) - (1 << low)
            starts = runs[size] & within
            while starts:
                mask[SEQUENCE_AT[suit, lowest_bit(starts), size]] = 1
                starts &= starts - 1
            for place in range(size if joker else 0):
                starts = runs[place] & (runs[size - 1 - place] >> (place + 1)) & within
                while starts:
                    mask[JOKER_SEQUENCE_AT[suit, lowest_bit(starts), size, place]] = 1
                    starts &= starts - 1
