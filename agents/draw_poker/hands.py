"""Poker hand as the heuristic player reads it: its combination, its class, and the cards that it changes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.draw_poker.evaluate import HAND, NAMES, RANKS, SUITS
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts

# Combinations in the order of ranking="document", whatever the ranking.
HIGH, PAIR, TWO_PAIRS, THREE, FULL, STRAIGHT, FLUSH, STRAIGHT_FLUSH, FOUR, ROYAL = range(10)
COMBINATIONS = 10
VALUE = np.array([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 7, 5, 6, 9, 8, 10]], np.int32)  # [ranking, combination]
COMBINATION = np.array([[NAMES[0].index(name) for name in names] for names in NAMES])  # [ranking, place in it]

# Classes of hands before the exchange; pairs take a class for each rank.
LOW, KING, ACE, OPEN_ENDED, FOUR_SUITED, PAIRS = range(6)
TWO_PAIRS_CLASS = PAIRS + RANKS
THREE_CLASS, STRAIGHT_CLASS, FLUSH_CLASS, FULL_CLASS, FOUR_CLASS, CLASSES = range(
    TWO_PAIRS_CLASS + 1, TWO_PAIRS_CLASS + 7
)
_MADE = np.array(  # the class of each combination
    [
        LOW,
        PAIRS,
        TWO_PAIRS_CLASS,
        THREE_CLASS,
        FULL_CLASS,
        STRAIGHT_CLASS,
        FLUSH_CLASS,
        FOUR_CLASS,
        FOUR_CLASS,
        FOUR_CLASS,
    ]
)

WHEEL = 0b1000000001111  # ranks as bits
FIVE, KING_RANK, ACE_RANK = 3, 11, 12
ALL = (1 << HAND) - 1
_RUNS = [[0b11111 << low for low in range(9)] + [WHEEL] * standard for standard in (0, 1)]
_BITS = np.array([ranks.bit_count() for ranks in range(1 << RANKS)])


def _runs() -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the number of ranks by which four of these grow to a straight, and the fifth of them: [ranking, ranks]."""
    ranks = np.arange(1 << RANKS)
    outs, odd = np.zeros((2, 1 << RANKS), np.int8), np.zeros((2, 1 << RANKS), np.int8)
    for ranking in (0, 1):
        common = np.stack([ranks & run for run in _RUNS[ranking]])
        usable = (_BITS[common] == HAND - 1) & (_BITS[ranks] == HAND)
        for run in range(len(common)):
            n = ((common == common[run]) & usable).sum(0) * usable[run]
            better = n > outs[ranking]
            outs[ranking, better] = n[better]
            odd[ranking, better] = np.log2(np.maximum(ranks & ~common[run], 1))[better]
    return outs, odd


OUTS, ODD = _runs()


class Hand(NamedTuple):
    """A hand as a player looks at it."""

    combination: int
    lead: int  # the rank that most cards have, the highest of several
    kind: int  # class before the exchange
    change: int  # the cards to exchange, as bits


@jit
def look(v: Variant, view: NDArray[Any], at: Parts) -> Hand:
    """Read the hand; equal ranks lie side by side in it."""
    combination, ranks, lead, most, run, last = 0, 0, 0, 0, 0, -1
    for place in range(len(NAMES[0])):
        if view[at.combination + place]:
            combination = COMBINATION[v.ranking, place]
    for i in range(HAND):
        rank = int(view[at.slots + i]) - 1
        run = run + 1 if rank == last else 1
        if run >= most:
            most, lead = run, rank
        ranks, last = ranks | (1 << (rank + 1)) >> 1, rank  # an empty slot, rank −1, adds nothing
    if combination == HIGH:
        return loose(v, view, at, ranks, lead)
    if ranks == WHEEL and combination in (STRAIGHT, STRAIGHT_FLUSH):
        lead = FIVE
    change = 0
    for i in range(HAND):
        rank = int(view[at.slots + i]) - 1
        alone = rank != lead if combination != TWO_PAIRS else single(view, at, i)
        change |= int(alone) << i
    pat = combination in (STRAIGHT, FLUSH, FULL, STRAIGHT_FLUSH, ROYAL)
    kind = _MADE[combination] + (lead if combination == PAIR else 0)
    return Hand(combination, lead, kind, 0 if pat else change)


@jit
def single(view: NDArray[Any], at: Parts, i: int) -> bool:
    """Return True if no neighbour of a card has its rank."""
    rank = view[at.slots + i]
    return (i == 0 or view[at.slots + i - 1] != rank) and (i == HAND - 1 or view[at.slots + i + 1] != rank)


@jit
def loose(v: Variant, view: NDArray[Any], at: Parts, ranks: int, lead: int) -> Hand:
    """Read a hand without any combination: four to a flush or a straight, or its highest cards."""
    for suit in range(SUITS):
        others = 0
        for i in range(HAND):
            others |= (1 - int(view[at.suits + SUITS * i + suit])) << i
        if others & (others - 1) == 0:
            return Hand(HIGH, lead, FOUR_SUITED, others)
    outs = OUTS[v.ranking, ranks]
    if outs == 2:
        return Hand(HIGH, lead, OPEN_ENDED, slot(view, at, ODD[v.ranking, ranks]))
    if lead == ACE_RANK:
        return Hand(HIGH, lead, ACE, ALL >> 1)
    if lead == KING_RANK:
        return Hand(HIGH, lead, KING, ALL >> 1)
    return Hand(HIGH, lead, LOW, ALL >> 1)


@jit
def slot(view: NDArray[Any], at: Parts, rank: int) -> int:
    """Return the bit of the only card of a rank."""
    for i in range(HAND):
        if view[at.slots + i] == rank + 1:
            return 1 << i
    return 0
