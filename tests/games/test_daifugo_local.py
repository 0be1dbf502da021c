"""The rules of several rounds and the local rules of Daifugo, and the view, paragraph by paragraph of RULES.md."""

import numpy as np
import pytest

from kozyr.envs import daifugo_v0
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.variant import JOKER
from tests.games.daifugo_diagrams import after, moves, next_round, position, seen

THREE = GAME.make_variant(players=3)
TURNED = GAME.make_variant(players=3, revolution=True)
EIGHTS = GAME.make_variant(players=3, eight_stop=True, revolution=True)
ROUNDS = GAME.make_variant(players=3, rounds=2)

ENDING = """
    player_0 began, player_1 to move, round 1, luck 5
    player_0: 33
    player_1: 4, total 0
    player_2: -, place 1
    pile: -
    """


def test_s08_the_next_round_is_dealt_by_places_and_led_by_the_last():
    s = next_round(ROUNDS, ENDING, "4")
    assert list(s.before[:3]) == [2, 1, 0]
    assert (s.turn, s.place[0], s.laid, s.played.sum()) == (0, IN, 0, 0)
    assert list(s.count[:3]) == [17, 18, 18]
    assert [s.next_of[k] for k in (0, 1, 2)] == [1, 2, 0]
    fell = ENDING.replace("player_2: -, place 1", "player_2: 55").replace("player_0: 33", "player_0: -, place 1")
    s = next_round(ROUNDS, fell, "4")
    assert [s.next_of[k] for k in (2, 1, 0)] == [1, 0, 2]
    assert list(s.count[:3]) == [18, 18, 17]


def test_s08_returns_are_the_mean_over_the_rounds():
    second = """
        player_0 began, player_1 to move, round 2
        player_0: 33, before 1, total 0
        player_1: 4, before 3, total 2
        player_2: -, place 1, before 2, total 1
        pile: -
        """
    s = after(ROUNDS, second, "4")[0]
    np.testing.assert_allclose(s.payoff[:3], [0, -0.5, 0.5], atol=1e-6)


def test_s08_the_same_rounds_follow_from_the_same_luck():
    assert next_round(ROUNDS, ENDING, "4").tobytes() == next_round(ROUNDS, ENDING, "4").tobytes()
    other = next_round(ROUNDS, ENDING.replace("luck 5", "luck 6"), "4")
    assert (other.hand != next_round(ROUNDS, ENDING, "4").hand).any()


FOURS = """
    player_0 began, player_0 to move, round 1
    player_0: 3566668*
    player_1: 4577TTTT
    player_2: 348JQ2
    pile: -
    """


def test_s09_a_set_of_four_turns_the_order_of_the_ranks():
    turned = after(TURNED, FOURS, "6666 pass pass 5")
    assert turned[0].upside == 1
    assert moves(TURNED, turned) == "pass 4"
    assert moves(TURNED, after(TURNED, FOURS, "6666 pass pass 3")) == "pass"
    assert after(TURNED, FOURS, "666*")[0].upside == 1
    assert after(THREE, FOURS, "6666")[0].upside == 0


def test_s09_the_joker_stays_on_top():
    turned = after(TURNED, FOURS, "6666 pass pass 8 pass 3")
    assert moves(TURNED, turned) == "pass *"


def test_s09_a_second_set_of_four_turns_it_back():
    back = """
        player_0 began, player_0 to move, round 1
        player_0: 36666
        player_1: 4578
        player_2: 34555*
        pile: -
        """
    assert moves(TURNED, after(TURNED, back, "6666 pass")) == "pass 555*"
    again = after(TURNED, back, "6666 pass 555*")
    assert (again[0].upside, moves(TURNED, after(TURNED, back, "6666 pass 555* pass pass 3"))) == (0, "pass")
    assert moves(TURNED, after(TURNED, back, "6666 pass 555* pass pass 4 pass")) == "pass 5 7 8"


