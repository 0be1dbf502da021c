"""The Daifugo player that counts, where cards have suits: it sorts a hand into sequences and groups.

A set is a control if the unseen cards cannot beat it and a burden otherwise, as for the player without suits, whose
prices it has. A hand is split so that few sets are left: a sequence is kept together if it saves two groups.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.daifugo.heuristic import (
    ALARM,
    BACKING,
    BROKEN,
    BURDEN,
    CONTROL,
    DEAR,
    HASTE,
    HOLD,
    LARGE,
    LONE_JOKER,
    NEARLY_OUT,
    STOP,
    SURE,
    TOP,
    TURN,
)
from kozyr.agents.daifugo.suited import hand_of, without
from kozyr.envs.compile import jit, lowest_bit, stack_array
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.suited.sets import (
    CARDS,
    COLUMNS,
    FIRST,
    HIGH,
    JOKER_ROW,
    JOKERED,
    KIND,
    LONE,
    LOW,
    PASS,
    SEQUENCE,
    SIZE,
    STOPS,
    SUITS,
    TURNS,
)
from kozyr.envs.daifugo.variant import Variant
from kozyr.envs.daifugo.view import Parts

SAVES = 2  # groups that a sequence must save to be kept together
_MASKS = SUITS + 1
_ALL = (1 << COLUMNS) - 1
_EIGHTS = 1 << 5
_HIGHEST = 1e9


class Unseen(NamedTuple):
    """Strength of other hands: the strongest step (0: weakest rank) at which they may lay 1, 2, 3, 4 cards, or −1."""

    upside: bool
    one: int
    two: int
    three: int
    four: int
    fewest: int  # cards in the shortest other hand


@jit
def suited_heuristic(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Go out if nobody can prevent it; else lay the set that costs least, or pass if that costs too much."""
    hand, rest = stack_array(_MASKS, np.int32), stack_array(_MASKS, np.int32)
    hand_of(view, at.cards, hand)
    o = unseen(v, view, at, hand)
    burdens, controls = split(v, hand, o)
    best, least = PASS, _HIGHEST
    if mask[PASS] and view[at.pile] > 0:
        least = HOLD - HASTE * view[at.sizes] + BACKING * controls + ALARM * (o.fewest <= NEARLY_OUT)
    for a in range(1, len(mask)):
        if mask[a]:
            without(hand, a, rest)
            cost = price(v, view, at, o, a, hand, rest, burdens, controls)
            if cost < least:
                best, least = a, cost
    return best


