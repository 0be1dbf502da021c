"""Drawings are well-formed, show a seat what it knows and nothing else, and become pixels."""

import re
import string
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs import durak, mnk
from kozyr.envs.core import install_hint
from kozyr.envs.core.capabilities import result
from kozyr.envs.core.cards import RANKS, SUITS, name
from kozyr.envs.durak.rules import STOCK
from kozyr.envs.pictures import render_svg, stroke_font
from kozyr.envs.pictures.scene import BACK, CARD, FACE, FLAGS, KIND, KNOWN, SEES_PUBLIC

from .durak_places import cards, places, put, word
from .positions import assert_drawn, table

TABLES = [
    *((durak.GAME, {"players": n, "deck": 36, "open_trump": n % 2 == 0}) for n in range(2, 7)),
    (durak.GAME, {"players": 2, "deck": 20, "transfer": True, "pile_on": True, "open_trump": True}),
    (mnk.GAME, {"m": 3, "n": 3, "k": 3}),
    (mnk.GAME, {"m": 4, "n": 9, "k": 4, "obstacles": 0.2}),
    (mnk.GAME, {"m": 25, "n": 2, "k": 2}),
]


@pytest.mark.parametrize(("game", "options"), TABLES)
@pytest.mark.parametrize("plies", [0, 7, 30, 5000])
def test_every_drawing_is_well_formed_and_repeats(game, options, plies):
    assert_drawn(game, *table(game, options, plies))


@pytest.mark.parametrize("open_trump", [False, True])
@pytest.mark.parametrize("plies", [0, 9, 40])
def test_swapping_hidden_cards_changes_no_drawing_of_a_seat(open_trump, plies):
    v, s = table(durak.GAME, {"players": 3, "open_trump": open_trump}, plies, seed=4)
    bottom = s.stock[v.deck - 1]
    for seat in range(v.players):
        seen = durak.GAME.draw(v, s, seat)
        place = places(v, s)
        hidden = [
            c
            for c in range(v.deck)
            if place[c] <= STOCK and place[c] != seat and c not in cards(s.known)
            if not (open_trump and c == bottom)
        ]
        other = np.zeros(1, durak.GAME.state)
        other[0] = s
        o = other[0]
        place[hidden] = place[hidden[::-1]]
        put(o, place)
        o.stock[s.drawn : v.deck - 1] = s.stock[s.drawn : v.deck - 1][::-1]
        assert durak.GAME.draw(v, o, seat) == seen
        assert durak.GAME.draw(v, o) != durak.GAME.draw(v, s)


def faces(v, some):
    """Return the faces of Durak's cards, from the text of the cards."""
    ranks = v.deck // len(SUITS)
    return {1 + SUITS.index(n[1]) * len(RANKS) + RANKS.index(n[0]) for n in (name(c, ranks) for c in some)}


@pytest.mark.parametrize("deck", [8, 24, 36, 52])
def test_a_seat_sees_its_own_cards_and_those_known_to_all(deck):
    v, s = table(durak.GAME, {"players": 2, "deck": deck, "hand": 3}, 0)
    hands = [cards(s.cards[seat]) for seat in range(2)]
    s.known = word(hands[1][:1])
    states = np.zeros(1, durak.GAME.state)
    states[0] = s
    for seat, known in ((0, hands[1][:1]), (1, [])):
        rows = render_svg.rows(durak.GAME, v, states, seat)
        shown = rows[(rows[:, KIND] == CARD) & (rows[:, FACE] != BACK)]
        assert set(shown[:, FACE].tolist()) == faces(v, hands[seat] + known)
        marked = shown[(shown[:, FLAGS] & KNOWN) > 0]
        assert set(marked[:, FACE].tolist()) == faces(v, hands[1][:1])
    rows = render_svg.rows(durak.GAME, v, states, SEES_PUBLIC)
    assert set(rows[rows[:, KIND] == CARD][:, FACE].tolist()) == {BACK} | faces(v, hands[1][:1])


def test_trumps_stand_at_the_end_of_the_hand_and_colours_take_turns():
    for seed in range(8):
        v, s = table(durak.GAME, {"players": 2}, 0, seed)
        states = np.zeros(1, durak.GAME.state)
        states[0] = s
        rows = render_svg.rows(durak.GAME, v, states, 0)
        suits = [(face - 1) // 13 for face in rows[(rows[:, KIND] == CARD) & (rows[:, FACE] != BACK)][:, FACE].tolist()]
        order = sorted({*suits}, key=suits.index)
        assert suits == sorted(suits, key=order.index)
        assert s.trump not in order[:-1]
        if len(order) == 4:
            assert [suit in (0, 1) for suit in order] in ([True, False] * 2, [False, True] * 2)


def test_results_are_told_in_the_words_of_the_game():
    for seed in range(9):
        v, s = table(durak.GAME, {"players": 2 + seed % 3, "deck": 36}, 5000, seed)
        told = [result(v, s, seat) for seat in range(v.players)]
        assert [word == "is the fool" for word in told] == [payoff < 0 for payoff in s.payoff[: v.players]]


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_raster_has_the_shape_asked_for_and_shows_something(game, options):
    v, s = table(game, options, 5)
    text = game.draw(v, s)
    root = ElementTree.fromstring(text)
    pixels = render_svg.raster(text)
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 3
    assert abs(pixels.shape[1] - float(root.attrib["width"])) < 1
    assert abs(pixels.shape[0] - float(root.attrib["height"])) < 1
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
    assert render_svg.raster(text, 300).shape[1] == 300


def test_raster_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=re.escape(install_hint.command("pictures"))):
        render_svg.raster("<svg/>")


def test_every_letter_of_labels_has_strokes():
    assert set(string.ascii_letters + string.digits + " _-+:()…−") <= set(stroke_font.STROKES)
