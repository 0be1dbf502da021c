"""Forbidden last sets of Daifugo, §22 of RULES.md."""

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME, text
from kozyr.envs.daifugo.round import IN
from tests.games.daifugo_diagrams import after, position

FOUL = GAME.make_variant(players=4, foul_finish=True, revolution=True)
STOP = GAME.make_variant(players=4, foul_finish=True, revolution=True, eight_stop=True)
TABLE = """
    player_0 began, player_0 to move, round 1
    player_0: {0}
    player_1: 4455
    player_2: 6677
    player_3: 99TT
    pile: -
    """


@pytest.mark.parametrize(
    ("hand", "variant", "turned", "foul"),
    [
        ("2", FOUL, "", True),
        ("22", FOUL, "", True),
        ("*", FOUL, "", True),
        ("A*", FOUL, "", True),
        ("A", FOUL, "", False),
        ("3", FOUL, "", False),
        ("3", FOUL, ", turned", True),
        ("2", FOUL, ", turned", False),
        ("8", FOUL, "", False),
        ("8", STOP, "", True),
        ("2222", FOUL, "", True),  # the order in which they were laid counts
        ("3333", FOUL, "", False),
        ("2222", FOUL, ", turned", False),
    ],
)
def test_s22_a_forbidden_last_set_takes_the_last_place(hand, variant, turned, foul):
    states = position(variant, TABLE.format(hand))
    states[0].upside = bool(turned)
    dispatch.play(variant, states[0], text.parse(variant, hand))
    assert states[0].place[:4].tolist() == [3 if foul else 0, IN, IN, IN]
    assert states[0].taken == (0 if foul else 1)


def test_s22_without_the_option_any_set_may_be_the_last():
    assert after(GAME.make_variant(players=4), TABLE.format("2"), "2")[0].place[:4].tolist() == [0, IN, IN, IN]


SECOND = """
    player_0 began, player_1 to move, round 1
    player_0: -, place 4
    player_1: 2
    player_2: 6
    player_3: 99TT
    pile: -
    """


def test_s22_the_next_one_is_last_but_one_and_the_rest_takes_what_is_free():
    s = after(FOUL, SECOND, "2")[0]
    assert s.place[:4].tolist() == [3, 2, IN, IN]
    s = after(FOUL, SECOND, "2 pass pass")[0]
    assert s.turn in (2, 3)
    s = after(FOUL, SECOND.replace("player_1: 2", "player_1: 5"), "5 6")[0]
    assert s.place[:4].tolist() == [3, 0, 1, 2]
    assert s.turn == OVER
    np.testing.assert_allclose(s.payoff[:4], [-1, 1, 1 / 3, -1 / 3], atol=1e-6)


def test_s22_texts_and_views_tell_such_places():
    states = after(FOUL, SECOND, "2")
    told = text.write(FOUL, states[0])
    assert "place 4" in told
    assert "place 3" in told
    assert text.write(FOUL, text.read(FOUL, told)[0]) == told
    for seat in range(4):
        world = np.zeros(1, GAME.layout(FOUL))
        dispatch.imagine(FOUL, GAME.view(FOUL, states[0], seat), 1, world[0])
        assert world[0].taken == 0
    with pytest.raises(ValueError, match="cannot be taken"):
        position(FOUL, SECOND.replace("place 4", "place 3"))


def test_s22_dethroning_and_suits_do_not_go_with_it():
    for options in ({"dethrone": True, "rounds": 2}, {"suits": True}):
        with pytest.raises(ValueError, match="foul_finish=True is not there with"):
            GAME.make_variant(foul_finish=True, **options)
