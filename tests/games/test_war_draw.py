"""Drawings of War are well-formed, show what everybody knows, and hide the rest from both seats."""

from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr.envs.core import dispatch, svg
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.core.state import OVER
from kozyr.envs.war import GAME
from kozyr.envs.war.draw import draw
from kozyr.envs.war.rules import PICKING, WRAP

PICKUPS = ["fixed", "random", "choice"]


def table(plies, seed=0, **options):
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


def faces(v, cards):
    """Return how drawings show cards, wherever they lie and whatever marks them."""
    ranks = v.deck // len(SUITS)
    marks = [svg.card(RANKS[c % ranks - ranks], SUITS[c // ranks]) for c in cards]
    return [mark[mark.index("/>") :] for mark in marks]


def line(s, seat, begin):
    return [int(s.line[seat, i & WRAP]) for i in range(int(begin[seat]), int(s.end[seat]))]


@pytest.mark.parametrize("pickup", PICKUPS)
@pytest.mark.parametrize(
    ("plies", "options"), [(0, {}), (1, {}), (60, {}), (9999, {"max_turns": 90}), (99, {"deck": 8})]
)
def test_every_drawing_is_well_formed_and_repeats(pickup, plies, options):
    v, s = table(plies, pickup=pickup, **options)
    for seat in (None, 0, 1):
        before = s.tobytes()
        text = draw(v, s, seat)
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert text == draw(v, s, seat) == text._repr_svg_()
        assert s.tobytes() == before


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
    laid = [int(s.line[k, i & WRAP]) for k in (0, 1) for i in range(int(s.first[k]), int(s.top[k]))]
    hidden = [c for k in (0, 1) for c in line(s, k, s.top)[: int(s.unseen[k])]]
    shown = sorted(set(range(52)) - set(hidden))
    assert len(hidden) == 49
    assert set(laid) < set(shown)
    for seat in (0, 1):
        text = draw(v, s, seat)
        assert all(face in text for face in faces(v, shown))
        assert not any(face in text for face in faces(v, hidden))
    assert all(face in draw(v, s) for face in faces(v, range(52)))


@pytest.fixture
def words(monkeypatch):
    """Collect the texts of tags and labels that are drawn."""
    found = []
    label, tag = svg.label, svg.tag

    def noted(draw_text, text_at):
        def drawn(*args, **look):
            found.append(args[text_at])
            return draw_text(*args, **look)

        return drawn

    monkeypatch.setattr(svg, "label", noted(label, 2))
    monkeypatch.setattr(svg, "tag", noted(tag, 2))
    return found


def test_words_say_who_moves_and_who_chooses(words):
    v, s = table(0, pickup="choice")
    draw(v, s)
    assert {"STARTER", "TO MOVE", "turn 1 of 1000"} <= set(words)
    assert "CHOOSES" not in words
    while s.phase != PICKING:
        dispatch.play(v, s, 0)
    words.clear()
    draw(v, s)
    assert {"STARTER", "CHOOSES"} <= set(words)
    assert "TO MOVE" not in words


@pytest.mark.parametrize(
    ("options", "result"),
    [
        ({"max_turns": 2}, "stopped after 2 turns"),
        ({"pickup": "random"}, "player_0 wins"),
        ({"deck": 8}, "player_1 wins"),
    ],
)
def test_words_say_how_the_game_ended(words, options, result):
    for seed in range(20):
        v, s = table(9999, seed, **options)
        draw(v, s)
    assert any(word.startswith(result) for word in words)
    assert "TO MOVE" not in words


@pytest.mark.parametrize("plies", [0, 44])
def test_pixels_have_the_shape_asked_for_and_show_something(plies):
    v, s = table(plies, pickup="choice")
    text = draw(v, s, 1)
    root = ElementTree.fromstring(text)
    pixels = svg.raster(text)
    assert pixels.shape[:2] == (round(float(root.attrib["height"])), round(float(root.attrib["width"])))
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
