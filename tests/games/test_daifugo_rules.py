"""The rules of one round of Daifugo, paragraph by paragraph of RULES.md."""

import numpy as np
import pytest

from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME, text
from tests.games.daifugo_diagrams import after, dealt, moves, position, seen

THREE = GAME.make_variant(players=3)
FOUR = GAME.make_variant(players=4)
LOCKED = GAME.make_variant(players=4, pass_lockout=True)


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("joker", [False, True])
def test_s01_every_card_is_dealt_one_by_one_from_seat_0_whoever_starts(players, joker):
    v = GAME.make_variant(players=players, joker=joker)
    drawn, given = dealt(v), dealt(v, starter=players - 1)
    assert given.starter == given.turn == players - 1
    assert (drawn.hand == given.hand).all()
    cards = 52 + joker
    assert list(drawn.count[:players]) == [cards // players + (k < cards % players) for k in range(players)]
    assert list(drawn.hand.sum(axis=0)) == [4] * 13 + [joker]


def test_s01_small_decks_have_the_strongest_ranks():
    v = GAME.make_variant(players=2, ranks=3, joker=False)
    assert [text.say(v, dealt(v), a) for a in (1, 2, 3)] == ["K", "A", "2"]
    assert dealt(v).hand.sum() == 12


def test_s02_turns_go_clockwise():
    s = after(FOUR, LEAD, "3 pass pass")[0]
    assert s.turn == 3


LEAD = """
    player_0 began, player_0 to move, round 1
    player_0: 3377779*
    player_1: 4455JJQ2
    player_2: 668TTTKK
    player_3: 58899AA2
    pile: -
    """


def test_s03_the_leader_plays_one_to_four_cards_of_a_rank_and_cannot_pass():
    states = position(FOUR, LEAD)
    natural = "3 7 9 33 77 777 7777"
    assert sorted(moves(FOUR, states).split()) == sorted(f"{natural} * 3* 7* 9* 33* 77* 777*".split())


def test_s03_a_set_goes_to_the_pile_with_its_joker():
    s = after(FOUR, LEAD, "77*")[0]
    assert (s.laid, s.rank, s.jokered, s.owner, s.turn) == (3, 4, 1, 0, 1)
    assert list(s.hand[0]) == [2, 0, 0, 0, 2, 0, 1] + [0] * 7
    assert s.count[0] == 5


def test_s04_followers_beat_with_as_many_cards_of_a_higher_rank_or_pass():
    assert moves(FOUR, after(FOUR, LEAD, "3")) == "pass 4 5 J Q 2"
    assert moves(FOUR, after(FOUR, LEAD, "33")) == "pass 44 55 JJ"
    assert moves(FOUR, after(FOUR, LEAD, "77")) == "pass JJ"
    assert moves(FOUR, after(FOUR, LEAD, "777 pass")) == "pass TTT"
    assert moves(FOUR, after(FOUR, LEAD, "7777")) == "pass"


def test_s04_a_set_with_the_joker_has_the_rank_of_its_natural_cards():
    beaten = after(FOUR, LEAD, "3* 44")
    assert moves(FOUR, beaten) == "pass 66 TT KK"
    joker = """
        player_0 began, player_1 to move, round 1
        player_0: 3
        player_1: 679*
        player_2: 4
        player_3: 5
        pile: 66 by player_0
        """
    assert moves(FOUR, position(FOUR, joker)) == "pass 7* 9*"


def test_s04_the_lone_joker_is_the_strongest_single():
    states = after(FOUR, LEAD, "9 2 pass pass")
    assert moves(FOUR, states) == "pass *"
    assert moves(FOUR, after(FOUR, LEAD, "9 2 pass pass *")) == "pass"


def test_s05_who_has_passed_may_play_when_his_turn_comes_again():
    states = after(FOUR, LEAD, "33 pass KK pass pass")
    assert (states[0].turn, list(states[0].passed[:4])) == (1, [1, 0, 0, 1])
    states = after(FOUR, LEAD, "3 pass pass 5 7 J")
    assert moves(FOUR, states) == "pass K"


def test_s05_a_set_makes_all_passes_forgotten():
    assert not after(FOUR, LEAD, "3 pass pass 5")[0].passed.any()


def test_s05_with_a_lockout_who_passes_stays_out_of_the_trick():
    states = after(LOCKED, LEAD, "3 pass pass 5")
    assert (states[0].turn, list(states[0].passed[:4])) == (0, [0, 1, 1, 0])
    again = after(LOCKED, LEAD, "3 pass pass 5 7 9")
    assert again[0].turn == 0
    ended = after(LOCKED, LEAD, "3 pass pass 5 7 9 pass")
    assert (ended[0].turn, ended[0].laid, ended[0].passed.any()) == (3, 0, False)


def test_s06_when_all_others_have_passed_the_owner_leads():
    s = after(FOUR, LEAD, "3 pass pass 5 pass pass pass")[0]
    assert (s.turn, s.laid, s.owner, s.passed.any()) == (3, 0, -1, False)


OUT = """
    player_0 began, player_1 to move, round 1
    player_0: 359
    player_1: Q
    player_2: 46
    player_3: 77
    pile: 8 by player_0
    """


def test_s06_after_an_owner_that_went_out_the_next_in_order_leads():
    s = after(FOUR, OUT, "Q pass pass pass")[0]
    assert (s.turn, s.laid, s.place[1]) == (2, 0, 0)


def test_s06_seats_that_are_out_are_passed_over():
    gone = OUT.replace("player_2: 46", "player_2: -, place 1")
    assert after(FOUR, gone, "pass")[0].turn == 3
    assert after(FOUR, gone, "Q pass pass")[0].turn == 3


def test_s07_a_seat_without_cards_takes_the_next_place_whatever_it_played_last():
    v = GAME.make_variant(players=3, ranks=4)
    last = """
        player_0 began, player_0 to move, round 1
        player_0: *
        player_1: 2
        player_2: QQ
        pile: -
        """
    s = after(v, last, "* pass pass 2")[0]
    assert list(s.place[:3]) == [0, 1, 2]
    assert s.turn == OVER


def test_s08_returns_are_linear_in_the_place():
    one = """
        player_0 began, player_3 to move, round 1
        player_0: -, place 2
        player_1: 3
        player_2: -, place 1
        player_3: 4
        pile: -
        """
    s = after(FOUR, one, "4")[0]
    np.testing.assert_allclose(s.payoff[:4], [1 / 3, -1, 1, -1 / 3], atol=1e-6)
    assert s.turn == OVER


def test_s13_the_view_holds_what_everybody_may_know():
    s = after(FOUR, LEAD, "33 pass 66")[0]
    view = seen(FOUR, s, 1)
    assert view["hand"] == [0, 2, 2, 0, 0, 0, 0, 0, 2, 1, 0, 0, 1, 0]
    assert view["played"] == s.played.tolist()
    assert (view["pile"], view["rank"].index(1), view["jokered"]) == ([2], 3, [0])
    assert view["sizes"] == [8, 6, 8, 6]
    assert (view["owner"], view["turn"]) == ([0, 1, 0, 0], [0, 0, 1, 0])
    assert view["passed"] == [0, 0, 0, 0]
    assert seen(FOUR, after(FOUR, LEAD, "33 pass")[0], 3)["passed"] == [0, 0, 1, 0]
    assert seen(FOUR, after(FOUR, OUT, "Q")[0], 0)["place"] == [0, 1, 0, 0]


def test_s13_options_that_are_off_have_no_part():
    plain = seen(FOUR, dealt(FOUR), 0)
    assert {name for name, values in plain.items() if not values} == {
        *("upside", "left", "before", "order", "total", "known", "top", "phase", "gives"),
        *("cards", "gone", "lies", "kind", "low", "of_suits", "locked", "leads", "passes", "given", "under"),
        *("log_seat", "log_set", "log_lead"),
    }
