"""Exchange of the priority player: the cards that each combination lacks, and the combinations an exchange serves."""

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.hands import (
    COMBINATIONS,
    FLUSH,
    FOUR,
    FULL,
    PAIR,
    ROYAL,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIRS,
    VALUE,
    WHEEL,
)
from kozyr.envs.compile import jit
from kozyr.envs.draw_poker.actions import SUBSETS
from kozyr.envs.draw_poker.evaluate import DECK, HAND, RANKS, SUITS
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts

BEYOND = 9  # cards missing where the kept cards do not fit a combination

SAME = 0.01  # changes that serve this much less are as good if they spare higher cards
UNSEEN = DECK - HAND  # cards that may come in the exchange
_OUTS = (0, 3, 3, 2, 3, 4, 9, 1, 1, 1)  # of each combination: cards that bring it one card nearer
CHANCE = np.array(  # [combination, cards missing, cards drawn]
    [[[min(1.0, comb(d, j) * (o / UNSEEN) ** j) for d in range(6)] for j in range(6)] for o in _OUTS]
)
NEW_PAIR = np.array([comb(d, 2) * 3 / UNSEEN for d in range(6)])  # [cards drawn]: two of them make a pair
_ACE_HIGH = 0b11111 << 8  # ranks as bits
_CARD_BITS = 6

_RUNS = [[0b11111 << low for low in range(8)] + [WHEEL] * standard for standard in (0, 1)]
WINDOWS = np.array(  # [ranking, ranks as bits]: how many straights below the ace-high one they fit into
    [((np.arange(1 << RANKS)[:, None] & ~np.array(runs)) == 0).sum(1) for runs in _RUNS], np.int8
)
BITS = np.array([ranks.bit_count() for ranks in range(1 << RANKS)])
_FEW = np.flatnonzero(BITS <= HAND).tolist()  # the ranks that a hand without a pair may have


class Kept(NamedTuple):
    """Summary of the cards kept in an exchange."""

    cards: int
    most: int  # the largest number of cards of one rank
    second: int  # the same among the other ranks
    lead: int  # the rank that most cards have, the highest of several; −1 without cards
    ranks: int  # a bit for each rank
    suited: bool


def _missing(v: Variant, k: Kept, combination: int) -> int:
    """Return the number of cards that a combination lacks, or BEYOND if the kept cards stand in its way."""
    draws, loose = HAND - k.cards, k.most <= 1
    if combination <= TWO_PAIRS:
        lacks = max(0, 2 - k.most) if combination >= PAIR else 0
        return lacks + max(0, 2 - k.second) if combination == TWO_PAIRS else lacks
    if combination in (THREE, FOUR):
        return max(0, (3 if combination == THREE else 4) - k.most)
    if combination == FULL:
        fits = k.most <= 3 and k.second <= 2 and k.most + k.second == k.cards
    elif combination == ROYAL:
        fits = loose and k.suited and (k.ranks & ~_ACE_HIGH) == 0
    elif combination == FLUSH:
        fits = loose and k.suited
    else:
        high = combination == STRAIGHT and (k.ranks & ~_ACE_HIGH) == 0
        fits = loose and (WINDOWS[v.ranking, k.ranks] > 0 or high) and (k.suited or combination == STRAIGHT)
    return draws if fits else BEYOND


def _chance(v: Variant, k: Kept, combination: int, lacks: int) -> float:
    """Estimate the chance that the exchange brings the cards which a combination lacks."""
    ways = CHANCE[combination, lacks, HAND - k.cards]
    if combination == STRAIGHT:
        return ways * (int(WINDOWS[v.ranking, k.ranks]) + ((k.ranks & ~_ACE_HIGH) == 0))
    if combination == STRAIGHT_FLUSH:
        return ways * int(WINDOWS[v.ranking, k.ranks])
    if combination in (TWO_PAIRS, FULL) and lacks == 2 and k.second == 0:
        return NEW_PAIR[HAND - k.cards]
    return ways


def _service(v: Variant, k: Kept) -> float:
    """Return the value of a change: the sum over the combinations that need it, each weighted by its chance."""
    total = 0.0
    for combination in range(COMBINATIONS):
        lacks = _missing(v, k, combination)
        if lacks <= HAND - k.cards:
            total += (VALUE[v.ranking, combination] - lacks) * _chance(v, k, combination, lacks)
    return total


