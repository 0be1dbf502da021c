"""The viewer's page and its data: complete, blind for a seat, small, and safe with any name."""

import base64
import json
import re
import shutil
import zlib
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from kozyr import agents, envs
from kozyr.agents.play.host.advice import opinions
from kozyr.envs.pictures import card_art, render_svg
from kozyr.envs.table import record
from kozyr.envs.viewer import animated, film, html
from kozyr.envs.viewer import frames as viewed
from kozyr.envs.viewer.frames import frames, taken_apart
from kozyr.envs.viewer.story import story
from kozyr.training.cli import app
from tests.contract.table import Table
from tests.core.test_film import GAMES, played

from .test_traffic import other_world

EVIL = "</script><script>alert(1)</script>"


def shown(page):
    """Return the data in a page, as its script reads them."""
    (packed,) = re.findall(r'id="data">([^<]*)<', page)
    return json.loads(zlib.decompress(base64.b64decode(packed)))["games"]


def scenes(game, view):
    """Return the scenes of a viewpoint with their differences undone, as viewer.js does."""
    rows = []
    for count, *told in view["scenes"]:
        rows = rows[:count]
        for i, what, where in zip(*told, strict=True):
            one = game["what"][what]
            rows[i : i + 1] = [[*one[:4], *game["where"][where], *one[4:]]]
        yield list(rows)


@pytest.mark.parametrize("name", GAMES)
def test_the_page_has_every_frame_from_every_viewpoint(name):
    one = played(name, plies=15)
    (game,) = shown(html.page([one]))
    assert [view["seat"] for view in game["views"]] == [None, *range(one.game.seats(one.variant))]
    for view in game["views"]:
        for rows, words, frame in zip(scenes(game, view), view["words"], frames(one, view["seat"]), strict=True):
            assert rows == frame.rows.tolist()
            assert words == list(frame.words)
        assert len(view["texts"]) == game["plies"] + 1


@pytest.mark.parametrize("name", ["daifugo", "draw_poker", "durak"])
def test_a_seats_page_is_the_same_in_a_world_it_cannot_tell_apart(name, monkeypatch):
    one, game = played(name, plies=0), envs.game(name)
    table = Table.of(game, one.variant, next(frames(one)).state)
    other = other_world(table, 1)
    assert game.text.write(one.variant, other.s) != game.text.write(one.variant, table.s)
    real = story(one, 1)
    everything = story(one)["views"][0]
    monkeypatch.setattr(viewed.Table, "state", lambda _: np.atleast_1d(other.states).copy())
    assert story(one, 1) == real
    assert story(one)["views"][0] != everything


def test_a_seats_page_has_no_seed_and_no_other_viewpoint():
    (game,) = shown(html.page([played("durak", plies=3)], seat=0))
    assert game["seed"] is None
    assert [view["seat"] for view in game["views"]] == [0]


@pytest.mark.parametrize(
    ("options", "most"), [({}, 150_000), ({"deck": 36}, 150_000), ({"players": 6, "transfer": True}, 1_000_000)]
)
def test_a_page_of_a_durak_game_is_small(options, most):
    assert len(html.page([played("durak", **options)]).encode()) < most


def test_a_page_of_a_long_war_is_small():
    one = played("war")
    assert len(one.actions) > 500
    assert len(html.page([one]).encode()) < 1_000_000


def test_the_end_is_told_in_the_games_own_words():
    (game,) = shown(html.page([played("draw_poker")]))
    assert "chip" in game["views"][0]["words"][-1][-1]
    assert game["views"][0]["words"][-1][-1].endswith(
        ", ".join(f"player_{k} {r}" for k, r in enumerate(game["results"]))
    )


def test_names_are_only_data():
    one = replace(played("durak", plies=5), agents=[EVIL, "b & c"])
    page = html.page([one])
    assert "alert" not in page
    assert shown(page)[0]["names"] == [EVIL, "b & c"]
    cell = envs.show(one)._repr_html_()
    assert cell.count("<") == 2  # the frame alone: its page is escaped


def test_how_many_games_a_page_shows():
    with pytest.raises(ValueError, match="shows 1 to 200 games"):
        html.page([])


def test_what_a_cell_shows(tmp_path):
    one = played("mnk", m=3, n=3, k=3)
    file = tmp_path / "games.jsonl"
    file.write_text(record.write(one) + "\n", encoding="utf-8")
    assert envs.show(str(file)).page == envs.show(one).page


def test_an_analyst_finds_what_it_would_not_have_played():
    one = played("mnk", m=3, n=3, k=3)
    said = opinions(one, agents.load("mnk:easy", m=3, n=3, k=3), "easy")
    assert set(said) <= set(range(len(one.actions)))
    assert any(opinion["gap"] > 0 for opinion in said.values())
    for opinion in said.values():
        assert sum(row[4] for row in opinion["rows"]) == 1  # what was played is there
    (game,) = shown(html.page([one], analysis=[said]))
    for view in game["views"]:
        seats = {opinion["seat"] for opinion in view["opinions"].values()}
        assert seats <= ({0, 1} if view["seat"] is None else {view["seat"]})


