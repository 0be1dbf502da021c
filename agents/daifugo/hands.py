"""Hands of imagined worlds, cards known by rank alone or by suit too: what is hidden in them, and exchanges of it.

A card is its rank where cards have no suits, and its number from 0 where they have.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit, lowest_bit, write_bits
from kozyr.envs.daifugo.actions import KIND, NATURAL, RANK, WITH_JOKER
from kozyr.envs.daifugo.suited.rules import strength
from kozyr.envs.daifugo.suited.sets import CARDS, CARDS_OF, COLUMNS, JOKER_ROW, JOKERED, SIZE, SUITS
from kozyr.envs.daifugo.suited.view import put, word_of
from kozyr.envs.daifugo.variant import JOKER, Variant
from kozyr.envs.daifugo.view import Parts, write_counts


@jit
def copy_hand(v: Variant, world: Any, k: int, s: Any) -> None:
    """Give a seat the hand that it has in a world."""
    if v.suits:
        for row in range(SUITS + 1):
            s.cards[k, row] = world.cards[k, row]
    else:
        write_counts(world.hand[k], s.hand[k])


@jit
def show_hand(v: Variant, s: Any, k: int, view: NDArray[Any]) -> None:
    """Write the hand of a seat into a view of its own."""
    if v.suits:
        write_bits(view, Parts(v).cards, CARDS, word_of(s.cards[k]))
    else:
        write_counts(s.hand[k], view[Parts(v).hand :])


@jit
def take_back(v: Variant, s: Any, k: int, a: int) -> Any:
    """Put the cards of a set into a hand and return their number."""
    if v.suits:
        for suit in range(SUITS):
            s.cards[k, suit] |= CARDS_OF[a, suit]
        s.cards[k, JOKER_ROW] |= JOKERED[a]
        return int(SIZE[a])
    kind = KIND[v.ranks, a]
    natural, joker = int(NATURAL[kind]), int(WITH_JOKER[kind])
    s.hand[k, RANK[v.ranks, a]] += natural
    s.hand[k, JOKER] += joker
    return natural + joker


@jit
def hidden(v: Variant, s: Any, k: int) -> int:
    """Return the number of cards of a hand that the first seat does not know."""
    n = int(s.count[k])
    if v.suits:
        for row in range(SUITS + 1):
            n -= count_bits(int(s.cards[k, row] & s.gave[0, row]))
    else:
        for r in range(JOKER + 1):
            n -= s.known[k, r]
    return n


@jit
def nth_hidden(v: Variant, s: Any, k: int, n: int) -> int:
    """Return the n-th hidden card of a hand, from 0."""
    row = 0
    if v.suits:
        cards = int(s.cards[k, 0] & ~s.gave[0, 0])
        while n >= count_bits(cards):
            n -= count_bits(cards)
            row += 1
            cards = int(s.cards[k, row] & ~s.gave[0, row])
        for _ in range(n):
            cards &= cards - 1
        return row * COLUMNS + lowest_bit(cards)
    while n >= s.hand[k, row] - s.known[k, row]:
        n -= s.hand[k, row] - s.known[k, row]
        row += 1
    return row


@jit
def may_hold(v: Variant, s: Any, k: int, card: int) -> bool:
    """Return True if a hidden card may be in a hand, judged by the cards that its owner gave away."""
    return strength(card) < s.top[k] if v.suits else card <= s.top[k]


@jit
def swap(v: Variant, s: Any, i: int, c: int, j: int, d: int) -> None:
    """Exchange card c of one hand for card d of another."""
    if v.suits:
        move(s, i, j, c)
        move(s, j, i, d)
    else:
        s.hand[i, c] -= 1
        s.hand[j, c] += 1
        s.hand[j, d] -= 1
        s.hand[i, d] += 1


@jit
def move(s: Any, giver: int, taker: int, card: int) -> None:
    """Move a card with a suit from hand to hand."""
    s.cards[giver, card // COLUMNS] &= ~np.int16(1 << card % COLUMNS)
    put(s.cards[taker], card)


@jit
def exchange_factor(giver_hidden: int, giver_dealt: int, taker_hidden: int, taker_dealt: int) -> float:
    """Return the factor of Metropolis's rule for a card of a rank, without suit, that goes from one hand to another.

    Cards of a rank are alike. Hands that were dealt m of them each come in a number of ways proportional to Π 1 / m!.
    Exchanges of the h that are still hidden, drawn at random, count Π 1 / h! instead.

    Args:
        giver_hidden, taker_hidden: cards of the rank that are hidden in either hand, before the exchange.
        giver_dealt, taker_dealt: the same with those that the hand has laid since it was dealt.
    """
    return giver_dealt / giver_hidden * (taker_hidden + 1) / (taker_dealt + 1)
