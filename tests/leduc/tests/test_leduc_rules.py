"""The paragraphs of RULES.md, one test each."""

from typing import Any

import numpy as np
import pytest
from leduc import GAME
from leduc.rules import CALL, FOLD, RAISE

from kozyr.envs.core import dispatch

V = GAME.make_variant()
JS, JH, QS, QH, KS, KH = range(6)


def position(*bets: int, hands: tuple[int, int] = (KS, QH), open_card: int = JS) -> Any:
    """Return the position after some actions; seat 0 began."""
    s: Any = np.zeros(1, GAME.state)[0]
    dispatch.start(V, s, 1, 0)
    s.hand[:2], s.open_card = hands, open_card
    for action in bets:
        dispatch.play(V, s, action)
    return s


def legal(s: Any) -> list[int]:
    mask = np.zeros(3, np.int8)
    dispatch.legal(V, s, mask)
    return np.flatnonzero(mask).tolist()


def test_s1_everybody_pays_one_chip_and_gets_one_card() -> None:
    s = position()
    assert s.paid.tolist() == [1, 1, 0]
    assert len({int(s.hand[0]), int(s.hand[1]), int(s.open_card)}) == 3


def test_s2_each_action_is_said_in_a_word() -> None:
    assert [GAME.text.say(V, position(), action) for action in (FOLD, CALL, RAISE)] == ["fold", "call", "raise"]
    assert GAME.text.parse(V, " Raise ") == RAISE


def test_s2_to_fold_is_allowed_only_where_a_call_costs_something() -> None:
    assert legal(position()) == [CALL, RAISE]
    assert legal(position(RAISE)) == [FOLD, CALL, RAISE]


def test_s3_a_raise_costs_two_then_four_and_two_are_allowed() -> None:
    assert position(RAISE, RAISE).paid.tolist() == [3, 5, 0]
    assert legal(position(RAISE, RAISE)) == [FOLD, CALL]
    assert position(CALL, CALL, RAISE).paid.tolist() == [5, 1, 0]


def test_s4_the_starter_begins_the_second_round() -> None:
    s = position(CALL, RAISE, CALL)
    assert (int(s.street), int(s.turn)) == (1, 0)


def test_s5_the_one_that_is_left_wins() -> None:
    assert position(RAISE, FOLD).payoff.tolist() == pytest.approx([1 / 13, -1 / 13, 0])


@pytest.mark.parametrize(
    ("hands", "open_card", "first"),
    [((KS, QH), JS, 1), ((KS, QH), QS, -1), ((KS, KH), QS, 0), ((JS, QH), JH, 1)],
)
def test_s6_a_pair_then_the_higher_rank_wins_and_equal_hands_share(
    hands: tuple[int, int], open_card: int, first: int
) -> None:
    s = position(CALL, CALL, CALL, CALL, hands=hands, open_card=open_card)
    assert s.payoff[0] == pytest.approx(first / 13)


def test_s7_the_most_that_can_be_won_is_one() -> None:
    s = position(RAISE, RAISE, CALL, RAISE, RAISE, CALL)
    assert s.payoff.tolist() == [1, -1, 0]