def test_s10_eights_clear_the_pile_and_their_player_leads_again():
    s = after(EIGHTS, FOURS, "3 pass 8")[0]
    assert (s.turn, s.laid, s.owner) == (2, 0, -1)
    s = after(EIGHTS, FOURS, "8*")[0]
    assert (s.turn, s.laid, s.count[0]) == (0, 0, 6)
    s = after(THREE, FOURS, "8")[0]
    assert (s.turn, s.laid) == (1, 1)


def test_s10_after_a_last_eight_the_next_in_order_leads():
    s = after(EIGHTS, FOURS.replace("3566668*", "8"), "8")[0]
    assert (s.turn, s.laid, s.place[0]) == (1, 0, 0)


SWAPPED = GAME.make_variant(players=4, ranks=4, rounds=2, exchange=True)
BEFORE_SWAP = """
    player_0 began, player_3 to move, round 1, luck 9
    player_0: -, place 2
    player_1: Q, total 0
    player_2: -, place 1
    player_3: K
    pile: -
    """


def undo(s):
    """Return the hands as they were dealt, from the cards that are known after the automatic gifts."""
    hands = s.hand.astype(int).copy()
    for giver, taker in ((1, 2), (3, 0)):
        hands[giver] += s.known[taker]
        hands[taker] -= s.known[taker]
    return hands


def best(hand, n):
    return sorted((r for r in range(JOKER + 1) for _ in range(hand[r])), reverse=True)[:n]


@pytest.mark.parametrize("rng", range(6))
def test_s11_the_lowest_give_their_best_cards_for_all_to_see(rng):
    s = next_round(SWAPPED, BEFORE_SWAP.replace("luck 9", f"luck {rng}"), "K")
    hands = undo(s)
    assert best(hands[1], 2) == best(s.known[2], 9)
    assert best(hands[3], 1) == best(s.known[0], 9)
    assert (s.turn, s.gives) == (2, 2)
    assert list(s.count[:4]) == [5, 2, 7, 3]
    assert s.top[1] == best(hands[1], 2)[1]
    assert s.top[3] == best(hands[3], 1)[0]


GIVING = """
    player_0 began, player_2 to move, round 2, luck 3, first gives 2
    player_0: QKAA2, known 2, before 2, total 1
    player_1: QK, top 2, before 4, total 3
    player_2: QKKAA2*, known 2*, before 1, total 0
    player_3: Q22, top 2, before 3, total 2
    pile: -
    """


def test_s11_first_and_second_give_back_single_cards_of_their_choice():
    assert moves(SWAPPED, position(SWAPPED, GIVING)) == "Q K A 2 *"
    once = after(SWAPPED, GIVING, "Q")
    assert (once[0].turn, once[0].gives, moves(SWAPPED, once)) == (2, 1, "K A 2 *")
    second = after(SWAPPED, GIVING, "Q 2")
    assert (second[0].turn, second[0].gives, moves(SWAPPED, second)) == (0, 1, "Q K A 2")
    assert list(second[0].known[1, :4]) == [1, 0, 0, 1]
    assert list(second[0].known[2, [3, JOKER]]) == [0, 1]


def test_s11_then_the_last_leads():
    s = after(SWAPPED, GIVING, "Q 2 K")[0]
    assert (s.turn, s.gives) == (1, 0)
    assert list(s.count[:4]) == [4, 4, 5, 4]
    assert s.known[3, 1] == 1


def test_s11_two_or_three_seats_exchange_between_first_and_last_only():
    v = GAME.make_variant(players=3, ranks=4, rounds=2, exchange=True)
    diagram = """
        player_0 began, player_2 to move, round 1, luck 9
        player_0: Q
        player_1: -, place 1
        player_2: K
        pile: -
        """
    s = next_round(v, diagram, "K")
    assert list(s.count[:3]) == [3, 8, 6]
    for _ in range(2):
        assert s.turn == 1
        dispatch.play(v, s, 1 + int(np.flatnonzero(s.hand[1])[0]))
    assert (s.turn, s.gives, list(s.count[:3])) == (0, 0, [5, 6, 6])