@jit
def best_gift(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Return the card to give away that leaves the best hand."""
    hand, rest = stack_array(_MASKS, np.int32), stack_array(_MASKS, np.int32)
    hand_of(view, at.cards, hand)
    o = unseen(v, view, at, hand)
    best, least = PASS, _HIGHEST
    for a in range(1, CARDS + 1):
        if mask[a]:
            without(hand, a, rest)
            burdens, controls = split(v, rest, o)
            cost = TOP * (LOW[a] - 1) / (COLUMNS - 1) if a < CARDS else 2 * LONE_JOKER
            cost += BURDEN * burdens - CONTROL * controls
            if cost < least:
                best, least = a, cost
    return best


@jit
def unseen(v: Variant, view: NDArray[Any], at: Parts, hand: NDArray[np.int32]) -> Unseen:
    """Return the strongest sets that others may lay."""
    gone = stack_array(_MASKS, np.int32)
    hand_of(view, at.gone, gone)
    upside = v.revolution and view[at.upside] > 0
    joker = int(v.joker) - gone[JOKER_ROW] - hand[JOKER_ROW]
    a, b = _ALL & ~(hand[0] | gone[0]), _ALL & ~(hand[1] | gone[1])
    c, d = _ALL & ~(hand[2] | gone[2]), _ALL & ~(hand[3] | gone[3])
    one = a | b | c | d
    two = (a & b) | (c & d) | ((a | b) & (c | d))
    three = (a & b & (c | d)) | (c & d & (a | b))
    four = a & b & c & d
    if joker:
        two, three, four = one, two, three
    fewest, most = CARDS, 0
    for k in range(1, v.players):
        if view[at.place + k] - 1 == IN:
            fewest, most = min(fewest, view[at.sizes + k]), max(most, view[at.sizes + k])
    return Unseen(
        upside,
        COLUMNS if joker else top_step(one, upside),
        top_step(two, upside) if most > 1 else -1,
        top_step(three, upside) if most > 2 else -1,
        top_step(four, upside) if most > 3 else -1,
        fewest,
    )


@jit
def top_step(ranks: int, upside: bool) -> int:
    """Return the strongest step among ranks given as bits, or −1."""
    if ranks == 0:
        return -1
    if upside:
        return COLUMNS - 1 - lowest_bit(ranks)
    step = COLUMNS - 1
    while not ranks >> step & 1:
        step -= 1
    return step


@jit
def sure(v: Variant, r: int, n: int, o: Unseen) -> bool:
    """Return True if nobody can beat `n` cards of a rank."""
    if v.eight_stop and 1 << r == _EIGHTS:
        return True
    step = COLUMNS - 1 - r if o.upside else r
    return step >= (o.one if n == 1 else o.two if n == 2 else o.three if n == 3 else o.four)


@jit
def split(v: Variant, hand: NDArray[np.int32], o: Unseen) -> tuple[int, int]:
    """Return the numbers of burdens and controls in a hand, its sequences kept together if that leaves fewer sets."""
    burdens = controls = 0
    rest = stack_array(SUITS, np.int32)
    for suit in range(SUITS):
        rest[suit] = hand[suit]
    for suit in range(SUITS if v.sequences else 0):
        others = rest[suit - 1] | rest[suit - 2] | rest[suit - 3]
        run = best_run(rest[suit], rest[suit] & ~others)
        controls += run > 0
        rest[suit] &= ~run
    a, b, c, d = int(rest[0]), int(rest[1]), int(rest[2]), int(rest[3])
    ranks = a | b | c | d
    while ranks:
        r = lowest_bit(ranks)
        ranks &= ranks - 1
        n = (a >> r & 1) + (b >> r & 1) + (c >> r & 1) + (d >> r & 1)
        if sure(v, r, n, o):
            controls += 1
        else:
            burdens += 1
    return burdens, controls


@jit
def best_run(mine: int, alone: int) -> int:
    """Return the cards of a suit's sequence that saves most groups, and at least SAVES, or 0.

    A group is saved where the sequence takes the only card of a rank; the sequence itself is one more set.
    """
    if not mine & mine >> 1 & mine >> 2:
        return 0
    best, most, start = 0, SAVES, 0
    while start < COLUMNS - 2:
        if not mine >> start & 1:
            start += 1
            continue
        end, saved = start, 0
        while end < COLUMNS and mine >> end & 1:
            saved += alone >> end & 1
            end += 1
        if end - start >= FIRST and saved - 1 >= most:
            best, most = ((1 << end) - 1) & ~((1 << start) - 1), saved
        start = end + 1
    return best


@jit
def price(
    v: Variant, view: NDArray[Any], at: Parts, o: Unseen, a: int,
    hand: NDArray[np.int32], rest: NDArray[np.int32], burdens: int, controls: int,
) -> float:  # fmt: skip
    """Return the cost of a set, the lowest of all if nobody can prevent going out after it."""
    n = int(SIZE[a])
    if n == view[at.sizes]:
        return -_HIGHEST
    turns = v.revolution and TURNS[a] > 0
    after, controls_after = split(v, rest, o)
    wins = KIND[a] == LONE or KIND[a] == SEQUENCE or (v.eight_stop and STOPS[a] > 0) or sure(v, LOW[a] - 1, n, o)
    if KIND[a] == LONE and v.spade_three and not view[at.cards] and not view[at.gone]:
        wins = False  # somebody has the three of spades
    if wins and not turns and after <= 1:
        return -_HIGHEST + n
    cost = LONE_JOKER
    if KIND[a] != LONE:
        middle = 0.5 * (LOW[a] + HIGH[a]) - 1
        cost = TOP * (COLUMNS - 1 - middle if o.upside else middle) / (COLUMNS - 1)
    cost += DEAR * JOKERED[a] + BURDEN * (after - burdens) - CONTROL * (controls_after - controls)
    if view[at.pile] == 0:
        cost -= LARGE * (n > 1 and o.fewest < n)
    else:
        bit = 1 << max(LOW[a] - 1, 0)
        cost += BROKEN * (KIND[a] != SEQUENCE and ((rest[0] | rest[1] | rest[2] | rest[3]) & bit) > 0) - SURE * wins
    if v.eight_stop and STOPS[a]:
        cost -= STOP
    return cost + TURN * lean(rest, o.upside) if turns else cost


@jit
def lean(rest: NDArray[np.int32], upside: bool) -> float:
    """Return the steps by which the cards left over are stronger than the middle rank, on average."""
    total, n = 0, 0
    for suit in range(SUITS):
        cards = int(rest[suit])
        while cards:
            total += 2 * lowest_bit(cards) - COLUMNS + 1
            n += 1
            cards &= cards - 1
    mean = 0.5 * total / max(n, 1)
    return -mean if upside else mean
