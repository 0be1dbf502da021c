"""Drawings of Daifugo are well-formed, show a seat what it knows and nothing else, and become pixels."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs.core import dispatch, svg
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.draw import BACK, face
from kozyr.envs.daifugo.rules import JOKER

LOCAL = {"rounds": 3, "exchange": True, "dethrone": True, "revolution": True}
TABLES = [
    *({"players": n} for n in range(2, 9)),
    {"players": 2, "ranks": 2, "joker": False},
    {"players": 4, "ranks": 6, **LOCAL},
    {"players": 8, **LOCAL},
]


def table(options, plies, seed=0):
    v = GAME.make_variant(**options)
    s = np.zeros(1, GAME.state)[0]
    dispatch.start(v, s, seed, -1)
    rng = np.random.default_rng(seed)
    mask = np.zeros(GAME.actions(v), np.int8)
    for _ in range(plies):
        if s.turn == OVER:
            break
        dispatch.legal(v, s, mask)
        dispatch.play(v, s, int(rng.choice(np.flatnonzero(mask))))
    return v, s


def shape(v, r, known=False):
    """Return how a card is drawn, without the place where it lies."""
    return face(v, r, known=known).partition(">")[2]


@pytest.mark.parametrize("options", TABLES)
@pytest.mark.parametrize("plies", [0, 7, 60, 90, 20000])
def test_every_drawing_is_well_formed_and_repeats(options, plies):
    v, s = table(options, plies)
    for seat in (None, *range(v.players)):
        before = s.tobytes()
        drawn: Any = GAME.draw(v, s, seat)
        assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
        assert drawn == GAME.draw(v, s, seat) == drawn._repr_svg_()
        assert s.tobytes() == before


@pytest.mark.parametrize("plies", [0, 9, 60, 95, 110])
def test_swapping_hidden_cards_changes_no_drawing_of_a_seat(plies):
    v, s = table({"players": 3, "ranks": 8, "rounds": 9, "exchange": True}, plies, seed=4)
    swapped = 0
    for seat in range(3):
        first, second = (k for k in range(3) if k != seat)
        hidden = s.hand - s.known
        other = s.copy()
        pairs = [(r, q) for r in range(JOKER + 1) for q in range(r) if hidden[first, r] and hidden[second, q]]
        for r, q in pairs[:1]:
            other.hand[first, r] -= 1
            other.hand[first, q] += 1
            other.hand[second, q] -= 1
            other.hand[second, r] += 1
        assert GAME.draw(v, other, seat) == GAME.draw(v, s, seat)
        swapped += GAME.draw(v, other) != GAME.draw(v, s)
    assert swapped


def test_a_seat_sees_its_own_cards_and_those_known_to_all():
    v, s = table({"players": 2, "ranks": 4}, 0)
    s.hand[:, :] = 0
    s.hand[0, [0, 1]], s.hand[1, [2, JOKER]], s.count[:2] = 1, 1, 2
    drawn = GAME.draw(v, s, 0)
    assert all(shape(v, r) in drawn for r in (0, 1))
    assert not any(shape(v, r) in drawn for r in (2, 3, JOKER))
    assert drawn.count(shape(v, BACK)) == 2
    s.known[1, JOKER] = 1
    drawn = GAME.draw(v, s, 0)
    assert shape(v, JOKER, known=True) in drawn
    assert drawn.count(shape(v, BACK)) == 1


def test_the_pile_the_joker_and_a_revolution_are_drawn():
    v, s = table({"players": 3, "revolution": True}, 0)
    s.laid, s.rank, s.jokered, s.owner, s.turn = 3, 5, 1, 0, 1
    highlit = [face(v, r, highlight=True).partition(">")[2] for r in (5, JOKER)]
    assert [GAME.draw(v, s).count(card) for card in highlit] == [2, 1]
    upright = GAME.draw(v, s, 0)
    s.upside = 1
    assert GAME.draw(v, s, 0) != upright


@pytest.mark.parametrize("options", TABLES)
def test_raster_has_the_shape_asked_for_and_shows_something(options):
    v, s = table(options, 5)
    drawn = GAME.draw(v, s)
    root = ElementTree.fromstring(drawn)
    pixels = svg.raster(drawn)
    assert pixels.dtype == np.uint8
    assert abs(pixels.shape[1] - float(root.attrib["width"])) < 1
    assert abs(pixels.shape[0] - float(root.attrib["height"])) < 1
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
    assert svg.raster(drawn, 300).shape[1] == 300
