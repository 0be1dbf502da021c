"""The paragraphs of RULES.md, one test each."""

from typing import Any

import numpy as np
import pytest
from leduc import GAME
from leduc.rules import CALL, FOLD, RAISE

from kozyr.envs.core import dispatch

V = GAME.make_variant()


def position(*bets: int, hands: str = "KS QH", shown: str = "JS") -> Any:
    """Return the position after some actions; seat 0 began."""
    lines = [f"player_{k}: {card}" for k, card in enumerate(hands.split())]
    text = "\n".join([*lines, f"open: {shown}", "began: player_0", "bets: - / -", "turn: player_0"])
    s = GAME.text.read(GAME.make_variant(players=len(lines)), text)[0]
    for action in bets:
        dispatch.play(GAME.make_variant(players=len(lines)), s, action)
    return s


def legal(s: Any) -> list[int]:
    mask = np.zeros(3, np.int8)
    dispatch.legal(V, s, mask)
    return np.flatnonzero(mask).tolist()


def test_s1_everybody_pays_one_chip_and_gets_one_card() -> None:
    s = position()
    assert s.paid.tolist() == [1, 1, 0]
    assert len({int(s.hand[0]), int(s.hand[1]), int(s.open_card)}) == 3


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
    ("hands", "shown", "first"), [("KS QH", "JS", 1), ("KS QH", "QS", -1), ("KS KH", "QS", 0), ("JS QH", "JH", 1)]
)
def test_s6_a_pair_then_the_higher_rank_wins_and_equal_hands_share(hands: str, shown: str, first: int) -> None:
    s = position(CALL, CALL, CALL, CALL, hands=hands, shown=shown)
    assert s.payoff[0] == pytest.approx(first / 13)


def test_s7_the_most_that_can_be_won_is_one() -> None:
    s = position(RAISE, RAISE, CALL, RAISE, RAISE, CALL)
    assert s.payoff.tolist() == [1, -1, 0]
