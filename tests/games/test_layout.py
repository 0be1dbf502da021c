"""Zones get places on every kind of page: nothing overlaps, a phone can be read, a browser does the same."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs import viewer
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import render_svg, svg_elements
from kozyr.envs.pictures.layout import SHAPES, place
from kozyr.envs.pictures.scene import CARD, FACE, FLAGS, HIGH, KIND, PANEL, SEES_ALL, SEES_PUBLIC, STACK, WIDE, A, X, Y

LONG = "Maximiliane Featherstonehaugh-Smythe"
DURAK = [
    *(("durak", {"players": n, "deck": 52, "open_trump": True}) for n in (2, 3, 6)),
    *(("durak", {"players": n, "deck": 36, "transfer": True, "pile_on": True}) for n in (4, 5)),
    ("durak", {"players": 2, "deck": 8, "hand": 2}),
]
LOCAL = {"rounds": 3, "exchange": True, "dethrone": True, "revolution": True}
EXTREMES = [
    *DURAK,
    *(("war", {"deck": deck, "pickup": pickup}) for deck, pickup in ((8, "fixed"), (28, "random"), (52, "choice"))),
    *(("daifugo", {"players": n}) for n in (2, 3, 8)),
    ("daifugo", {"players": 5, **LOCAL}),
    ("daifugo", {"players": 5, "suits": True, "rounds": 2, "exchange": True}),
    ("draw_poker", {"players": 2}),
    ("draw_poker", {"players": 5, "stack": 12, "episode": "tournament"}),
    ("mnk", {"m": 3, "n": 3, "k": 3}),
    ("mnk", {"m": 15, "n": 15, "k": 5, "bans": "renju"}),
    ("mnk", {"m": 25, "n": 25, "k": 6}),
    ("mnk", {"m": 25, "n": 2, "k": 2}),
]
PHONE_WIDE = 374  # pixels that a picture has on a phone of 390
CAPITAL = 0.72  # of a letter's size in a browser
NODE = shutil.which("node")
LAYOUT = Path(str(viewer.__file__)).with_name("static") / "layout.js"
SCRIPT = """
import { laidOut, NARROW, PHONE, WIDEST } from "%s";
let text = "";
for await (const part of process.stdin) text += part;
const placed = JSON.parse(text).map(([rows, shape, tall]) => laidOut(rows, [WIDEST, NARROW, PHONE][shape], tall));
console.log(JSON.stringify(placed));
"""


def games(name, options, greedy=False, every=9):
    """Give the states of one game; with `greedy` defenders take what they can, so that hands grow."""
    game = envs.game(name)
    v = game.make_variant(**options)
    states = np.zeros(1, game.layout(v))
    s = states[0]
    dispatch.start(v, s, 5, -1)
    rng = np.random.default_rng(5)
    mask = np.zeros(game.actions(v), np.int8)
    for ply in range(400):
        if ply % every == 0 or s.turn == OVER:
            yield game, v, states
        if s.turn == OVER:
            return
        dispatch.legal(v, s, mask)
        legal = np.flatnonzero(mask)
        takes = greedy and name == "durak" and s.turn == s.defender and s.laid > 0
        dispatch.play(v, s, v.deck if takes else int(rng.choice(legal)))


def scenes(name, options, greedy=False, every=9):
    """Give the scenes of one game, of each seat, of all that is there and of what everybody knows."""
    for game, v, states in games(name, options, greedy, every):
        for seat in (SEES_ALL, SEES_PUBLIC, *range(game.seats(v))):
            yield game, v, render_svg.rows(game, v, states, seat)


@pytest.fixture
def written(monkeypatch):
    """Collect the boxes of all words that are drawn: left, top, right, bottom, what they say, and their size."""
    found = []
    plain = svg_elements.text

    def noted(said, x, base, size, colour, weight):
        drawn, end = plain(said, x, base, size, colour, weight)
        low = base + (0.3 * size if set(said) & set("gjpqy_,Q") else 0)
        found.append((x, base - size, end, low, said, size))
        return drawn, end

    monkeypatch.setattr(svg_elements, "text", noted)
    return found


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("shape", SHAPES, ids=["wide", "narrow", "phone"])
@pytest.mark.parametrize(("name", "options"), EXTREMES)
def test_no_words_overlap_or_leave_the_picture(name, options, shape, written):
    for game, v, rows in scenes(name, options, greedy=True, every=23):
        written.clear()
        render_svg.svg(rows, game.labels, [LONG] * game.seats(v), "", shape)
        assert_apart(written, place(rows.tolist(), shape))


@pytest.mark.parametrize(("name", "options"), EXTREMES)
def test_frames_of_a_film_have_one_size(name, options):
    sizes = {
        render_svg.svg(rows, game.labels, frame=True).partition("viewBox=")[2][:20]
        for game, _, rows in scenes(name, options, greedy=True, every=5)
    }
    assert len(sizes) == 1


def assert_apart(boxes, rows):
    wide, high = rows[0][WIDE], rows[0][HIGH]
    cards = [row for row in rows if row[KIND] == CARD]
    for i, box in enumerate(boxes):
        assert box[0] >= 0, box
        assert box[1] >= 0, box
        assert box[2] <= wide, box
        assert box[3] <= high, box
        assert not [other for other in boxes[:i] if overlap(box, other)], box
        covered = [row for row in cards if overlap(box, room(row))]
        assert all(row[FLAGS] & STACK for row in covered), (box, covered)


def room(row):
    """Return the box of a card; one that lies across is as wide as it is high."""
    x, y, wide, high = row[X], row[Y], row[WIDE], row[HIGH]
    if row[A] == 90:
        x, y, wide, high = x + (wide - high) / 2, y + (high - wide) / 2, high, wide
    return x, y, x + wide, y + high


@pytest.mark.parametrize(("name", "options"), EXTREMES)
def test_a_phone_can_be_read(name, options, written):
    for game, v, rows in scenes(name, options, greedy=True, every=31):
        written.clear()
        placed = place(rows.tolist(), SHAPES[-1])
        pixels = PHONE_WIDE / placed[0][WIDE]
        render_svg.svg(rows, game.labels, [LONG] * game.seats(v), "", SHAPES[-1])
        assert min(box[5] for box in written) * pixels / CAPITAL >= 12
        faces = [row[WIDE] for row in placed if row[KIND] == CARD and row[FACE] > 0]
        assert min(faces, default=9999) * pixels >= 40


@pytest.mark.parametrize("shape", SHAPES, ids=["wide", "narrow", "phone"])
@pytest.mark.parametrize(("name", "options"), EXTREMES)
def test_panels_stand_apart_and_hold_what_is_theirs(name, options, shape):
    for _, _, rows in scenes(name, options, greedy=True, every=31):
        placed = place(rows.tolist(), shape)
        boxes = [room([*row[:A], 0]) for row in placed if row[KIND] == PANEL]
        assert not [pair for pair in itertools.combinations(boxes, 2) if overlap(*pair)]
        for row in placed:
            if row[KIND] == CARD:
                left, top, right, bottom = room(row)
                inside = [box for box in boxes if overlap(box, (left, top, right, bottom))]
                assert all(box[0] <= left and right <= box[2] and box[1] <= top and bottom <= box[3] for box in inside)


@pytest.mark.parametrize("shape", SHAPES, ids=["wide", "narrow", "phone"])
@pytest.mark.parametrize(("name", "options"), DURAK[:3])
def test_ones_own_seat_is_alone_at_the_bottom_and_its_cards_are_big(name, options, shape):
    for _, v, states in games(name, options, greedy=True, every=31):
        for seat in range(v.players):
            placed = place(render_svg.rows(envs.game(name), v, states, seat).tolist(), shape)
            panels = [row for row in placed if row[KIND] == PANEL]
            mine = next(row for row in panels if row[A] == seat)
            assert mine[Y] == max(row[Y] for row in panels)
            cards = [row for row in placed if row[KIND] == CARD and overlap(room(row), room([*mine[:A], 0]))]
            assert len(cards) == states[0].count[seat]
            assert {row[WIDE] for row in cards} <= {shape.own}


def test_a_picture_is_as_high_as_it_is_asked_to_be():
    _, _, rows = next(scenes("durak", {"players": 2}))
    usual = place(rows.tolist())
    taller = place(rows.tolist(), tall=2000)
    assert taller[0][HIGH] == 2 * taller[0][WIDE] > usual[0][HIGH]
    assert place(rows.tolist(), tall=1)[0][HIGH] == usual[0][HIGH]
    own = next(row for row in taller if row[KIND] == PANEL)
    assert taller[0][HIGH] - own[Y] - own[HIGH] == usual[0][HIGH] - usual[1][Y] - usual[1][HIGH]


@pytest.mark.skipif(NODE is None, reason="there is no node on this machine")
@pytest.mark.parametrize(("name", "options"), EXTREMES)
def test_a_browser_places_all_rows_as_python_does(name, options):
    cases = []
    for i, (_, _, rows) in enumerate(scenes(name, options, greedy=True, every=13)):
        cases += [[rows.tolist(), number, 700 * (i % 3)] for number in range(len(SHAPES))]
    run = [str(NODE), "--input-type=module", "-e", SCRIPT % LAYOUT.as_uri()]
    done = subprocess.run(run, input=json.dumps(cases), capture_output=True, text=True, check=True)
    placed = json.loads(done.stdout)
    assert len(placed) == len(cases)
    for (rows, number, tall), there in zip(cases, placed, strict=True):
        assert place(rows, SHAPES[number], tall) == there
