"""The rules of Durak from the refill to the end, paragraph by paragraph of RULES.md, and what seats know."""

import numpy as np
import pytest

from kozyr.envs import durak_v0
from kozyr.envs.core import dispatch
from kozyr.envs.core.cards import names
from kozyr.envs.durak import GAME, text, view
from kozyr.envs.durak.cards import SUITS
from tests.games.durak_diagrams import after, becomes, moves, position

PLAIN = GAME.make_variant(deck=36)
CUSTOM = GAME.make_variant(deck=36, refill="old_attacker")
THREE = GAME.make_variant(deck=36, players=3)

LOW_STOCK = """
    trump S, player_0 began, player_1 attacks player_2, player_2 to move, round 5, limit 3
    player_0: 6D 7D 8C JC QC
    player_1: 8H 9D JD QD
    player_2: 7C TC 9H
    table: 6C
    stock: AC AD AH
    """


def test_s09_the_coming_attacker_draws_first_then_clockwise():
    becomes(
        THREE,
        LOW_STOCK,
        "pass",
        """
        trump S, player_0 began, player_0 attacks player_1, player_0 to move, round 6, limit 6
        player_0: 6D 7D 8C JC QC AC
        player_1: 8H 9D JD QD AD AH
        player_2: 6C* 7C TC 9H
        table: -
        stock: -
        """,
    )
    assert "player_2: TC AC 9H AH AD\n" in text.write(THREE, after(THREE, LOW_STOCK, "7C, pass, pass")[0])


def test_s09_the_old_attacker_draws_first_and_the_defender_last():
    v = GAME.make_variant(deck=36, players=3, refill="old_attacker")
    becomes(
        v,
        LOW_STOCK,
        "7C, pass, pass",
        """
        trump S, player_0 began, player_2 attacks player_0, player_2 to move, round 6, limit 6
        player_0: 6D 7D 8C JC QC AH
        player_1: 8H 9D JD QD AC AD
        player_2: TC 9H
        table: -
        stock: -
        """,
    )


def test_s09_hands_are_refilled_to_six():
    full = LOW_STOCK.replace("stock: AC AD AH", "stock: AC AD AH KC KD KH TD")
    drawn = after(THREE, full, "pass")[0]
    assert (list(drawn.count[:3]), drawn.drawn) == ([6, 6, 6], 36 - 2)


def duel(mine, theirs, stock="-"):
    """Return a diagram in which player_0 opens against player_1, who has all the cards named last."""
    limit = min(6, len(theirs.split()))
    return f"""
        trump S, player_0 began, player_0 attacks player_1, player_0 to move, round 9, limit {limit}
        player_0: {mine}
        player_1: {theirs}
        table: -
        stock: {stock}
        """


def test_s10_without_stock_a_seat_without_cards_is_out():
    s = after(THREE, LOW_STOCK.replace("AC AD AH", "-").replace("8H 9D JD QD", "-"), "7C, pass")[0]
    assert (list(s.out[:3]), s.turn, s.defender) == ([0, 1, 0], 2, 0)
    later = text.write(THREE, s)
    assert "player_1: out" in later
    dispatch.play(THREE, s, text.parse(THREE, "9H"))
    assert s.turn == 0


def test_s10_while_the_stock_lasts_nobody_is_out():
    s = after(PLAIN, duel("6C", "7C", "AC AD AH KC KD KH JC JD JH QC QD QH"), "6C, 7C")[0]
    assert (list(s.count[:2]), s.out.any(), s.turn) == ([6, 6], False, 1)
    s = after(PLAIN, duel("6C", "7C", "AC AD AH KC KD KH"), "6C, 7C")[0]
    assert (list(s.count[:2]), list(s.out[:2])) == ([0, 6], [1, 0])


@pytest.mark.parametrize(
    ("v", "diagram", "actions", "end", "payoff"),
    [
        (PLAIN, duel("6C", "7C 8D"), "6C, 7C", "player_1 is the fool", [1, -1]),
        (PLAIN, duel("6C 9D", "7C"), "6C, 7C", "player_0 is the fool", [-1, 1]),
        (PLAIN, duel("6C", "7C"), "6C, 7C", "draw", [0, 0]),
        (PLAIN, duel("6C", "7C"), "6C, pass", "player_1 is the fool", [1, -1]),
        (PLAIN, duel("6C", "7C", "AH"), "6C, 7C", "player_1 is the fool", [1, -1]),
        (CUSTOM, duel("6C", "7C", "AH"), "6C, 7C", "player_0 is the fool", [-1, 1]),
    ],
    ids=[
        "attacker out",
        "defender out",
        "both out",
        "take",
        "defender draws the last",
        "attacker draws the last",
    ],
)
def test_s11_who_is_left_with_cards_is_the_fool(v, diagram, actions, end, payoff):
    states = after(v, diagram, actions)
    assert f", {end}, " in text.write(v, states[0])
    assert list(states[0].payoff[:2]) == payoff
    assert moves(v, states) == ""


LAST_THREE = """
    trump S, player_0 began, player_2 attacks player_0, player_0 to move, round 9, limit 1
    player_0: 7C
    player_1: -
    player_2: 8D
    table: 6C
    stock: -
    """


