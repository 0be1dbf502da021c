"""Scenes of Daifugo show a seat what it knows and nothing else; sets are chosen by rank."""

from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.capabilities import result
from kozyr.envs.core.labels import WINS
from kozyr.envs.daifugo import GAME, text
from kozyr.envs.daifugo.scene import PILE
from kozyr.envs.daifugo.scene_words import GIVE, OWNER, PASS, REVOLUTION, SHARE
from kozyr.envs.daifugo.variant import JOKER
from kozyr.envs.pictures import render_svg, scene

from . import positions

LOCAL = {"rounds": 3, "exchange": True, "dethrone": True, "revolution": True}
TABLES = [
    *({"players": n} for n in range(2, 9)),
    {"players": 2, "ranks": 2, "joker": False},
    {"players": 4, "ranks": 6, **LOCAL},
    {"players": 8, **LOCAL},
]


def table(options, plies, seed=0):
    return positions.table(GAME, options, plies, seed)


def shown(v, s, seat=scene.SEES_ALL):
    return positions.shown(GAME, v, s, seat)


def faces(rows, **where):
    """Return the faces of a scene's cards, those with given columns only."""
    cards = rows[rows[:, scene.KIND] == scene.CARD]
    for column, value in where.items():
        cards = cards[cards[:, getattr(scene, column.upper())] == value]
    return cards[:, scene.FACE].tolist()


def labels(rows):
    return set(rows[np.isin(rows[:, scene.KIND], [scene.LABEL, scene.TAG]), scene.FACE].tolist())


@pytest.mark.parametrize("options", TABLES)
@pytest.mark.parametrize("plies", [0, 7, 60, 90, 20000])
def test_every_drawing_is_well_formed_and_repeats(options, plies):
    positions.assert_drawn(GAME, *table(options, plies))


@pytest.mark.parametrize("plies", [0, 9, 60, 95, 110])
def test_swapping_hidden_cards_changes_no_scene_of_a_seat(plies):
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
        assert shown(v, other, seat).tolist() == shown(v, s, seat).tolist()
        swapped += shown(v, other).tolist() != shown(v, s).tolist()
    assert swapped


def test_a_seat_sees_its_own_cards_and_those_known_to_all():
    v, s = table({"players": 2, "ranks": 4}, 0)
    s.hand[:, :] = 0
    s.hand[0, [0, 1]], s.hand[1, [2, JOKER]], s.count[:2] = 1, 1, 2
    queen_king = [1 + 10, 1 + 11]  # of clubs: the deck is Q, K, A, 2
    assert sorted(faces(shown(v, s, 0))) == [scene.BACK, scene.BACK, *queen_king]
    assert faces(shown(v, s, scene.SEES_PUBLIC)) == [scene.BACK] * 4
    s.known[1, JOKER] = 1
    assert sorted(faces(shown(v, s, 0))) == [scene.BACK, *queen_king, scene.JOKER]
    assert faces(shown(v, s, 0), flags=scene.KNOWN) == [scene.JOKER]


@pytest.mark.parametrize("plies", [0, 30, 80])
def test_no_card_is_seen_twice(plies):
    v, s = table({"players": 6}, plies)
    for seat in range(scene.SEES_PUBLIC, 6):
        assert max(Counter(face for face in faces(shown(v, s, seat)) if face != scene.BACK).values(), default=1) == 1


def test_the_pile_the_joker_and_a_revolution_are_drawn():
    v, s = table({"players": 3, "revolution": True}, 0)
    s.laid, s.rank, s.jokered, s.owner, s.turn = 3, 5, 1, 0, 1
    laid = faces(shown(v, s, 1), flags=scene.LAST)
    assert [(face - 1) % 13 if face != scene.JOKER else face for face in laid] == [6, 6, scene.JOKER]
    assert OWNER in labels(shown(v, s))
    assert REVOLUTION not in labels(shown(v, s))
    s.upside = 1
    assert REVOLUTION in labels(shown(v, s))


def test_a_laid_card_keeps_the_identity_it_had_in_the_hand():
    v, s = table({"players": 3}, 0)
    mover, mask = int(s.turn), np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, s, mask)
    before = shown(v, s, mover)
    dispatch.play(v, s, int(np.flatnonzero(mask)[0]))
    after = shown(v, s, mover)
    laid = after[(after[:, scene.KIND] == scene.CARD) & (after[:, scene.FLAGS] & scene.LAST > 0)]
    assert len(laid)
    assert set(laid[:, scene.ID].tolist()) <= set(before[:, scene.ID].tolist())
    other = shown(v, s, (mover + 1) % 3)
    seen = other[(other[:, scene.KIND] == scene.CARD) & (other[:, scene.FLAGS] & scene.LAST > 0)]
    assert len(seen) == len(laid)


def test_sets_are_chosen_by_rank_and_laid_on_the_pile():
    v, s = table({"players": 3, **LOCAL}, 0)
    row = np.zeros(input_spec.ENTRIES, np.int32)

    def keys(action):
        dispatch.elements(v, s, action, row)
        return row[input_spec.KEYS : input_spec.KEYS + row[input_spec.COUNT]].tolist()

    assert keys(text.parse(v, "55*")) == [3, 3, JOKER + 1]
    assert row[input_spec.TARGET] == PILE
    assert keys(text.parse(v, "*")) == [JOKER + 1]
    assert keys(0) == []
    assert (row[input_spec.HOW], row[input_spec.SAID]) == (input_spec.BUTTON, PASS)
    s.phase = 1
    assert keys(text.parse(v, "3")) == [1]
    assert (row[input_spec.SAID], row[input_spec.SAID_A]) == (GIVE, 0)


def test_the_end_names_who_wins_or_shares_the_win():
    v, s = table({"players": 3}, 20000)
    assert WINS in labels(shown(v, s))
    s.payoff[:3] = 0
    assert SHARE in labels(shown(v, s))


@pytest.mark.parametrize("options", TABLES)
def test_raster_has_the_shape_asked_for_and_shows_something(options):
    v, s = table(options, 5)
    drawn = GAME.draw(v, s)
    root = ElementTree.fromstring(drawn)
    pixels = render_svg.raster(drawn)
    assert pixels.dtype == np.uint8
    assert abs(pixels.shape[1] - float(root.attrib["width"])) < 1
    assert abs(pixels.shape[0] - float(root.attrib["height"])) < 1
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50


def test_results_are_told_in_words():
    v, s = table({"players": 3}, 20000)
    by_place = [int(np.flatnonzero(s.place[:3] == place)[0]) for place in range(3)]
    assert [result(v, s, k) for k in by_place] == ["took first place", "took second place", "took last place"]
    v, s = table({"players": 4, **LOCAL}, 20000)
    s.total[:2] = [0, 4]
    assert result(v, s, 0) == "took place 1 on average of 3 rounds"
    assert result(v, s, 1) == "took place 2.33 on average of 3 rounds"
