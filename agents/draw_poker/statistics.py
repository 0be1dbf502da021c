"""Poker's figures: how often each combination is dealt and how often a draw improves it, beside the exact odds."""

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.statistics.fact import Fact, share
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import play, start
from kozyr.envs.core.rng import spread
from kozyr.envs.draw_poker.actions import CALL, Actions
from kozyr.envs.draw_poker.evaluate import HAND, NAMES, RANK, STANDARD, SUIT, category
from kozyr.envs.draw_poker.rules import EXCHANGE, SECOND

_DEALT = (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4)  # of all hands, as in NAMES
_HIGH, _PAIR, _TWO_PAIRS, _THREE, _STRAIGHT, _FLUSH, _FULL, _FOUR, _STRAIGHT_FLUSH, _ROYAL = range(10)
_FOUR_FLUSH, _OPEN_ENDED = 10, 11  # more hands to draw to
_KINDS = 12
_ACE = 12
_TWO, _ONE = comb(47, 2), 47  # ways to draw two cards, and one
_DRAWS = (  # what is held, what it becomes, exact odds
    ("a pair drawing three: improves", _PAIR, (_TWO_PAIRS, _THREE, _FULL, _FOUR), 4656 / comb(47, 3)),
    ("a pair drawing three: two pairs", _PAIR, (_TWO_PAIRS,), 2592 / comb(47, 3)),
    ("a pair drawing three: three of a kind", _PAIR, (_THREE,), 1854 / comb(47, 3)),
    ("a pair drawing three: full house", _PAIR, (_FULL,), 165 / comb(47, 3)),
    ("a pair drawing three: four of a kind", _PAIR, (_FOUR,), 45 / comb(47, 3)),
    ("two pairs drawing one: full house", _TWO_PAIRS, (_FULL,), 4 / _ONE),
    ("three of a kind drawing two: improves", _THREE, (_FULL, _FOUR), (66 + 46) / _TWO),
    ("four to a flush drawing one: flush", _FOUR_FLUSH, (_FLUSH, _STRAIGHT_FLUSH, _ROYAL), 9 / _ONE),
    ("four to an open-ended straight drawing one: straight", _OPEN_ENDED, (_STRAIGHT,), 8 / _ONE),
)


def facts(deals: int, seed: int) -> list[Fact]:
    """Return the frequencies of combinations, standard ranking, and the odds of draws; five hands a deal."""
    game = envs.game("draw_poker")
    v = game.make_variant(players=5, ranking="standard")
    dealt, draws = np.zeros(len(_DEALT), np.int64), np.zeros((_KINDS, len(_DEALT)), np.int64)
    count_hands(v, np.zeros(1, game.layout(v)), seed, deals, dealt, draws)
    hands = int(dealt.sum())
    figures = [
        share(f"dealt: {name}", int(dealt[i]), hands, 100 * _DEALT[i] / comb(52, 5))
        for i, name in enumerate(NAMES[STANDARD])
    ]
    for name, before, after, odds in _DRAWS:
        total = int(draws[before].sum())
        figures += [share(name, int(draws[before, list(after)].sum()), total, 100 * odds)] if total else []
    return figures


@jit
def count_hands(
    v: Any, states: NDArray[Any], seed: int, deals: int, dealt: NDArray[np.int64], draws: NDArray[np.int64]
) -> None:
    """Deal, let every seat call and exchange for the best, and count combinations before and after."""
    s = states[0]
    for i in range(deals):
        start(v, s, spread(seed, i), -1)
        kinds = 0
        for k in range(v.players):
            dealt[category(s.hand[k], STANDARD)] += 1
            kinds |= kind(s.hand[k]) << (4 * k)  # before the exchange, four bits a seat
        while s.phase < SECOND:
            play(v, s, Actions(v).discard + unwanted(s.hand[s.turn]) if s.phase == EXCHANGE else CALL)
        for k in range(v.players):
            draws[(kinds >> (4 * k)) & 15, category(s.hand[k], STANDARD)] += 1


@jit
def kind(hand: NDArray[Any]) -> int:
    """Return the kind of a sorted hand: its combination, or the straight or flush that it lacks one card of."""
    combination = category(hand, STANDARD)
    if combination != _HIGH:
        return combination
    if odd_suit(hand) >= 0:
        return _FOUR_FLUSH
    return _OPEN_ENDED if odd_end(hand) >= 0 else combination


@jit
def unwanted(hand: NDArray[Any]) -> int:
    """Return the cards of a sorted hand to exchange, as bits: those outside the combination, or the odd one."""
    holding = kind(hand)
    if holding == _FOUR_FLUSH:
        return 1 << odd_suit(hand)
    if holding == _OPEN_ENDED:
        return 1 << odd_end(hand)
    subset = 0
    if holding in (_PAIR, _TWO_PAIRS, _THREE):
        for i in range(HAND):
            alike = 0
            for j in range(HAND):
                alike += RANK[hand[i]] == RANK[hand[j]]
            subset |= int(alike == 1) << i
    return subset


@jit
def odd_suit(hand: NDArray[Any]) -> int:
    """Return the place of the only card of another suit than the other four, or −1."""
    for i in range(HAND):
        same, suit = 0, SUIT[hand[(i + 1) % HAND]]
        for j in range(HAND):
            same += SUIT[hand[j]] == suit
        if same == HAND - 1 and SUIT[hand[i]] != suit:
            return i
    return -1


@jit
def odd_end(hand: NDArray[Any]) -> int:
    """Return the place of the card beside four in sequence that can grow at both ends, or −1."""
    for odd in (0, HAND - 1):
        low = RANK[hand[1 if odd == 0 else 0]]
        high = RANK[hand[HAND - 1 if odd == 0 else HAND - 2]]
        if high - low == HAND - 2 and high < _ACE:
            return odd
    return -1
