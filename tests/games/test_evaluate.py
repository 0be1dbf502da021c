"""Hands of five cards are worth what their ranking says: all of them counted, and compared with other evaluators."""

import itertools
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kozyr.envs.core import cards
from kozyr.envs.draw_poker.evaluate import DOCUMENT, NAMES, STANDARD, category, strength, strengths
from tests.oracles.draw_poker import worth

RANKINGS = {DOCUMENT: "document", STANDARD: "standard"}
COUNTS = {  # of all 2,598,960 hands, the standard ranking, where A-2-3-4-5 is a straight
    "royal flush": 4,
    "straight flush": 36,
    "four of a kind": 624,
    "full house": 3744,
    "flush": 5108,
    "straight": 10200,
    "three of a kind": 54912,
    "two pairs": 123552,
    "pair": 1098240,
    "high card": 1302540,
}
# Without the lowest straight: 4 straight flushes become flushes, 1020 straights become high cards.
DOCUMENT_COUNTS = COUNTS | {"straight flush": 32, "flush": 5112, "straight": 9180, "high card": 1303560}


@cache
def all_hands() -> NDArray[np.int8]:
    """Return every hand, its cards ascending by suit and rank."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(52), 5))
    return np.fromiter(flat, np.int8).reshape(-1, 5)


@cache
def all_strengths(ranking: int) -> NDArray[np.int64]:
    out = np.zeros(len(all_hands()), np.int64)
    strengths(all_hands(), ranking, out)
    return out


def hand(text: str) -> NDArray[np.int8]:
    return np.array(cards.numbers(text, 13), np.int8)


def drawn(count: int, seed: int) -> NDArray[np.intp]:
    """Return places in the list of all hands."""
    return np.random.default_rng(seed).integers(0, len(all_hands()), count)


@pytest.mark.parametrize(("ranking", "counts"), [(STANDARD, COUNTS), (DOCUMENT, DOCUMENT_COUNTS)])
def test_every_combination_is_as_frequent_as_published(ranking: int, counts: dict[str, int]) -> None:
    found = np.bincount(all_strengths(ranking) >> 20, minlength=10)
    assert {name: int(n) for name, n in zip(NAMES[ranking], found, strict=True)} == counts
    assert found.sum() == 2_598_960


def test_the_published_number_of_different_hands() -> None:
    assert len(np.unique(all_strengths(STANDARD))) == 7462
    assert len(np.unique(all_strengths(DOCUMENT))) == 7462


def test_the_document_ranks_by_its_own_list() -> None:
    assert list(reversed(NAMES[DOCUMENT])) == [
        "royal flush",
        "four of a kind",
        "straight flush",
        "flush",
        "straight",
        "full house",
        "three of a kind",
        "two pairs",
        "pair",
        "high card",
    ]


@pytest.mark.parametrize(
    ("better", "worse", "ranking"),
    [
        ("2C 2S 2H 2D 3C", "9C TC JC QC KC", "document"),
        ("9C TC JC QC KC", "2C 2S 2H 2D 3C", "standard"),
        ("TC JC QC KC AC", "AC AS AH AD KC", "document"),
        ("2C 3S 4H 5D 6C", "AC AS AH KD KC", "document"),
        ("AC AS AH KD KC", "2C 3S 4H 5D 6C", "standard"),
        ("2C 3C 4C 5C 7C", "TC JS QH KD AC", "document"),
        ("2C 2S 2H 3D 3C", "AC KC QC JC 9C", "standard"),
        ("AC KC QC JC 9C", "2C 2S 2H 3D 3C", "document"),
        ("2C 3S 4H 5D 6C", "AC 2S 3H 4D 5C", "standard"),
        ("AC 2S 3H 4D 5C", "AC AS AH KD QC", "standard"),
        ("2C 2S 3H 4D 5C", "AC 2S 3H 4D 5H", "document"),
        ("AC 2S 3H 4D 6H", "AC 2S 3H 4D 5H", "document"),
        ("AC 2C 3C 4C 5C", "KC KS KH KD QC", "standard"),
        ("3C 4C 5C 6C 8C", "2C 4C 5C 6C 8C", "document"),
        ("3C 3S 2H 4D 6C", "2C 2S AH KD QC", "document"),
        ("3H 3D 2C 2S AC", "3C 3S 2H 2D 4C", "standard"),
        ("4C 4S 2H 2D 3C", "3C 3S 2C 2S AC", "document"),
        ("3C 3S 3H 2D 2C", "2H 2S 2C AD AC", "document"),
    ],
)
def test_pairs_of_hands(better: str, worse: str, ranking: str) -> None:
    choice = {name: number for number, name in RANKINGS.items()}[ranking]
    assert strength(hand(better), choice) > strength(hand(worse), choice)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_suits_never_decide(ranking: int) -> None:
    shifted = (all_hands()[::37] + 13) % 52
    out = np.zeros(len(shifted), np.int64)
    strengths(shifted, ranking, out)
    np.testing.assert_array_equal(out, all_strengths(ranking)[::37])


@pytest.mark.parametrize("ranking", RANKINGS)
def test_the_order_of_the_cards_does_not_matter(ranking: int) -> None:
    places, rng = drawn(5000, 3), np.random.default_rng(3)
    mixed = rng.permuted(all_hands()[places], axis=1)
    out = np.zeros(len(mixed), np.int64)
    strengths(mixed, ranking, out)
    np.testing.assert_array_equal(out, all_strengths(ranking)[places])


@pytest.mark.parametrize("ranking", RANKINGS)
def test_hands_compare_as_the_oracle_says(ranking: int) -> None:
    places = drawn(200_000, 11 + ranking)
    slow = [worth(cards, RANKINGS[ranking]) for cards in all_hands()[places].tolist()]
    fast = all_strengths(ranking)[places].tolist()
    for i in range(0, len(slow), 2):
        assert (fast[i] > fast[i + 1], fast[i] == fast[i + 1]) == (slow[i] > slow[i + 1], slow[i] == slow[i + 1])
    by_worth = dict(zip(slow, fast, strict=True))
    assert [by_worth[key] for key in sorted(by_worth)] == sorted(set(fast))
    assert Counter(key[0] for key in slow) == Counter(n >> 20 for n in fast)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_the_category_is_that_of_the_oracle(ranking: int) -> None:
    for cards_of in all_hands()[drawn(3000, 5)]:
        assert category(cards_of, ranking) == worth(cards_of.tolist(), RANKINGS[ranking])[0]


def phevaluator_ranks(hands: NDArray[np.int8]) -> list[int]:
    """Return the ranks that phevaluator gives, 1 the best; its cards are rank × 4 + suit."""
    evaluate = pytest.importorskip("phevaluator").evaluate_cards
    return [evaluate(*row) for row in ((hands % 13) * 4 + hands // 13).tolist()]


def pokerkit_ranks(hands: NDArray[np.int8]) -> list[int]:
    """Return the places that pokerkit gives, higher is better."""
    kit = pytest.importorskip("pokerkit")
    deck = [next(kit.Card.parse(rank + suit.lower())) for suit in cards.SUITS for rank in cards.RANKS]
    table = kit.StandardLookup()
    return [table.get_entry([deck[c] for c in row]).index for row in hands.tolist()]


def in_order(values: Any) -> NDArray[np.intp]:
    """Return the place of each value among the different ones, the lowest first."""
    return np.unique(np.asarray(values), return_inverse=True)[1]


@pytest.mark.parametrize(("theirs", "sign"), [(phevaluator_ranks, -1), (pokerkit_ranks, 1)])
def test_other_evaluators_agree_on_a_sample(theirs: Callable[..., list[int]], sign: int) -> None:
    places = drawn(50_000, 21)
    ranks = sign * np.array(theirs(all_hands()[places]))
    np.testing.assert_array_equal(in_order(all_strengths(STANDARD)[places]), in_order(ranks))


@pytest.mark.slow
@pytest.mark.parametrize(("theirs", "sign"), [(phevaluator_ranks, -1), (pokerkit_ranks, 1)])
def test_other_evaluators_agree_on_all_hands(theirs: Callable[..., list[int]], sign: int) -> None:
    np.testing.assert_array_equal(in_order(all_strengths(STANDARD)), in_order(sign * np.array(theirs(all_hands()))))


@pytest.mark.slow
@pytest.mark.parametrize("ranking", RANKINGS)
def test_all_hands_compare_as_the_oracle_says(ranking: int) -> None:
    by_worth: dict[Any, set[int]] = {}
    for cards_of, ours in zip(all_hands().tolist(), all_strengths(ranking).tolist(), strict=True):
        by_worth.setdefault(worth(cards_of, RANKINGS[ranking]), set()).add(ours)
    assert all(len(ours) == 1 for ours in by_worth.values())
    ascending = [by_worth[key].pop() for key in sorted(by_worth)]
    assert ascending == sorted(ascending)
