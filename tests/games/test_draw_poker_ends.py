"""The rules of draw poker from the showdown on, paragraph by paragraph of RULES.md."""

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.draw_poker import GAME, view
from kozyr.envs.environments.aec import Env
from tests.contract.table import Table
from tests.games.draw_poker_diagrams import after, chips, deals, position, seen

V = GAME.make_variant(players=3, stack=20, max_bet=5)
STANDARD = V._replace(ranking=1)
TOURNAMENT = GAME.make_variant(players=3, stack=20, max_bet=5, episode="tournament")
LOW, HIGH, MIDDLE = "2C 5S 9D JH AC", "3C 3H 8D TS KC", "4C 6D 8H QC AH"


def last(hands, money="chips 19, paid 1 / chips 19, paid 1 / chips 19, paid 1", folded=(), button=2, extra=("",) * 3):
    """Return the position before the last check of a hand; player_0 begins and all but the last have acted."""
    turn = max(k for k in range(3) if k not in folded and "chips 0" not in money.split(" / ")[k])
    lines = [f"second bets, button player_{button}, player_0 began, player_{turn} to move, hand 1"]
    for k, (hand, stack) in enumerate(zip(hands, money.split(" / "), strict=True)):
        marks = (", to act" if k == turn else "") + (", folded" if k in folded else "") + extra[k]
        lines.append(f"player_{k}: {hand}, discarded -, {stack}, bets 0 0{marks}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("one", "other", "document", "standard"),
    [
        ("2C 2S 2H 3S 3D", "4C 5S 6H 7D 8C", 1, 0),
        ("2C 2S 2H 2D KD", "4C 5C 6C 7C 8C", 0, 1),
        ("TS JS QS KS AS", "2C 2S 2H 2D 3C", 0, 0),
        ("2C 3C 4C 5C 7C", "4S 5S 6H 7D 8C", 0, 0),
        ("2C 3S 4H 5D AC", "KC KS 4S 7D 8C", 1, 0),
        ("2C 3C 4C 5C AC", "6S 6D 6H 6C KC", 1, 0),
    ],
)
def test_s09_combinations_compare_by_the_ranking(one, other, document, standard):
    hands = (one, other, "9D TH JD QD AH")
    for v, winner in ((V, document), (STANDARD, standard)):
        s = after(v, last(hands), "call")
        assert s.change[:3].tolist() == [2 if seat == winner else -1 for seat in range(3)]


def test_s09_those_who_folded_show_nothing():
    s = after(V, last((LOW, HIGH, MIDDLE), folded=(1,)), "call")
    assert s.change[:3].tolist() == [-1, -1, 2]
    assert (s.strength[:3] > 0).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("3C 3S 2H 4D 5C", "2C 2S QH KD AC"),
        ("3C 3S 4H 5D AC", "3D 3H QH KD JC"),
        ("3C 3S 4C 4H 5C", "3D 3H 2C 2H AC"),
        ("3C 3S 3H 2D 2C", "2H 2S 4D AD AC"),
        ("2C 7S 8H TD KC", "3S 6C 8D TH KD"),
    ],
)
def test_s10_ranks_decide_the_larger_group_first(better, worse):
    hands = (better, worse, "5H 6H 9H TS JD")
    assert after(V, last(hands, folded=(2,)), "call").change[:3].tolist() == [2, -1, -1]


def test_s10_suits_never_decide():
    s = after(V, last(("2C 5S 9D JH AC", "2S 5H 9C JD AS", "2D 5D 9H TH KD")), "call")
    assert s.change[0] + s.change[1] == 1
    assert sorted(s.change[:3].tolist()) == [-1, 0, 1]


def test_s11_a_side_pot_goes_to_the_best_who_paid_for_it():
    money = "chips 0, paid 4 / chips 25, paid 11 / chips 9, paid 11"
    best_is_short = after(V, last((HIGH, LOW, MIDDLE), money), "call")
    assert chips(best_is_short) == [12, 25, 23]  # the main pot of 3 × 4; player_2 wins the other 2 × 7
    best_has_all = after(V, last((LOW, HIGH, MIDDLE), money), "call")
    assert chips(best_has_all) == [0, 51, 9]


def test_s11_three_pots():
    money = "chips 0, paid 4 / chips 0, paid 9 / chips 36, paid 11"
    s = after(
        V,
        f"""
        exchange, button player_1, player_2 began, player_2 raised, player_1 to move
        player_0: 4C 4D 8H QC AH, discarded -, {money.split(" / ")[0]}, bets 3 0
        player_1: {HIGH}, {money.split(" / ")[1]}, bets 5 0, to act
        player_2: {LOW}, discarded -, {money.split(" / ")[2]}, bets 5 0
        """,
        "discard none",
    )
    assert chips(s) == [12, 10, 38]  # 3 × 4, 2 × 5, and the 2 that nobody has matched