@pytest.mark.parametrize(
    ("diagram", "action", "payoff"),
    [
        (LAST_THREE, "7C", [0.5, 0.5, -1]),
        (LAST_THREE.replace("8D", "-"), "pass", [-1, 0.5, 0.5]),
        (LAST_THREE.replace("8D", "-"), "7C", [0, 0, 0]),
        (LAST_THREE.replace("player_1: -", "player_1: out"), "7C", [0.5, 0.5, -1]),
    ],
)
def test_s11_three_seats_have_one_fool_or_none(diagram, action, payoff):
    states = after(THREE, diagram, action)
    assert (states[0].turn, list(states[0].payoff[:3])) == (-1, payoff)


def test_s12_a_game_without_end_is_truncated():
    v = GAME.make_variant(deck=36, max_rounds=10)
    states = after(v, duel("6C 7C 8C", "6D 7D 8D"), "6C, pass")
    assert (states[0].turn, states[0].truncated, states[0].rounds) == (0, 0, 10)
    states = after(v, duel("6C 7C 8C", "6D 7D 8D"), "6C, pass, 7C, pass")
    assert (states[0].turn, states[0].truncated, states[0].payoff.any()) == (-1, 1, False)
    assert ", truncated, round 10, " in text.write(v, states[0])


def test_s12_a_last_round_that_ends_the_game_counts():
    v = GAME.make_variant(deck=36, max_rounds=9)
    assert after(v, duel("6C", "7C 8D"), "6C, 7C")[0].truncated == 0


def test_s12_without_a_cap_the_game_goes_on():
    v = GAME.make_variant(deck=36, max_rounds=0)
    assert after(v, duel("6C 7C 8C", "6D 7D 8D"), "6C, pass, 7C, pass")[0].rounds == 11


def seen(v, s, seat):
    shown = np.zeros(GAME.size(v), np.int8)
    dispatch.observe(v, s, seat, shown)
    return shown


def cards(v, shown, part, seat=0):
    first = getattr(view.Parts(v), part) + seat * v.deck
    return names(np.flatnonzero(shown[first : first + v.deck]).tolist(), v.deck // SUITS)


def test_s13_taken_cards_are_known_until_they_are_played():
    states = after(PLAIN, duel("6C 9C TD", "7D 8D JC KD"), "6C, pass")
    assert cards(PLAIN, seen(PLAIN, states[0], 0), "known") == "6C"
    assert cards(PLAIN, seen(PLAIN, states[0], 1), "shown") == "6C"
    assert cards(PLAIN, seen(PLAIN, states[0], 1), "known") == "-"
    for action in ("9C", "JC", "pass", "6C"):
        dispatch.play(PLAIN, states[0], text.parse(PLAIN, action))
    mine = seen(PLAIN, states[0], 0)
    assert (cards(PLAIN, mine, "known"), cards(PLAIN, mine, "open")) == ("-", "6C")
    assert cards(PLAIN, mine, "discard") == cards(PLAIN, seen(PLAIN, states[0], 1), "discard")


def test_s13_an_open_trump_is_known_under_the_stock_and_in_the_hand():
    v = GAME.make_variant(deck=36, open_trump=True)
    before = position(v, duel("6C", "7C", "AH AS"))
    assert cards(v, seen(v, before[0], 0), "bottom") == "AS"
    drawn = after(v, duel("6C 9C", "7C", "AH AS"), "6C, 7C")[0]
    assert "player_1: AS* AH\n" in text.write(v, drawn)
    assert (cards(v, seen(v, drawn, 0), "known"), cards(v, seen(v, drawn, 0), "bottom")) == ("AS", "-")


def test_s13_hidden_cards_leave_no_trace_in_a_view():
    one = position(THREE, LOW_STOCK)[0]
    swapped = LOW_STOCK.replace("8H", "?").replace("AD", "8H").replace("?", "AD")  # a hand and the stock
    swapped = swapped.replace("JD", "?").replace("TC", "JD").replace("?", "TC")  # two hands
    other = position(THREE, swapped)[0]
    assert (seen(THREE, one, 0) == seen(THREE, other, 0)).all()
    assert (seen(THREE, one, 1) != seen(THREE, other, 1)).any()


def test_s13_seats_are_counted_from_the_observer():
    states, at = position(THREE, LOW_STOCK), view.Parts(THREE)
    shown = seen(THREE, states[0], 2)
    assert list(shown[at.sizes : at.stock]) == [3, 5, 4]
    assert (list(shown[at.defender : at.turn]), list(shown[at.turn : at.out])) == ([1, 0, 0], [1, 0, 0])
    assert list(shown[at.attacker : at.defender]) == [0, 0, 1]
    assert (shown[at.stock], shown[at.limit]) == (3, 3)


@pytest.mark.parametrize("action", [36, 37, -1])
def test_s14_a_bad_move_disqualifies(action):
    table = durak_v0.env(deck=36, players=3)
    table.reset(seed=1, options={"starter": 2})
    table.step(action)
    assert table.rewards == {"player_0": 0.5, "player_1": 0.5, "player_2": -1.0}


def test_s14_a_strict_table_refuses_a_bad_move_with_the_position():
    table = durak_v0.raw_env(deck=36)
    table.reset(seed=1, options={"starter": 0})
    with pytest.raises(ValueError, match=r"(?s)36.*player_0.*trump [CSHD], player_0 began"):
        table.step(36)
    assert table.agent_selection == "player_0"
