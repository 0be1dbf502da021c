"""The scripted Daifugo players do in a position what their page says."""

from collections import Counter

import numpy as np
import pytest

from kozyr.agents.daifugo import LADDER
from kozyr.envs import registry
from kozyr.envs.core import dispatch
from kozyr.envs.core.rng import generators
from kozyr.envs.daifugo import GAME, text
from kozyr.envs.loops import tables
from tests.games.daifugo_diagrams import position

registry.seat_bots(GAME)

V = GAME.make_variant(players=2, revolution=True)
DRAWN = 600


def choices(bot, hand, pile="-", v=V, status=""):
    """Count what a bot does when asked many times with a hand against a pile."""
    diagram = f"""
        player_0 began, player_0 to move, round 1{status}
        player_0: {hand}
        player_1: J
        pile: {pile + " by player_1" if pile != "-" else "-"}
        """
    return asked(bot, v, position(v, diagram)[0])


def asked(bot, v, s):
    view, mask = np.zeros(GAME.size(v), GAME.view_dtype), np.zeros(GAME.actions(v), np.int8)
    dispatch.observe(v, s, int(s.turn), view)
    dispatch.legal(v, s, mask)
    actions = np.zeros(DRAWN, np.int64)
    views, masks = np.tile(view, (DRAWN, 1)), np.tile(mask, (DRAWN, 1))
    tables.choose_batch(v, LADDER.index(bot), views, masks, generators(1, 1), actions)
    assert mask[actions].all()
    return Counter(text.say(v, s, int(a)) for a in actions)


def fraction(counts, word):
    return counts[word] / DRAWN


def test_player_puts_down_a_random_card():
    found = choices("one_card", "4455588*")
    assert set(found) == {"4", "5", "8", "*"}
    assert fraction(found, "5") == pytest.approx(3 / 8, abs=0.1)
    assert fraction(found, "*") == pytest.approx(1 / 8, abs=0.1)


def test_player_passes_where_its_card_does_not_fit():
    assert fraction(choices("one_card", "4455588*", "6"), "pass") == pytest.approx(5 / 8, abs=0.1)
    assert set(choices("one_card", "4455588*", "33")) == {"pass"}


def test_little_think_completes_its_card_up_to_the_size_of_the_pile():
    found = choices("little_think", "4555688*", "33")
    assert set(found) == {"pass", "55", "88"}
    assert fraction(found, "55") == pytest.approx(3 / 8, abs=0.1)
    assert set(choices("little_think", "4555688*", "4")) == {"pass", "5", "6", "8", "*"}


def test_little_think_leads_all_cards_of_a_rank():
    assert set(choices("little_think", "4555688*")) == {"4", "555", "6", "88", "*"}


@pytest.mark.parametrize(
    ("hand", "pile", "played"),
    [
        ("4566688QQQKA*", "-", "666"),  # triples of the weaker half first
        ("45667788KAQQQ", "-", "66"),  # then pairs of the weaker half
        ("4567QQKKAA2*", "-", "4"),  # else the weakest card
        ("5566667", "-", "6666"),
        ("4", "-", "4"),
        ("*", "-", "*"),
        ("4557789K2", "4", "8"),  # sets are kept together
        ("4557789K2", "A", "pass"),  # and the top card back
        ("4557789K2*", "A", "2"),  # the joker is the top card
        ("557K2", "4", "5"),  # not with five cards
        ("557K2", "A", "2"),
        ("557K*", "A", "*"),
        ("455667QKAA2", "44", "55"),
        ("45678AA", "44", "pass"),  # pairs come from the weaker two thirds
        ("456KAA*", "44", "K*"),  # the joker goes with kings and above
        ("456789JQ*", "44", "pass"),
        ("4445556K", "333", "444"),
        ("3456KKK", "333", "pass"),  # triples come from the weaker half
        ("44456K", "3333", "pass"),
    ],
)
def test_course_plays_as_its_page_says(hand, pile, played):
    assert choices("course", hand, pile) == {played: DRAWN}


def test_course_reverses_its_order_in_a_revolution():
    assert choices("course", "4568KKK2A", status=", revolution") == {"KKK": DRAWN}
    assert choices("course", "45689J", "Q", status=", revolution") == {"J": DRAWN}
    assert choices("course", "44558*", "99", status=", revolution") == {"55": DRAWN}


def test_bots_give_cards_away():
    v = GAME.make_variant(players=2, ranks=4, rounds=2, exchange=True)
    diagram = """
        player_0 began, player_0 to move, round 2, first gives 2
        player_0: QKKKAA2*, known 2*, before 1, total 0
        player_1: QQ, top 2, before 2, total 1
        pile: -
        """
    s = position(v, diagram)[0]
    assert set(asked("course", v, s)) == {"Q"}
    for bot in ("one_card", "little_think"):
        found = asked(bot, v, s)
        assert fraction(found, "K") == pytest.approx(3 / 8, abs=0.1)
        assert set(found) == {"Q", "K", "A", "2", "*"}