def _priorities(v: Variant, k: Kept) -> tuple[float, float]:
    """Return the priority of the hand as it is, and the best of a hand that a change may bring.

    The best one is reinforced by the others that need the same change, each as far as it is likely.
    """
    worst, best, helped, helps = 0.0, 0.0, 0.0, 0.0
    for combination in range(COMBINATIONS):
        lacks, value = _missing(v, k, combination), VALUE[v.ranking, combination]
        if lacks == 0:
            worst = max(worst, value)
        elif lacks <= HAND - k.cards:
            likely = (value - lacks) * _chance(v, k, combination, lacks)
            helps += likely
            if value - lacks > best:
                best, helped = value - lacks, likely
    return worst, max(worst, best + helps - helped)


def _tables() -> NDArray[np.float64]:
    """Return the value, the worst and the best priority of every sort of kept cards: [3, *sort]."""
    tables = np.zeros((3, 2, HAND + 1, HAND, 3, WINDOWS.max() + 1, 2, 2))
    for ranking in (0, 1):
        v = Variant(ranking=ranking)
        for most, second in ((2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1)):
            for n in range(most + second, HAND + 1):
                k = Kept(n, most, second, 0, 0, False)
                tables[:, ranking, n, most, second, 0, 0, 0] = _service(v, k), *_priorities(v, k)
        sorts = {(int(BITS[r]), int(WINDOWS[ranking, r]), r & ~_ACE_HIGH == 0): r for r in _FEW}
        for (n, windows, high), ranks in sorts.items():
            for suited in (False, True):
                k = Kept(n, min(1, n), int(n > 1), 0, ranks, suited)
                entry = _service(v, k), *_priorities(v, k)
                tables[:, ranking, n, k.most, k.second, windows, int(high), int(suited)] = entry
    return tables


missing = jit(_missing)
SERVICE, WORST, BEST = _tables()


@jit
def sort_of(v: Variant, k: Kept) -> tuple[int, int, int, int, int, int, int]:
    """Return the index of kept cards in the tables: ranking, cards, most, second, windows, fit the highest, suited."""
    if k.most > 1:
        return v.ranking, k.cards, k.most, k.second, 0, 0, 0
    high = int((k.ranks & ~_ACE_HIGH) == 0)
    return v.ranking, k.cards, k.most, k.second, int(WINDOWS[v.ranking, k.ranks]), high, int(k.suited)


@jit
def priorities(v: Variant, k: Kept) -> tuple[float, float]:
    """Look up the worst priority, that of the hand as it is, and the best that a change may bring."""
    sort = sort_of(v, k)
    return WORST[sort], BEST[sort]


@jit
def is_hand(view: NDArray[Any], at: Parts) -> bool:
    """Return True if the slots show five cards in order, as the tables expect them."""
    fine = view[at.slots] > 0 and view[at.slots] < view[at.slots + HAND - 1]
    for i in range(1, HAND):
        fine = fine and view[at.slots + i - 1] <= view[at.slots + i]
    return fine


@jit
def cards(view: NDArray[Any], at: Parts) -> int:
    """Pack the hand into a number, _CARD_BITS a card."""
    packed = 0
    for i in range(HAND):
        own = at.suits + SUITS * i
        suit = int(view[own + 1]) + 2 * int(view[own + 2]) + 3 * int(view[own + 3])
        packed |= (SUITS * (int(view[at.slots + i]) - 1) + suit % SUITS) << _CARD_BITS * i
    return packed


@jit
def hand_without(view: NDArray[Any], at: Parts, change: int) -> Kept:
    """Describe the hand without the cards whose bits are set; equal ranks lie side by side in it."""
    return packed_without(cards(view, at), change)


@jit
def packed_without(packed: int, change: int) -> Kept:
    """Describe a packed hand without the cards whose bits are set."""
    cards, most, second, lead, ranks, run, last, suit, suited = 0, 0, 0, -1, 0, 0, -1, -1, True
    for i in range(HAND):
        if (change >> i) & 1:
            continue
        card = packed >> _CARD_BITS * i
        rank, mine = (card >> 2) & 15, card & 3
        suited = suited and (suit < 0 or suit == mine)
        run = run + 1 if rank == last else 1
        if run >= most:
            second = most if rank != lead else second
            most, lead = run, rank
        else:
            second = max(second, run)
        cards, ranks, last, suit = cards + 1, ranks | (1 << rank), rank, mine
    return Kept(cards, most, second, lead, ranks, suited)


@jit
def best_change(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Return the subset of cards whose change serves the most valuable combinations; of equals, the lowest cards."""
    best, most, packed = 0, -1.0, cards(view, at)
    for change in range(SUBSETS):
        served = SERVICE[sort_of(v, packed_without(packed, change))]
        if served > most + SAME:
            best, most = change, served
    return best