def test_s11_what_folded_seats_paid_belongs_to_the_pots():
    money = "chips 0, paid 4 / chips 13, paid 7 / chips 27, paid 9"
    s = after(V, last((HIGH, LOW, MIDDLE), money, folded=(1,)), "call")
    assert chips(s) == [12, 13, 35]


@pytest.mark.parametrize(("button", "odd"), [(2, 0), (1, 0), (0, 1)])
def test_s11_the_odd_chip_goes_to_the_first_winner_after_the_button(button, odd):
    hands = ("2C 5S 9D JH AC", "2S 5H 9C JD AS", "2D 5D 9H TH KD")
    s = after(V, last(hands, button=button), "call")
    assert s.change[:3].tolist() == [1 if seat == odd else 0 for seat in range(2)] + [-1]


def test_s11_two_odd_chips_go_to_the_first_two_winners():
    v = GAME.make_variant(players=5, stack=4, ante=1)
    hands = ["2C 5S 9D JH AC", "2S 5H 9C JD AS", "2H 5D 9S JC AD", "3C 6D 8H QC KH", "3S 6C 8D QD KS"]
    lines = ["second bets, button player_0, player_1 began, player_4 to move"]
    for k, hand in enumerate(hands):
        lines.append(f"player_{k}: {hand}, discarded -, chips 3, paid 1, bets 0 0{', to act' if k == 4 else ''}")
    assert after(v, "\n".join(lines), "call").change.tolist() == [0, 1, 1, -1, -1]


def test_s12_the_change_is_counted_from_before_the_ante():
    s = after(TOURNAMENT, last((LOW, HIGH, MIDDLE)), "call")
    assert s.hands == 2
    assert s.change[:3].tolist() == [-1, 2, -1]
    assert (s.chips + s.paid)[:3].tolist() == [19, 22, 19]


@pytest.mark.parametrize(("stack", "most"), [(100, 2 * 11), (8, 2 * 8)])
def test_s13_a_hand_returns_the_share_of_the_most_that_can_be_won(stack, most):
    v = GAME.make_variant(players=3, stack=stack, max_bet=5)
    money = " / ".join(f"chips {stack - 7}, paid 7" for _ in range(3))
    s = after(v, last((LOW, HIGH, MIDDLE), money), "call")
    assert s.payoff[:3].tolist() == pytest.approx([-7 / most, 14 / most, -7 / most])
    assert (s.turn, s.truncated) == (-1, 0)


def test_s14_the_button_moves_to_the_next_seat_that_is_in():
    s = after(TOURNAMENT, last((LOW, HIGH, MIDDLE)), "call")
    assert (s.button, s.turn) == (0, 1)
    money = "chips 0, paid 4 / chips 34, paid 11 / chips 0, paid 11"
    t = after(
        TOURNAMENT, last((LOW, HIGH, "4C 4D 8H QC AH"), money.replace("chips 0, paid 11", "chips 9, paid 2")), "call"
    )
    assert t.out[:3].tolist() == [1, 0, 0]
    assert (t.button, t.turn) == (1, 2)


def test_s14_the_deck_is_shuffled_again_for_every_hand():
    one = after(TOURNAMENT, last((LOW, HIGH, MIDDLE)), "call")
    two = after(TOURNAMENT, last((LOW, HIGH, MIDDLE)).replace("hand 1", "hand 1, luck 5"), "call")
    assert sorted(one.deck) == sorted(two.deck) == list(range(52))
    assert (one.deck != two.deck).any()
    assert one.exchanged[:3].tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("paid", "payoffs"),
    [((5, 50, 5), (-0.5, 1, -0.5)), ((4, 50, 6), (-1, 1, 0)), ((9, 50, 1), (0, 1, -1))],
)
def test_s14_of_several_that_go_out_the_one_with_more_chips_places_higher(paid, payoffs):
    first, second, third = paid
    s = after(
        TOURNAMENT,
        f"""
        exchange, button player_0, player_1 began, player_1 to move, hand 7
        player_0: {LOW}, discarded -, chips 0, paid {first}, bets 0 0
        player_1: {HIGH}, chips {second - 10}, paid 10, bets 0 0, to act
        player_2: 4C 6D 8H QC AH, discarded -, chips 0, paid {third}, bets 0 0
        """,
        "discard none",
    )
    assert chips(s) == [0, 60, 0]
    assert (s.turn, s.truncated) == (-1, 0)
    assert s.payoff[:3].tolist() == pytest.approx(payoffs)