THRONE = GAME.make_variant(players=4, ranks=4, rounds=2, dethrone=True)
KING = """
    player_0 began, player_1 to move, round 2
    player_0: QK, before 1, total 0
    player_1: 2, before 2, total 1
    player_2: QQ, before 3, total 2
    player_3: KK, before 4, total 3
    pile: -
    """


def test_s12_a_first_that_is_not_first_again_drops_to_the_last_place():
    s = after(THRONE, KING, "2")[0]
    assert list(s.place[:4]) == [3, 0, IN, IN]
    assert (s.turn, s.count[0]) == (3, 2)


def test_s12_the_others_fill_the_places_above():
    led = after(THRONE, KING, "2 pass pass")[0]
    assert (led.turn, list(led.place[:4])) == (3, [3, 0, IN, IN])
    s = after(THRONE, KING, "2 pass pass KK")[0]
    assert (s.turn, list(s.place[:4]), s.count[0]) == (OVER, [3, 0, 2, 1], 2)


def test_s12_a_first_that_is_first_again_keeps_his_place():
    own = KING.replace("player_1 to move", "player_0 to move").replace("QK, before 1", "K, before 1")
    s = after(THRONE, own, "K pass pass 2")[0]
    assert list(s.place[:4]) == [0, 1, IN, IN]
    without = GAME.make_variant(players=4, ranks=4, rounds=2)
    assert list(after(without, KING, "2")[0].place[:4]) == [IN, 0, IN, IN]


def test_s13_the_order_of_ranks_is_in_the_view():
    assert seen(TURNED, after(TURNED, FOURS, "6666")[0], 2)["upside"] == [1]
    assert seen(TURNED, after(TURNED, FOURS, "666")[0], 2)["upside"] == [0]


def test_s13_cards_known_to_be_in_a_hand_are_remembered_until_they_are_played():
    s = after(SWAPPED, GIVING, "Q 2 K")[0]
    view = seen(SWAPPED, s, 3)
    known = np.array(view["known"]).reshape(-1, JOKER + 1)
    assert (known == s.known[[3, 0, 1, 2]]).all()
    assert view["top"][-3:] == [JOKER + 1, 4, JOKER + 1]
    played = after(SWAPPED, GIVING, "Q 2 K Q")[0]
    assert (s.known[1, 0], played.known[1, 0]) == (1, 0)


def test_s13_the_rounds_before_are_in_the_view():
    view = seen(SWAPPED, position(SWAPPED, GIVING)[0], 1)
    assert view["before"] == [4, 1, 3, 2]
    assert view["total"] == [3, 0, 2, 1]
    assert view["order"] == [0, 3, 1, 2]
    assert (view["left"], view["phase"], view["gives"]) == ([0], [1], [2])


def test_s13_hidden_cards_leave_no_trace_in_a_view():
    one = position(SWAPPED, GIVING)[0]
    swapped = GIVING.replace("player_0: QKAA2", "player_0: QQKA2").replace("player_3: Q22", "player_3: A22")
    other = position(SWAPPED, swapped)[0]
    for seat in (1, 2):
        assert seen(SWAPPED, one, seat) == seen(SWAPPED, other, seat)
    assert seen(SWAPPED, one, 0) != seen(SWAPPED, other, 0)


@pytest.mark.parametrize("action", [0, 93, -1])
def test_s14_a_bad_move_disqualifies(action):
    table = daifugo_v0.env(players=3)
    table.reset(seed=1, options={"starter": 2})
    table.step(action)
    assert table.rewards == {"player_0": 0.5, "player_1": 0.5, "player_2": -1.0}


def test_s14_a_strict_table_refuses_a_bad_move_with_the_position():
    table = daifugo_v0.raw_env(players=3)
    table.reset(seed=1, options={"starter": 0})
    with pytest.raises(ValueError, match=r"(?s)0.*player_0.*player_0 began"):
        table.step(0)
    assert table.agent_selection == "player_0"
