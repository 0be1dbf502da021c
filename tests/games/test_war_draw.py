"""Drawings of War are well-formed, show what everybody knows, and hide the rest from both seats."""

from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs.core import dispatch
from kozyr.envs.core.capabilities import result
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.core.labels import fill
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import render_svg
from kozyr.envs.pictures.scene import (
    BACK,
    CARD,
    CARD_WIDE,
    FACE,
    FLAGS,
    KIND,
    LABEL,
    LEGAL,
    SEES_ALL,
    SEES_PUBLIC,
    STACK,
    TAG,
    WIDE,
    A,
    B,
)
from kozyr.envs.war import GAME
from kozyr.envs.war.rules import PICKING, WRAP

from . import positions

draw = GAME.draw
PICKUPS = ["fixed", "random", "choice"]


def table(plies, seed=0, **options):
    return positions.table(GAME, options, plies, seed)


def rows(v, s, seat):
    return positions.shown(GAME, v, s, seat)


def faces(v, s, seat):
    """Return the faces of all cards that a scene shows face up."""
    shown = rows(v, s, seat)
    return set(shown[shown[:, KIND] == CARD][:, FACE].tolist()) - {BACK}


def face(v, c):
    ranks = v.deck // len(SUITS)
    return 1 + c // ranks * len(RANKS) + len(RANKS) - ranks + c % ranks


def line(s, seat, begin):
    return [int(s.line[seat, i & WRAP]) for i in range(int(begin[seat]), int(s.end[seat]))]


@pytest.mark.parametrize("pickup", PICKUPS)
@pytest.mark.parametrize(
    ("plies", "options"), [(0, {}), (1, {}), (60, {}), (9999, {"max_turns": 90}), (99, {"deck": 8})]
)
def test_every_drawing_is_well_formed_and_repeats(pickup, plies, options):
    positions.assert_drawn(GAME, *table(plies, pickup=pickup, **options))


@pytest.mark.parametrize("pickup", PICKUPS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("plies", [0, 15, 40, 60])
def test_imagined_positions_look_the_same(pickup, seed, plies):
    v, s = table(plies, seed, pickup=pickup, deck=52 if seed % 2 else 28)
    view, other = np.zeros(GAME.size(v), GAME.view_dtype), np.zeros(1, GAME.state)[0]
    if s.turn != OVER:
        dispatch.observe(v, s, 0, view)
        dispatch.imagine(v, view, seed, other)
        assert draw(v, other, 0) == draw(v, s, 0)
        assert draw(v, other, 1) == draw(v, s, 1)


def test_unseen_cards_are_backs_for_both_seats():
    v, s = table(3)
    hidden = [c for k in (0, 1) for c in line(s, k, s.top)[: int(s.unseen[k])]]
    assert len(hidden) == 49
    for seat in (SEES_PUBLIC, 0, 1):
        assert faces(v, s, seat) == {face(v, c) for c in range(52) if c not in hidden}


def test_a_pile_tells_its_number_and_is_what_the_mover_clicks():
    v, s = table(40)
    for seat in (0, 1):
        drawn = rows(v, s, seat)
        piles = drawn[(drawn[:, FLAGS] & STACK > 0) & (drawn[:, WIDE] == CARD_WIDE)]
        assert sorted(piles[:, B].tolist()) == sorted((s.end - s.top).tolist())
        legal = piles[piles[:, FLAGS] & LEGAL > 0]
        assert len(legal) == (seat == s.turn)
        assert all(pile[B] == s.end[seat] - s.top[seat] for pile in legal)


def said(v, s):
    """Return the words of a scene."""
    drawn = rows(v, s, SEES_ALL)
    return {fill(GAME.labels[row[FACE]], row[A:].tolist()) for row in drawn if row[KIND] in (LABEL, TAG)}


def test_words_say_who_moves_and_who_chooses():
    v, s = table(0, pickup="choice")
    assert {"STARTER", "turn 1 of 1000"} <= said(v, s)
    while s.phase != PICKING:
        assert "CHOOSES" not in said(v, s)
        dispatch.play(v, s, 0)
    assert {"STARTER", "CHOOSES"} <= said(v, s)


@pytest.mark.parametrize(
    ("options", "ends"),
    [
        ({"max_turns": 2}, {"stopped after 2 turns"}),
        ({"pickup": "random"}, {f"player_{k} wins" for k in (0, 1)}),
        ({"deck": 8}, {f"player_{k} wins, player_{1 - k} is short of cards for a war" for k in (0, 1)}),
    ],
)
def test_words_say_how_the_game_ended(options, ends):
    found = set()
    for seed in range(30):
        v, s = table(9999, seed, **options)
        found |= said(v, s) & ends
        told = [result(v, s, seat) for seat in (0, 1)]
        assert [word == "won" for word in told] == [payoff > 0 for payoff in s.payoff]
    assert found == ends


@pytest.mark.parametrize("plies", [0, 44])
def test_pixels_have_the_shape_asked_for_and_show_something(plies):
    v, s = table(plies, pickup="choice")
    text = draw(v, s, 1)
    root = ElementTree.fromstring(text)
    pixels = render_svg.raster(text)
    assert pixels.shape[:2] == (round(float(root.attrib["height"])), round(float(root.attrib["width"])))
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