def test_s14_who_goes_out_places_behind_all_that_are_left():
    early = last((LOW, HIGH, "-"), "chips 0, paid 4 / chips 46, paid 10 / chips 0, paid 0", extra=("", "", ", place 3"))
    s = after(TOURNAMENT, early, "call")
    assert s.payoff[:3].tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    ("hands", "payoffs"), [((LOW, HIGH, MIDDLE), (-0.5, 1, -0.5)), ((HIGH, LOW, MIDDLE), (1, -0.5, -0.5))]
)
def test_s14_max_hands_truncates_and_chips_decide(hands, payoffs):
    v = TOURNAMENT._replace(max_hands=1)
    s = after(v, last(hands), "call")
    assert (s.turn, s.truncated, s.hands) == (-1, 1, 1)
    assert s.payoff[:3].tolist() == pytest.approx(payoffs)


def test_s15_hidden_cards_leave_no_trace_in_a_view():
    diagram = last((LOW, HIGH, MIDDLE)).replace(f"player_1: {HIGH}", "player_1: 6S 7C 8C 9C TC")
    one, other = position(V, last((LOW, HIGH, MIDDLE))), position(V, diagram)
    for seat in (0, 2):
        assert (seen(V, one, seat) == seen(V, other, seat)).all()
    assert (seen(V, one, 1) != seen(V, other, 1)).any()


def test_s15_seats_are_counted_from_the_observer():
    diagram = """
        first bets, button player_0, player_1 began, player_2 raised, player_0 to move
        player_0: 2C 5S 9D JH AC, chips 19, paid 1, bets 0 0, to act
        player_1: 3C 3H 8D TS KC, chips 19, paid 1, bets 0 0, folded
        player_2: 4C 6D 8H QC AH, chips 15, paid 5, bets 4 0
        """
    at = view.Parts(V)
    shown = seen(V, position(V, diagram), 1)
    assert shown[at.chips : at.first].tolist() == [19, 15, 19]
    assert shown[at.first : at.second].tolist() == [0, 4, 0]
    assert shown[at.paid : at.folded].tolist() == [1, 5, 1]
    assert shown[at.folded : at.all_in].tolist() == [1, 0, 0]
    assert shown[at.raiser : at.pending].tolist() == [0, 1, 0]
    assert shown[at.turn : at.pot].tolist() == [0, 0, 1]
    assert shown[at.button : at.chips].tolist() == [0, 0, 1]
    assert (shown[at.pot], shown[at.highest]) == (7, 4)


def test_s15_my_own_discards_are_known_to_me():
    at = view.Parts(V)
    diagram = last((LOW, HIGH, MIDDLE)).replace(f"player_0: {LOW}, discarded -", f"player_0: {LOW}, discarded 7S KD")
    s = position(V, diagram)
    assert np.flatnonzero(seen(V, s, 0)[at.gone : at.phase]).tolist() == [18, 50]
    assert not seen(V, s, 1)[at.gone : at.phase].any()
    assert seen(V, s, 2)[at.exchanged : at.raiser].tolist() == [1, 3, 1]


def test_s14_the_place_of_a_seat_that_is_out_is_certain():
    v, out = TOURNAMENT._replace(stack=6, max_hands=4), 0
    for seed in range(40):
        table, places = Table(GAME, v, seed), {}
        for _ in table.walk(seed):
            for k in range(3):
                assert dispatch.has_result(v, table.s, k) == (table.s.chips[k] == 0 and table.s.out[k] == 1)
                if table.s.out[k]:
                    places.setdefault(k, int(table.s.place[k]))
        for k, place in places.items():
            assert table.payoffs[k] == pytest.approx(1 - (place / 2 - 1))
            out += bool(table.s.truncated)
        assert not any(dispatch.has_result(V, table.s, k) for k in range(3))
    assert out > 5


def test_s15_a_tournament_tells_how_many_hands_can_follow():
    at = view.Parts(TOURNAMENT)
    for s in deals(TOURNAMENT, 2):
        assert seen(TOURNAMENT, s, 0)[at.hands_left] == 499


@pytest.mark.parametrize("action", [12, 30, 99, -1])
def test_s16_a_bad_move_disqualifies(action):
    table = Env(GAME, None)
    table.reset(seed=1, options={"starter": 2})
    table.step(action)
    assert table.rewards == {f"player_{k}": -1.0 if k == 2 else pytest.approx(1 / 3) for k in range(4)}


def test_s16_a_raise_above_the_stack_disqualifies():
    table = Env(GAME, None, players=2, stack=3)
    table.reset(seed=1, options={"starter": 0})
    table.step(1 + 3)
    assert table.rewards == {"player_0": -1.0, "player_1": 1.0}
