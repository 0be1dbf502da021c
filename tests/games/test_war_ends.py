"""The rules of War from the end of a turn on, paragraph by paragraph of RULES.md, and what seats know."""

import numpy as np
import pytest

from kozyr.envs import war_v0
from kozyr.envs.core import dispatch
from kozyr.envs.core.cards import name
from kozyr.envs.core.state import OVER
from kozyr.envs.war import text, view
from tests.games.war_diagrams import (
    CHOICE,
    FIXED,
    PICKUPS,
    RANDOM,
    TURN,
    WAR,
    after,
    cards,
    deals,
    moves,
    position,
    seen,
)

LAST = """
    player_0 began, player_0 to flip, 3 turns
    player_0: - | {}
    player_1: - | {} JC TH QH KH AH TD JD QD KD AD QC KC AC TS JS QS KS AS
    """


@PICKUPS
def test_s08_a_seat_without_cards_has_lost_and_the_turn_is_counted(v):
    actions = "flip, flip, own_first" if v == CHOICE else "flip, flip"
    s = after(v, LAST.format("TC", "JH"), actions)
    assert (s.turn, s.payoff.tolist(), s.truncated, int(s.turns)) == (OVER, [-1, 1], 0, 4)
    assert (moves(v, s), len(cards(v, s, 1))) == ("", 20)


@PICKUPS
def test_s08_the_last_card_may_win(v):
    actions = "flip, flip, own_first" if v == CHOICE else "flip, flip"
    s = after(v, LAST.format("JH", "TC"), actions)
    assert (int(s.turn), int(s.turns)) == (0, 4)
    assert set(cards(v, s, 0)) == {"JH", "TC"}


@PICKUPS
def test_s09_the_cap_truncates_with_nothing_for_both(v):
    actions = "flip, flip, own_first" if v == CHOICE else "flip, flip"
    s = after(v._replace(max_turns=4), TURN, actions)
    assert (s.turn, s.payoff.tolist(), s.truncated, int(s.turns)) == (OVER, [0, 0], 1, 4)
    assert after(v._replace(max_turns=5), TURN, actions).turn == 0


def test_s09_a_last_turn_that_decides_counts():
    s = after(FIXED._replace(max_turns=4), LAST.format("TC", "JH"), "flip, flip")
    assert (s.payoff.tolist(), s.truncated, int(s.turns)) == ([-1, 1], 0, 4)


UNSEEN = """
    player_0 began, player_0 to flip, 0 turns
    player_0: - | TC? JC? QC? KC? AC? TS? JS? QS? KS? AS?
    player_1: - | TH? QH? JH? KH? TD? JD? AH? QD? KD? AD?
    """


@PICKUPS
def test_s10_what_lies_face_down_is_unknown_until_the_pool_is_picked_up(v):
    war = after(v, UNSEEN, "flip, flip, flip")
    assert "player_0: TC JC? QC? KC? AC | TS? JS?" in text.write(v, war)
    picked = after(v, UNSEEN, "flip, flip, flip, flip")
    lines = text.write(v, picked).splitlines()
    assert lines[2].endswith("JD? AH? QD? KD? AD?")
    assert (lines[1] + lines[2]).count("?") == 10
    assert picked.unseen.tolist() == [5, 5]


def test_s10_a_card_that_was_known_stays_known_when_it_is_laid_face_down():
    at = view.Parts(FIXED)
    for seat in (0, 1):
        observed = seen(FIXED, after(FIXED, WAR, "flip, flip, flip"), seat)
        assert np.count_nonzero(observed[at.mine : at.laid]) == 20
        assert observed[at.mine + 20 * seat : at.mine + 20 * seat + 5].tolist() == [1, 2, 3, 4, 5]  # TC … AC


@PICKUPS
def test_s10_once_both_decks_have_gone_round_nothing_is_unseen(v):
    s, at = deals(v, 1)[0], view.Parts(v)
    while s.turn != OVER and s.unseen.any():
        dispatch.play(v, s, 0 if s.phase == 0 else 1)
    while s.turn != OVER and (s.first != s.top).any():
        dispatch.play(v, s, 0 if s.phase == 0 else 1)
    assert s.turn != OVER
    assert "?" not in text.write(v, s)
    observed = seen(v, s, 0)
    if v != RANDOM:
        for seat in (0, 1):
            places = observed[20 * seat : 20 * seat + 20]
            order = sorted((int(places[c]), c) for c in np.flatnonzero(places))
            assert [name(int(c), 5) for _, c in order] == cards(v, s, seat)
            assert [place for place, _ in order] == list(range(1, len(order) + 1))
    assert np.count_nonzero(observed[at.mine : at.laid]) == 20


def test_s10_of_a_shuffled_pool_the_cards_are_known_and_then_which_are_left():
    shuffled = """
        player_0 began, player_0 to flip, 4 turns
        player_0: - | QC KC-1 JC AC-1 TS
        player_1: - | TH QH KH AH TD JD QD KD AD JS QS KS AS TC JH-1
        """
    s, at = position(RANDOM, shuffled), view.Parts(RANDOM)
    mine = seen(RANDOM, s, 0)[at.mine : at.theirs]
    assert mine[:5].tolist() == [0, 3, 1, 1, 3]  # TC JC QC KC AC
    assert "player_0: QC | KC JC AC-1 TS" in text.write(RANDOM, after(RANDOM, shuffled, "flip"))


def test_s10_both_seats_know_the_same():
    at = view.Parts(RANDOM)
    s = deals(RANDOM, 1)[0]
    for _ in range(40):
        first, second = seen(RANDOM, s, 0), seen(RANDOM, s, 1)
        assert (first[at.mine : at.theirs] == second[at.theirs : at.laid]).all()
        assert (first[at.theirs : at.laid] == second[at.mine : at.theirs]).all()
        for part in (at.laid, at.sizes, at.unseen, at.turn):
            assert first[part : part + 2].tolist() == second[part : part + 2][::-1].tolist()
        assert first[at.starter] + second[at.starter] == 1
        dispatch.play(RANDOM, s, 0)


def test_s10_unseen_cards_leave_no_trace_in_a_view():
    swapped = UNSEEN.replace("JC?", "x").replace("AD?", "JC?").replace("x", "AD?")
    one, other = after(FIXED, UNSEEN, "flip, flip, flip"), after(FIXED, swapped, "flip, flip, flip")
    assert text.write(FIXED, one) != text.write(FIXED, other)
    for seat in (0, 1):
        assert (seen(FIXED, one, seat) == seen(FIXED, other, seat)).all()


@pytest.mark.parametrize("action", [1, 4, 5, -1])
def test_s11_a_bad_move_disqualifies(action):
    table = war_v0.env()
    table.reset(seed=1, options={"starter": 1})
    table.step(action)
    assert table.rewards == {"player_0": 1, "player_1": -1}


def test_s11_a_strict_table_refuses_a_bad_move_with_the_position():
    table = war_v0.raw_env(pickup="choice")
    table.reset(seed=1, options={"starter": 0})
    with pytest.raises(ValueError, match=r"(?s)1.*player_0.*player_0 began, player_0 to flip"):
        table.step(1)
    assert table.agent_selection == "player_0"
