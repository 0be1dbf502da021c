"""House rules of draw poker, paragraph by paragraph of RULES.md: least raises and limits of the exchange."""

import re

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.draw_poker import GAME, text
from kozyr.envs.draw_poker.evaluate import HAND, NO_CARD
from kozyr.envs.draw_poker.view import Parts
from tests.games.draw_poker_diagrams import after, deals, moves, position, seen

FULL = GAME.make_variant(players=3, stack=101, max_bet=40, min_raise=True)
BETS = """
    first bets, button player_2, player_0 began, player_0 to move
    player_0: 2C 3H 5D 7S 9C, chips {0}, paid 1, bets 0 0, to act
    player_1: 2H 4H 6D 8S TC, chips {1}, paid 1, bets 0 0, to act
    player_2: 3C 4D 6C 8H JC, chips {2}, paid 1, bets 0 0, to act
"""


def table(first, second):
    """Return a variant and a diagram in which two seats have so many chips; the rest of all has the third."""
    return FULL, BETS.format(first, second, 3 * 101 - 3 - first - second)


def test_s17_a_raise_is_by_no_less_than_the_last_one():
    v, diagram = table(100, 100)
    assert moves(v, position(v, diagram)) == ", ".join(["fold, call", *(f"raise {k}" for k in range(1, 41))])
    assert "raise 7" not in moves(v, after(v, diagram, "raise 4")).split(", ")
    s = after(v, diagram, "raise 4, raise 8")
    assert moves(v, s).split(", ")[2:] == [f"raise {k}" for k in range(12, 41)]
    assert moves(v, after(v, diagram, "raise 4, raise 14")).split(", ")[2] == "raise 24"


def test_s17_where_a_full_raise_is_above_max_bet_nobody_raises():
    v, diagram = table(100, 100)
    assert moves(v, after(v, diagram, "raise 4, raise 30")) == "fold, call"


def test_s17_who_has_fewer_chips_raises_all_in_and_does_not_reopen_the_betting():
    v, diagram = table(100, 15)
    s = after(v, diagram, "raise 10")
    assert moves(v, s) == "fold, call, raise 15"  # 20 would be the least
    s = after(v, diagram, "raise 10, raise 15")
    assert moves(v, s).split(", ")[2:4] == ["raise 25", "raise 26"]  # has not acted: by 10 at least
    s = after(v, diagram, "raise 10, raise 15, call")
    assert moves(v, s) == "fold, call"  # has bet, and the highest bet has grown by 5
    s = after(v, diagram, "raise 10, raise 15, raise 25")
    assert moves(v, s).split(", ")[2] == "raise 35"


def test_s17_two_short_raises_reopen_the_betting_if_they_are_a_full_one_together():
    four = GAME.make_variant(players=4, stack=101, max_bet=40, min_raise=True)
    diagram = """
        first bets, button player_3, player_0 began, player_0 to move
        player_0: 2C 3H 5D 7S 9C, chips 100, paid 1, bets 0 0, to act
        player_1: 2H 4H 6D 8S TC, chips {0}, paid 1, bets 0 0, to act
        player_2: 3C 4D 6C 8H JC, chips {1}, paid 1, bets 0 0, to act
        player_3: 3D 4C 6H 8C JD, chips {2}, paid 1, bets 0 0, to act
    """
    for second, last in ((18, "fold, call"), (20, "raise 30")):
        start = diagram.format(15, second, 4 * 101 - 4 - 100 - 15 - second)
        s = after(four, start, f"raise 10, raise 15, raise {second}, call")
        found = moves(four, s)
        assert (found == last) if last == "fold, call" else (found.split(", ")[2] == last)


def test_s17_who_has_checked_may_raise_and_the_next_round_begins_anew():
    v, diagram = table(100, 5)
    assert moves(v, after(v, diagram, "call, raise 5, call")).split(", ")[2] == "raise 10"
    s = after(v, diagram, "raise 10, fold, call, discard none, discard none")
    assert moves(v, s).split(", ")[2] == "raise 1"
    assert s.full_raise == 0