@pytest.mark.parametrize("name", GAMES)
def test_an_animated_svg_shows_every_frame_in_its_order(name, tmp_path):
    small: dict[str, Any] = {"m": 3, "n": 3, "k": 3} if name == "mnk" else {}
    one = played(name, plies=30, **small)
    shots = [taken_apart(one.game, one.variant, frame, None, None) for frame in frames(one)]
    nodes = animated._nodes(shots)
    for i, shot in enumerate(shots):
        assert [node.parts[i] for node in nodes if i in node.parts] == shot.parts
    film.write(one, tmp_path / "a.svg", delay=0.5)
    root = ElementTree.fromstring((tmp_path / "a.svg").read_text("utf-8"))
    moved = [found for found in root.iter() if found.tag.endswith(("animate", "animateTransform"))]
    assert moved
    for found in moved:
        times = [float(time) for time in found.attrib["keyTimes"].split(";")]
        assert times == sorted(times)
        assert times[0] == 0.0
        assert times[-1] <= 1.0
        assert len(times) == len(found.attrib["values"].split(";"))
        assert found.get("calcMode") == "discrete" or times[-1] == 1.0


@pytest.mark.parametrize("name", GAMES)
def test_a_smaller_svg_looks_the_same(name):
    shot = taken_apart(*_last(played(name, plies=20)), None, None)
    symbols = "".join(map(card_art.symbol, sorted(shot.symbols)))
    body = "".join(f'<g transform="{part.place}">{part.body}</g>' for part in shot.parts) * 2
    small = animated.shrunk(symbols, body)
    assert len(small) < 0.7 * len(symbols + body)
    assert set(re.findall(r'href="#([^"]+)"', small)) <= set(re.findall(r' id="([^"]+)"', small))
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {shot.wide} {shot.high}">'
    plain = render_svg.raster(f"{frame}<defs>{symbols}</defs>{body}</svg>", 600)
    assert np.abs(render_svg.raster(f"{frame}{small}</svg>", 600).astype(int) - plain).max() <= 2


def _last(one):
    """Return what a game shows after its last ply."""
    return one.game, one.variant, list(frames(one))[-1]


def test_a_film_of_a_durak_game_is_small(tmp_path):
    film.write(played("durak", deck=36), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size < 300_000


def test_the_commands(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text((record.write(played("mnk", m=3, n=3, k=3)) + "\n") * 2, encoding="utf-8")

    def ran(*given):
        return CliRunner().invoke(app, ["replay", str(file), *given])

    asked = ["--html", str(tmp_path / "a.html"), "--svg-film", str(tmp_path / "a.svg"), "--analyst", "easy"]
    done = ran(*asked)
    assert done.exit_code == 0, done.output
    assert len(shown((tmp_path / "a.html").read_text("utf-8"))) == 2
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<svg")
    assert ran("--analyst", "easy").exit_code == 2
    assert ran("--html", str(tmp_path / "b.html"), "--game", "3").exit_code == 2
    assert ran("--svg-film", "a.gif").exit_code == 2


@pytest.fixture
def window():
    api = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium") or pytest.skip("no Chromium")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    wrong = []
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        page = browser.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        yield page
        browser.close()
    assert wrong == []


def test_keys_in_a_browser(window, tmp_path):
    one = replace(played("durak", plies=20, deck=36), agents=[EVIL, "Ben"])
    path = tmp_path / "a.html"
    path.write_text(html.page([one, played("mnk", m=3, n=3, k=3)]), encoding="utf-8")
    window.goto(f"{path.as_uri()}#ply=12")
    window.wait_for_selector("#moves [aria-current]")
    steps = [("ArrowRight", 13), ("ArrowLeft", 12), ("End", 20), ("Home", 0), ("2", 0)]
    assert window.inner_text("#count") == "12 of 20"
    for key, ply in steps:
        window.keyboard.press(key)
        assert window.inner_text("#count") == f"{ply} of 20"
        assert window.url.endswith(f"#ply={ply}")
    assert window.inner_text("#view option:checked") == "what Ben (2) knew"
    cards = window.locator("#stage use")
    assert cards.count() > 6
    window.click("#moves li:nth-child(6) button")
    assert window.inner_text("#count") == "5 of 20"
    window.select_option("#game", "1")
    assert window.inner_text("#count").startswith("0 of ")


def test_a_marked_move_shows_what_the_analyst_would_have_done(window, tmp_path):
    one = played("mnk", m=3, n=3, k=3)
    said = opinions(one, agents.load("mnk:easy", m=3, n=3, k=3), "easy")
    path = tmp_path / "a.html"
    path.write_text(html.page([one], analysis=[said]), encoding="utf-8")
    window.goto(path.as_uri())
    marked = window.locator("#moves .gap").first
    marked.click()
    move = marked.inner_text().split(": ")[-1].split(". ")[0]
    instead = window.locator("#opinion table").first
    assert window.locator("#opinion p").first.inner_text().startswith("Instead: easy")
    assert instead.locator(".played td").first.inner_text() == f"{move} (played)"


def test_a_jump_ends_what_was_moving(window, tmp_path):
    path = tmp_path / "a.html"
    path.write_text(html.page([played("durak", plies=20, deck=36)]), encoding="utf-8")
    window.goto(path.as_uri())
    window.wait_for_selector("#moves [aria-current]")
    window.evaluate("document.documentElement.style.setProperty('--move', '60000ms')")
    moving = "document.getElementById('stage').getAnimations({ subtree: true }).length"
    window.keyboard.press("ArrowRight")
    assert window.evaluate(moving) > 0
    window.keyboard.press("End")
    assert window.evaluate(moving) == 0
