"""Scenes become well-formed SVG: all kinds of elements, words that fit their room, names of any letters."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core import dispatch
from kozyr.envs.core.capabilities import result
from kozyr.envs.pictures import card_art, render_svg, stroke_font
from kozyr.envs.pictures import scene as sc

LABELS = {1: "{0:seat}", 2: "ATTACKER", 3: "{0} {0|cards|card|cards}"}
NAMESPACE = "{http://www.w3.org/2000/svg}"
KINDS = range(sc.PANEL, sc.BAR + 1)


def scene(*elements, ground=sc.FELT):
    """Return rows of elements that have places, after a PICTURE."""
    return np.array([(sc.PICTURE, 0, 0, ground, 0, 0, 9000, 5000, 0, 0, 0, 0), *elements], np.int32)


def one(kind, flags=0):
    face = {sc.LABEL: 2, sc.TAG: 2, sc.STRIKE: sc.STONE_X, sc.CHIPS: 1}.get(kind, 1)
    return (kind, 7, 5, face, 1000, 1000, 600, 840, flags, *((3, 4, 0) if kind == sc.GRID else (100, 3, 0)))


def drawn(rows, names=None):
    return ElementTree.fromstring(render_svg.svg(rows, LABELS, names, "a < b & c"))


@pytest.mark.parametrize("ground", [sc.FELT, sc.PAPER])
@pytest.mark.parametrize("flags", [0, sc.LEGAL, sc.LAST, sc.TURN, sc.FADED, sc.KNOWN, sc.STACK, sc.PLATE, sc.BOLD])
def test_every_kind_is_drawn_with_every_mark(ground, flags):
    for kind in KINDS:
        root = drawn(scene(one(kind, flags), ground=ground))
        assert root.tag == NAMESPACE + "svg"
        assert next(iter(root)).text == "a < b & c"
        named = [e for e in root.iter() if e.get("data-el") == "7"]
        assert len(named) == (kind != sc.GRID), kind
        assert all(e.get("data-key") == "5" for e in named)


@pytest.mark.parametrize("kind", [sc.PANEL, sc.CARD, sc.SLOT, sc.CHIPS, sc.DOT])
def test_what_may_be_used_is_marked(kind):
    assert render_svg.svg(scene(one(kind)), LABELS) != render_svg.svg(scene(one(kind, sc.LEGAL)), LABELS)


def test_every_symbol_that_is_used_is_there_and_no_other():
    root = drawn(scene(*((sc.CARD, 0, 0, face, 0, 0, 600, 840, 0, 0, 0, 0) for face in (0, 5, 53)), one(sc.SIGN)))
    used = {e.get("href") for e in root.iter(NAMESPACE + "use")}
    assert used == {"#" + str(e.get("id")) for e in root.iter(NAMESPACE + "symbol")}
    assert used == {"#card-0", "#card-5", "#card-53", "#suit-1"}


def test_faces_are_well_formed_and_all_different():
    for variables in (False, True):
        root = ElementTree.fromstring(f"<svg>{card_art.symbols(variables=variables)}</svg>")
        assert [e.get("id") for e in root][:54] == [f"card-{face}" for face in card_art.FACES]
        assert len({ElementTree.tostring(e) for e in root}) == 54 + 5 + 2
    assert "%" not in card_art.symbols()
    assert "var(--card-clubs,#1c2430)" in card_art.symbols([1], variables=True)
    assert "var(" not in card_art.symbols()


def test_every_face_looks_different_as_pixels():
    seen = set()
    for face in card_art.FACES:
        rows = scene((sc.CARD, 0, 0, face, 0, 0, 600, 840, 0, 0, 0, 0))
        seen.add(render_svg.raster(render_svg.svg(rows, LABELS), 450)[:42, :30].tobytes())
    assert len(seen) == len(card_art.FACES)


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "Q\" & 'x", "山田太郎", "Юрий", "🦊👩‍👧", "", "Zoë Ålstrøm"]
)
def test_names_of_any_letters_are_escaped_and_shown(name):
    rows = scene((sc.LABEL, 0, 0, 1, 300, 900, 0, 120, 0, 0, 0, 0))
    text = render_svg.svg(rows, LABELS, [name])
    root = ElementTree.fromstring(text)
    assert "<script" not in text
    shown = sum(len(list(root.iter(NAMESPACE + tag))) for tag in ("path", "text"))
    assert (shown > 0) == (name != "")


def test_letters_with_marks_are_strokes_and_others_are_text():
    assert "<text" not in stroke_font.glyphs("Zoë Ålstrøm Łuk")
    assert "山田" in stroke_font.glyphs("Mr 山田!")
    assert stroke_font.span("ë", 10) == stroke_font.span("e", 10)


@pytest.mark.parametrize("room", [0, 100, 700, 1000, 3000, 5000])
def test_words_fit_their_room(room):
    said = "Somebody with a rather long name"
    shown, size = stroke_font.fit_text(said, 120, room)
    assert size >= 0.75 * 120
    if room == 0:
        assert (shown, size) == (said, 120)
    elif shown != "…":
        assert stroke_font.span(shown, size) <= room + 1e-6
    assert shown == said or shown.endswith("…")


def test_words_follow_what_stands_before():
    name = (sc.LABEL, 0, 0, 1, 300, 500, 0, 120, 0, 0, 0, 0)
    rows = scene(name, (sc.TAG, 0, 0, 2, 100, 0, 0, 80, sc.AFTER, 0, 0, 0))
    first, second = (render_svg.svg(rows, LABELS, [said]) for said in ("Bo", "Bob"))
    begin = [float(re.findall(r'<rect x="([\d.]+)"', text)[0]) for text in (first, second)]
    assert begin[0] == pytest.approx(300 + stroke_font.span("Bo", 120) + 100, abs=0.1)
    assert begin[1] > begin[0]


def test_a_difference_rebuilds_the_scene():
    before = scene(one(sc.CARD), one(sc.SLOT), one(sc.DOT))
    for after in (scene(one(sc.CARD, sc.LEGAL), one(sc.SLOT)), scene(*map(one, KINDS)), before, scene()):
        for old in (before, None):
            rebuilt = np.full_like(after, -1)
            rebuilt[: 0 if old is None else len(old)] = 0 if old is None else old[: len(after)]
            for i, *row in render_svg.difference(old, after):
                rebuilt[i] = row
            assert (rebuilt == after).all()
    assert render_svg.difference(before, before) == []


def test_a_scene_without_a_picture_is_refused():
    with pytest.raises(ValueError, match="begins with a PICTURE"):
        render_svg.svg(scene(one(sc.CARD))[1:], LABELS)


def test_lines_of_text_are_a_picture():
    root = ElementTree.fromstring(render_svg.text_picture(["player_0: 3 < 4 & so", "x" * 200], "T & t"))
    assert float(root.attrib["width"]) > stroke_font.span("x" * 200, 10)


@pytest.mark.parametrize(
    ("payoff", "said"), [(1.0, "won"), (0.0, "drew"), (-1.0, "lost"), (2.5, "+2.5"), (-0.3333, "−0.333")]
)
def test_results_are_told_by_payoffs(payoff, said):
    assert result(object(), SimpleNamespace(payoff=np.array([9, payoff], np.float32)), 1) == said


def test_a_game_without_a_scene_shows_its_text(monkeypatch):
    game = envs.game("mnk")
    v = game.make_variant(m=3, n=3, k=3)
    states = np.zeros(1, game.layout(v))
    dispatch.start(v, states[0], 1, 0)
    monkeypatch.setattr(render_svg, "show", lambda *_: 0)
    for seat in (None, 0, sc.SEES_PUBLIC):
        root = ElementTree.fromstring(render_svg.draw(game, v, states[0], seat))
        lines = 1 if seat == sc.SEES_PUBLIC else len(game.text.write(v, states[0], seat).split("\n"))
        assert len([e for e in root if e.tag == NAMESPACE + "g"]) == lines
    assert len(render_svg.rows(game, v, states, 0)) == 0


def test_a_drawing_says_whose_knowledge_it_shows_and_escapes_names():
    game = envs.game("durak")
    v = game.make_variant()
    states = np.zeros(1, game.layout(v))
    dispatch.start(v, states[0], 1, 0)
    titles = {
        None: "Durak",
        sc.SEES_PUBLIC: "Durak",
        1: "Durak as <b>Ann&Co</b> knows it",
    }
    for seat, title in titles.items():
        text = game.draw(v, states[0], seat, ["Ben", "<b>Ann&Co</b>"])
        assert "<b>" not in text
        assert next(iter(ElementTree.fromstring(text))).text == title
    assert game.draw(v, states[0], None) == game.draw(v, states[0], sc.SEES_ALL)