def test_s17_everybody_knows_the_least_raise_and_texts_tell_it():
    v, diagram = table(100, 100)
    s = after(v, diagram, "raise 4, raise 11")
    for seat in range(3):
        assert seen(v, s, seat)[Parts(v).full_raise] == 7
    assert "player_1 raised by at least 7, player_2 to move" in text.write(v, s)
    assert text.read(v, text.write(v, s))[0].full_raise == 7
    assert "raised by at least 7" in text.write(v, s, 0)
    usual = GAME.make_variant(players=3, stack=101, max_bet=40)
    assert GAME.size(v) == GAME.size(usual) + 1
    for variant, words in ((usual, text.write(v, s)), (v, text.write(v, s).replace(" by at least 7", ""))):
        with pytest.raises(ValueError, match=re.escape("as 'by at least 3'")):
            text.read(variant, words)
    with pytest.raises(ValueError, match="goes with min_raise"):
        text.read_view(usual, text.write(v, s, 0))


EXCHANGE = """
    exchange, button player_2, player_0 began, player_0 to move
    player_0: 2C 3H 5D 7S AC, chips 99, paid 1, bets 0 0, to act
    player_1: 2H 4H 6D 8S TC, chips 99, paid 1, bets 0 0, to act
    player_2: 3C 4D 6C 8H JC, chips 99, paid 1, bets 0 0, to act
"""


@pytest.mark.parametrize("most", range(HAND + 1))
def test_s18_nobody_discards_more_than_max_discards(most):
    v = GAME.make_variant(players=3, max_discards=most)
    found = [move.removeprefix("discard ").split() for move in moves(v, position(v, EXCHANGE)).split(", ")]
    assert max(0 if places == ["none"] else len(places) for places in found) == most
    assert len(found) == sum([1, 5, 10, 10, 5, 1][: most + 1])


@pytest.mark.parametrize("most", range(4))
def test_s18_who_keeps_an_ace_discards_four(most):
    v = GAME.make_variant(players=3, max_discards=most, four_with_ace=True)
    s = position(v, EXCHANGE)
    fours = [move for move in moves(v, s).split(", ") if len(move.split()) == 5]
    assert fours == ["discard 1 2 3 4"]
    after_it = after(v, EXCHANGE, "discard 1 2 3 4")
    assert [move for move in moves(v, after_it).split(", ") if len(move.split()) == 5] == []


def test_s18_four_with_ace_needs_a_limit_and_hands_of_five():
    for options in ({}, {"max_discards": 4}, {"max_discards": 3, "deck": 20}):
        with pytest.raises(
            ValueError, match="changes nothing: it is for hands of five cards and max_discards=3 or less"
        ):
            GAME.make_variant(four_with_ace=True, **options)


def test_s18_whoever_has_discarded_four_holds_an_ace_in_every_imagined_world():
    v = GAME.make_variant(players=4, max_discards=3, four_with_ace=True)
    found = 0
    for s in deals(v, 400, starter=0):
        for _ in range(4):
            dispatch.play(v, s, text.parse(v, "call"))
        fours = dict[int, bool]()
        for seat in range(4):
            every = moves(v, s).split(", ")
            fours[seat] = "discard 1 2 3 4" in every
            dispatch.play(v, s, text.parse(v, "discard 1 2 3 4" if fours[seat] else "discard none"))
        for seat in range(4):
            if sum(fours.values()) < 2 or fours[seat]:
                continue
            view = seen(v, s, seat)
            for seed in range(5):
                world = np.zeros(1, GAME.state)[0]
                dispatch.imagine(v, view, seed, world)
                for other in range(1, 4):
                    ranks = [int(c) % 13 for c in world.hand[other] if c != NO_CARD]
                    assert 12 in ranks or not fours[(seat + other) % 4]
                found += 1
    assert found > 50
