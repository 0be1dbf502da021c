"""Scenes of draw poker show a seat what it knows and nothing else, in chips; actions are named as players name them."""

from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs.core import dispatch, input_spec, labels
from kozyr.envs.core.capabilities import result
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker import GAME, text
from kozyr.envs.draw_poker.actions import FOLD
from kozyr.envs.pictures import render_svg, scene
from tests.games.draw_poker_diagrams import after, position

from . import positions

TABLES = [
    *({"players": n} for n in range(2, 6)),
    {"players": 5, "stack": 12, "episode": "tournament"},
    {"players": 3, "stack": 3, "ante": 2, "ranking": "standard"},
    {"players": 4, "stack": 1000, "max_bet": 100, "episode": "tournament", "max_hands": 3},
]
V = GAME.make_variant(players=3, stack=20, max_bet=5)
LAST = """
    second bets, button player_2, player_0 began, player_1 raised, player_2 to move
    player_0: 2C 5S 9D JH AC, discarded 7S KD, chips 13, paid 7, bets 1 5
    player_1: 3C 3H 8D TS KC, discarded -, chips 13, paid 7, bets 1 5
    player_2: 4C 6D 8H QC AH, discarded 5C, chips 18, paid 2, bets 1 0, to act
    """


def table(options, plies, seed=0):
    return positions.table(GAME, options, plies, seed, seldom=FOLD)


def shown(v, s, seat=scene.SEES_ALL):
    return positions.shown(GAME, v, s, seat)


def faces(v, s, seat=scene.SEES_ALL):
    rows = shown(v, s, seat)
    return {int(face) - 1 for face in rows[rows[:, scene.KIND] == scene.CARD, scene.FACE]}


def said(v, s, seat=scene.SEES_ALL):
    rows = shown(v, s, seat)
    found = rows[np.isin(rows[:, scene.KIND], [scene.LABEL, scene.TAG])].tolist()
    return [labels.fill(GAME.labels[row[scene.FACE]], row[scene.A :]) for row in found]


def named(v, s, action):
    """Return how an action is made: how, its words, its keys."""
    row = np.zeros(input_spec.ENTRIES, np.int32)
    dispatch.elements(v, s, text.parse(v, action) if isinstance(action, str) else action, row)
    keys = row[input_spec.KEYS : input_spec.KEYS + row[input_spec.COUNT]].tolist()
    return (
        int(row[input_spec.HOW]),
        labels.fill(GAME.labels[int(row[input_spec.SAID])], row[input_spec.SAID_A :].tolist()),
        keys,
    )


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("plies", [0, 5, 11, 40, 5000])
def test_every_drawing_is_well_formed_and_repeats(options, plies):
    positions.assert_drawn(GAME, *table(options, plies))


@pytest.mark.parametrize("plies", [0, 3, 6, 9])
def test_swapping_hidden_cards_changes_no_scene_of_a_seat(plies):
    v, s = table({"players": 4}, plies, seed=4)
    assert s.turn != OVER
    for seat in range(v.players):
        other = np.zeros(1, GAME.state)
        other[0] = s
        o = other[0]
        others = [k for k in range(v.players) if k != seat]
        o.hand[others] = s.hand[others[::-1]]
        o.discarded[others] = (s.discarded[others] + 1) * (s.discarded[others] >= 0) - 1
        o.deck[:] = s.deck[::-1]
        assert shown(v, o, seat).tolist() == shown(v, s, seat).tolist()
        assert shown(v, o).tolist() != shown(v, s).tolist()


def test_a_seat_sees_its_own_cards_and_discards():
    s = position(V, LAST)
    assert faces(V, s, 0) == {-1, *s.hand[0].tolist(), *s.discarded[0][:2].tolist()}
    assert faces(V, s, scene.SEES_PUBLIC) == {-1}
    assert {c for k in range(3) for c in s.hand[k].tolist()} <= faces(V, s)


def test_a_showdown_shows_the_hands_that_were_not_folded():
    for action, visible in (("call", (0, 1, 2)), ("fold", (0, 1))):
        s = after(V, LAST, action)
        for seat in (0, 1, 2):
            seen = faces(V, s, seat)
            for k in range(3):
                assert all((c in seen) == (k in visible or k == seat) for c in s.hand[k].tolist())


