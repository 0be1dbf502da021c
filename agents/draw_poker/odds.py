"""Count the hands that others may hold among the cards which a poker player has not seen."""

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.hands import (
    COMBINATIONS,
    FLUSH,
    FOUR,
    FULL,
    HIGH,
    PAIR,
    ROYAL,
    STRAIGHT,
    THREE,
    TWO_PAIRS,
    VALUE,
    WHEEL,
)
from kozyr.envs.compile import count_bits, jit
from kozyr.envs.draw_poker.evaluate import DECK, RANKS, STANDARD, SUITS
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts

MIDDLE, TOP = 4, 7  # values up to these are counted apart
CHOOSE = np.array([[comb(n, k) for k in range(6)] for n in range(RANKS + 1)], np.float64)  # [n, k]
_FIVE, _SIX = 3, 4  # ranks


class Unseen(NamedTuple):
    """The cards that may be in other hands."""

    bits: int  # one for each card
    cards: int
    two: int  # ways to take two cards of different ranks
    three: int
    four: int
    pairs: int  # ways to take two of the same rank


@jit
def hidden(view: NDArray[Any], at: Parts) -> int:
    """Return the cards that are neither in the hand nor among the own discards, as bits."""
    bits = 0
    for c in range(DECK):
        bits |= (1 - int(view[at.cards + c] | view[at.gone + c])) << c
    return bits


@jit
def count_unseen(bits: int) -> Unseen:
    """Count the unseen cards."""
    u = Unseen(bits, 0, 0, 0, 0, 0)
    for rank in range(RANKS):
        u = joined(u, number(bits, rank))
    return u


@jit
def joined(u: Unseen, n: int) -> Unseen:
    """Count `n` cards of one more rank too."""
    pairs = u.pairs + n * (n - 1) // 2
    return Unseen(u.bits, u.cards + n, u.two + u.cards * n, u.three + u.two * n, u.four + u.three * n, pairs)


@jit
def number(bits: int, rank: int) -> int:
    """Return the number of unseen cards of a rank."""
    cards = bits >> rank
    return (cards & 1) + (cards >> RANKS & 1) + (cards >> 2 * RANKS & 1) + (cards >> 3 * RANKS & 1)


@jit
def odds_of_better(v: Variant, u: Unseen, mine: int, lead: int) -> tuple[float, float, float]:
    """Return the chances of better cards worth up to MIDDLE, up to TOP and above; those led alike count half."""
    low, middle, high, value = 0.0, 0.0, 0.0, VALUE[v.ranking, mine]
    below = Unseen(u.bits, 0, 0, 0, 0, 0)
    for rank in range(RANKS):
        for combination in range(COMBINATIONS):
            theirs = VALUE[v.ranking, combination]
            if theirs < value or (combination == mine and rank < lead):
                continue
            ways = hands(v, u, below, combination, rank) * (0.5 if combination == mine and rank == lead else 1.0)
            low += ways if theirs <= MIDDLE else 0.0
            middle += ways if MIDDLE < theirs <= TOP else 0.0
            high += ways if theirs > TOP else 0.0
        below = joined(below, number(u.bits, rank))
    n = u.cards
    every = max(1.0, n * (n - 1.0) * (n - 2.0) * (n - 3.0) * (n - 4.0) / 120.0)
    return low / every, middle / every, high / every


@jit
def hands(v: Variant, u: Unseen, below: Unseen, combination: int, rank: int) -> float:
    """Count the hands of five unseen cards that are a combination led by a rank, below which lie those cards."""
    n = number(u.bits, rank)
    if combination >= STRAIGHT and combination != FOUR:
        return sequences(v, u, combination, rank)
    others = u.cards - n
    two = u.two - n * others  # cards of different ranks among the others
    if combination == HIGH:
        return 1.0 * n * below.four
    if combination == PAIR:
        return CHOOSE[n, 2] * (u.three - n * two)
    if combination == TWO_PAIRS:  # a lower pair takes its whole rank from the fifth card
        return CHOOSE[n, 2] * below.pairs * (others - SUITS)
    if combination == THREE:
        return CHOOSE[n, 3] * two
    if combination == FULL:
        return CHOOSE[n, 3] * (u.pairs - CHOOSE[n, 2])
    return CHOOSE[n, 4] * others


@jit
def sequences(v: Variant, u: Unseen, combination: int, rank: int) -> float:
    """Count the straights and flushes, or both at once, led by a rank."""
    if combination == FLUSH:
        return suited(u, rank, 0)
    wheel = v.ranking == STANDARD and rank == _FIVE
    if (rank < _SIX and not wheel) or (combination != STRAIGHT and (combination == ROYAL) != (rank == RANKS - 1)):
        return 0.0
    run = WHEEL if wheel else 0b11111 << (rank - 4)
    if combination != STRAIGHT:
        return suited(u, rank, run)
    ways = 1.0 * number(u.bits, RANKS - 1 if wheel else rank - 4)
    for other in range(max(0, rank - 3), rank + 1):
        ways *= number(u.bits, other)
    return ways


@jit
def suited(u: Unseen, rank: int, run: int) -> float:
    """Count the unseen flushes of which this rank is the highest, or the runs of ranks, given as bits, in one suit."""
    ways = 0.0
    for suit in range(SUITS):
        ranks = u.bits >> RANKS * suit
        flush = (ranks >> rank & 1) * CHOOSE[count_bits(ranks & ((1 << rank) - 1)), 4]
        ways += flush if run == 0 else 1.0 * ((ranks & run) == run)
    return ways
