"""Strength of a hand of five cards, under either ranking, or of one of two.

The ranks are sorted, and which neighbours are equal tells the combination: four bits choose it, and the order in
which the ranks count, from small tables. Flushes and straights are seen apart. A hand of two cards is a pair or not.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit

RANKS, SUITS, DECK, HAND = 13, 4, 52, 5
NO_CARD = -1  # in places of a hand where no card lies; they come after the cards
DOCUMENT, STANDARD = 0, 1  # values of the variant's field `ranking`
NAMES = (  # lowest first
    (
        "high card",
        "pair",
        "two pairs",
        "three of a kind",
        "full house",
        "straight",
        "flush",
        "straight flush",
        "four of a kind",
        "royal flush",
    ),
    (
        "high card",
        "pair",
        "two pairs",
        "three of a kind",
        "straight",
        "flush",
        "full house",
        "four of a kind",
        "straight flush",
        "royal flush",
    ),
)
RANK = (np.arange(DECK) % RANKS).astype(np.int32)
SUIT = (np.arange(DECK) // RANKS).astype(np.int32)
NO_BIT = 63  # of a word of cards, of what NO_CARD & NO_BIT is; tables by card say there what holds for no card


def by_card(values: NDArray[Any], of_none: int) -> NDArray[np.int32]:
    """Return a table of a value for each card, to be asked with `card & NO_BIT`, which is never below 0."""
    table = np.full(NO_BIT + 1, of_none, np.int32)
    table[:DECK] = values
    return table


ACE = by_card(RANK == RANKS - 1, 0)  # 1 for aces
_KEY = by_card((RANK * SUITS + SUIT << 8) + np.arange(1, DECK + 1), DECK << 8)  # its last byte is the card + 1
_RANK = by_card(RANK, RANKS)  # what three empty places have in common: they make a group
_SUIT_BIT = by_card(1 << SUIT, 0)
_TIE_BITS = 20  # five ranks of four bits, which decide among equal combinations
_FIVE, _TEN, _ACE = 3, 8, 12  # ranks
_STRAIGHT, _FLUSH = 16, 48  # added to the pattern of equal neighbours; twice _STRAIGHT is one that ends in the ace
_TWO = 2 * _FLUSH  # added if the last three places are empty


def _groups(pattern: int) -> list[list[int]]:
    """Return the places of equal ranks, those that count first in front; bit i: place i equals place i + 1."""
    groups = [[0]]
    for i in range(1, HAND):
        if pattern >> (i - 1) & 1:
            groups[-1].append(i)
        else:
            groups.append([i])
    return sorted(groups, key=lambda group: (len(group), group[0]), reverse=True)


def _shifts() -> NDArray[np.int32]:
    """Return the shift of the rank at each sorted place: [pattern, place]."""
    shifts = np.zeros((16, HAND), np.int32)
    for pattern in range(16):
        order = [i for group in _groups(pattern) for i in group]
        for n, i in enumerate(order):
            shifts[pattern, i] = 4 * (HAND - 1 - n)
    return shifts


def _categories() -> NDArray[np.int32]:
    """Return the place of each combination in its ranking: [ranking, pattern and marks of straight and flush]."""
    sizes = {"2111": "pair", "221": "two pairs", "311": "three of a kind", "32": "full house", "41": "four of a kind"}
    marks = {
        _STRAIGHT: "straight",
        2 * _STRAIGHT: "straight",
        _FLUSH: "flush",
        _FLUSH + _STRAIGHT: "straight flush",
        _FLUSH + 2 * _STRAIGHT: "royal flush",
    }
    names = ["high card"] * (_TWO + 16)
    for pattern in range(16):
        shape = "".join(str(len(group)) for group in _groups(pattern))
        names[pattern] = sizes.get(shape, "high card")
        names[_TWO + pattern] = "pair" if shape == "32" else "high card"
    for place, name in marks.items():
        names[place] = name
    return np.array([[ranking.index(name) for name in names] for ranking in NAMES], np.int32)


_SHIFT = _shifts()
_CATEGORY = _categories()


@jit
def sort(hand: NDArray[np.int8]) -> None:
    """Bring the cards of a hand into the order of rank, then suit."""
    a, b, c, d, e = each(_KEY, hand)
    a, b, c, d, e = ascending(a, b, c, d, e)
    hand[0], hand[1], hand[2] = (a & 255) - 1, (b & 255) - 1, (c & 255) - 1
    hand[3], hand[4] = (d & 255) - 1, (e & 255) - 1


@jit
def each(table: NDArray[np.int32], hand: NDArray[Any]) -> tuple[Any, Any, Any, Any, Any]:
    """Return the entries of a table for the five cards of a hand."""
    a, b, c, d, e = hand[0] & NO_BIT, hand[1] & NO_BIT, hand[2] & NO_BIT, hand[3] & NO_BIT, hand[4] & NO_BIT
    return table[a], table[b], table[c], table[d], table[e]


@jit
def ascending(a: Any, b: Any, c: Any, d: Any, e: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return five numbers in ascending order, by a sorting network without branches."""
    a, d = min(a, d), max(a, d)
    b, e = min(b, e), max(b, e)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    a, b = min(a, b), max(a, b)
    c, e = min(c, e), max(c, e)
    b, c = min(b, c), max(b, c)
    d, e = min(d, e), max(d, e)
    c, d = min(c, d), max(c, d)
    return a, b, c, d, e


@jit
def strength(hand: NDArray[Any], ranking: int) -> int:
    """Return a number above 0 that is greater for the better of two hands and equal for equal ones (§9, §10).

    The cards may lie in any order; a hand of two has NO_CARD behind them.
    """
    a, b, c, d, e = each(_RANK, hand)
    return strength_of(hand, ascending(a, b, c, d, e), ranking)


@jit
def strength_of(hand: NDArray[Any], ranks: tuple[Any, Any, Any, Any, Any], ranking: int) -> int:
    """Return the strength of a hand whose ranks are known in ascending order."""
    a, b, c, d, e = ranks
    pattern = (a == b) + 2 * (b == c) + 4 * (c == d) + 8 * (d == e)
    first, second, third, fourth, fifth = each(_SUIT_BIT, hand)
    suits = first & second & third & fourth & fifth
    wheel = int((pattern == 0) & (d == _FIVE) & (e == _ACE) & (ranking == STANDARD))
    straight = int((pattern == 0) & (e - a == HAND - 1))  # NumPy's truths would add up to one truth, not to two
    marks = _STRAIGHT * (straight + (straight & (a == _TEN)) + wheel) + _FLUSH * (suits != 0)
    marks += _TWO * (hand[2] == NO_CARD)
    shift = _SHIFT[pattern]
    ties = (a << shift[0]) + (b << shift[1]) + (c << shift[2]) + (d << shift[3]) + (e << shift[4])
    return (_CATEGORY[ranking, pattern + marks] << _TIE_BITS) + (1 if wheel else ties)


@jit
def category(hand: NDArray[Any], ranking: int) -> int:
    """Return the place of a hand's combination in NAMES: 0 is a high card, 9 a royal flush."""
    return strength(hand, ranking) >> _TIE_BITS


@jit
def category_of_sorted(hand: NDArray[Any], ranking: int) -> int:
    """Return the same for a hand that lies in the order of `sort`, sooner."""
    return strength_of(hand, each(_RANK, hand), ranking) >> _TIE_BITS


@jit
def strengths(hands: NDArray[Any], ranking: int, out: NDArray[Any]) -> None:
    """Write the strength of every hand in `hands` [N, 5]."""
    for i in range(len(out)):
        out[i] = strength(hands[i], ranking)