def test_a_pot_taken_unseen_shows_no_hand():
    opening = LAST.replace("chips 13, paid 7, bets 1 5", "chips 18, paid 2, bets 1 0, folded", 1)
    s = after(V, opening, "fold")
    assert s.turn == OVER
    assert not faces(V, s, 2) & {c for k in (0, 1) for c in s.hand[k].tolist()}


def test_chips_bets_and_the_result_are_written():
    told = said(V, position(V, LAST), 2)
    for sentence in (
        "pot 16, 5 to call",
        "bet 1 + 5",
        "in the pot 2",
        "exchanged 2",
        "stands pat",
        "player_1 raised to 5, player_2 bets",
    ):
        assert sentence in told
    end = said(V, after(V, LAST, "call"))
    for sentence in ("player_1 wins 14 chips", "WON 14", "LOST 7", "pair"):
        assert sentence in end


def test_tags_say_who_folded_is_all_in_raised_and_has_the_button():
    folded = LAST.replace("chips 13, paid 7, bets 1 5", "chips 0, paid 7, bets 1 5, folded", 1)
    told = said(V, position(V, folded.replace("chips 13", "chips 0").replace("chips 18", "chips 44")))
    for tag in ("FOLDED", "ALL IN", "BUTTON", "TO MOVE", "RAISED"):
        assert tag in told
    assert "OUT" not in told


def test_actions_are_named_as_players_name_them():
    s = position(V, LAST)
    assert named(V, s, "fold") == (input_spec.BUTTON, "fold", [])
    assert named(V, s, "call") == (input_spec.BUTTON, "call 5", [])
    s.chips[2] = 4
    assert named(V, s, "call") == (input_spec.BUTTON, "all in 4", [])
    v, s = table({"players": 2, "stack": 6, "max_bet": 9}, 0)
    assert named(v, s, 1) == (input_spec.BUTTON, "check", [])
    assert named(v, s, 1 + 3) == (input_spec.AMOUNT, "bet 3", [])
    assert named(v, s, 1 + 5) == (input_spec.AMOUNT, "bet 5, all in", [])
    dispatch.play(v, s, 1 + 2)
    assert named(v, s, 1 + 3) == (input_spec.AMOUNT, "raise to 3", [])
    dispatch.play(v, s, 1)
    assert named(v, s, 2 + v.max_bet) == (input_spec.SELECT, "stand pat", [])
    assert named(v, s, 2 + v.max_bet + 0b10010) == (input_spec.SELECT, "exchange 2 cards", [2, 5])


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_raster_has_the_shape_asked_for_and_shows_something(options):
    v, s = table(options, 7)
    drawn = GAME.draw(v, s)
    root = ElementTree.fromstring(drawn)
    pixels = render_svg.raster(drawn)
    assert pixels.shape[2] == 3
    assert abs(pixels.shape[1] - float(root.attrib["width"])) < 1
    assert abs(pixels.shape[0] - float(root.attrib["height"])) < 1
    assert len(np.unique(pixels[::3, ::3].reshape(-1, 3), axis=0)) > 50


def test_results_are_told_in_words():
    s = after(V, LAST, "call")
    told = ["lost 7 chips with a high card", "won 14 chips with a pair", "lost 7 chips with a high card"]
    assert [result(V, s, k) for k in range(3)] == told
    opening = LAST.replace("chips 13, paid 7, bets 1 5", "chips 18, paid 2, bets 1 0, folded", 1)
    s = after(V, opening, "fold")
    told = ["lost 2 chips and folded", "won 4 chips because all others folded", "lost 2 chips and folded"]
    assert [result(V, s, k) for k in range(3)] == told
    s.change[:] = 0
    assert result(V, s, 1) == "won and lost nothing"


@pytest.mark.parametrize(
    ("twice", "truncated", "told"),
    [
        (2, 0, "won the tournament"),
        (2, 1, "took first place after 7 hands"),
        (3, 0, "shared first and second place"),
        (6, 0, "took third place"),
    ],
)
def test_places_in_a_tournament_are_told_in_words(twice, truncated, told):
    v, s = table({"players": 3, "episode": "tournament"}, 0)
    s.place[0], s.truncated, s.hands = twice, truncated, 7
    assert result(v, s, 0) == told
