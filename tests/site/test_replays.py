"""Pages that replay by the rules: the same scenes, nothing that a seat may not know, and the old form where need be."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kozyr.agents.play.site import replays
from kozyr.envs.pictures import scene
from kozyr.envs.table import record
from kozyr.envs.table.record_format import Record
from kozyr.envs.viewer import html
from kozyr.envs.viewer.frames import frames
from kozyr.training.cli import app
from tests.core.test_film import GAMES, played
from tests.site import node

LARGEST = 300_000  # bytes of a page with one game
FAKE = b"\0asm not really"


def packed(page: str, mark: str) -> Any:
    """Return what an element of a page holds."""
    (found,) = re.findall(rf'{mark}">([^<]*)<', page)
    return zlib.decompress(base64.b64decode(found))


def key(one: Record) -> tuple[str, Any]:
    return one.game.id, one.variant


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_rules_make_the_same_scenes_in_node(name: str, tmp_path: Path) -> None:
    one = played(name, forfeit=name == "war", plies=700 if name == "war" else None)
    module = replays.module(one.game, one.variant)
    assert module is not None
    assert len(html.page([one], modules={key(one): module})) < LARGEST
    seats = [scene.SEES_ALL, *range(one.game.seats(one.variant))]
    sizes = {"state": one.game.layout(one.variant).itemsize, "actions": one.game.actions(one.variant)}
    sizes |= {"rows": scene.MOST, "columns": scene.COLUMNS}
    asked = {"sizes": sizes, "seed": str(one.seed), "starter": one.starter, "actions": one.actions, "seats": seats}
    (tmp_path / "game.json").write_text(json.dumps(asked))
    (tmp_path / "game.wasm").write_bytes(module)
    found = json.loads(node.run(node.HERE / "replay.mjs", tmp_path / "game.wasm", tmp_path / "game.json"))
    for seat, shown in zip(seats, found, strict=True):
        known = None if seat == scene.SEES_ALL else seat
        assert shown == [frame.rows.tolist() for frame in frames(one, known)]


def test_a_page_with_a_module_has_actions_in_place_of_scenes() -> None:
    one, other = played("durak", plies=20), played("mnk", m=3, n=3, k=3)
    page = html.page([one, other], modules={key(one): FAKE, ("no_v0", None): b"another"})
    assert packed(page, 'class="module') == FAKE
    told = json.loads(packed(page, 'id="data'))
    assert told["modules"] == [
        {"state": one.game.layout(one.variant).itemsize, "actions": 53, "rows": 1024, "columns": 12}
    ]
    first, second = told["games"]
    assert (first["module"], first["seed"], first["actions"]) == (0, str(one.seed), one.actions)
    assert not any(view["scenes"] for view in first["views"])
    assert second["module"] is None
    assert all(view["scenes"] for view in second["views"])
    assert "'wasm-unsafe-eval'" in page
    assert "wasm-unsafe-eval" not in html.page([one])


def test_a_seats_page_cannot_have_the_rules() -> None:
    one = played("durak", plies=3)
    with pytest.raises(ValueError, match="cannot replay the deal"):
        html.page([one], seat=0, modules={key(one): FAKE})


def test_what_is_small_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "compiled", lambda *_, **__: pytest.fail("nobody waits for that"))
    one = played("durak", plies=20)
    page = html.page([one])
    assert replays.smaller(page, [one]) == page


def test_the_smaller_form_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [played("durak")] * 4
    page = html.page(games)
    monkeypatch.setattr(replays, "compiled", lambda *_, **__: FAKE)
    assert packed(replays.smaller(page, games), 'class="module') == FAKE
    monkeypatch.setattr(replays, "compiled", lambda *_, **__: np.random.default_rng(1).bytes(len(page)))
    assert replays.smaller(page, games) == page


def test_the_command_makes_big_pages_smaller(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(replays, "compiled", lambda *_, **__: FAKE)
    file = tmp_path / "games.jsonl"
    file.write_text((record.write(played("durak")) + "\n") * 6, encoding="utf-8")
    for more, modules in (([], 1), (["--seat", "1"], 0), (["--game", "2"], 0)):
        done = CliRunner().invoke(app, ["replay", str(file), "--html", str(tmp_path / "a.html"), *more])
        assert done.exit_code == 0, done.output
        assert (tmp_path / "a.html").read_text("utf-8").count('class="module"') == modules


def test_a_game_that_cannot_be_compiled_keeps_its_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> bytes:
        raise RuntimeError("leduc cannot be compiled to WebAssembly: no browser has the functions exp")

    monkeypatch.setattr(replays, "compiled", fails)
    games = [played("durak")] * 4
    page = html.page(games)
    assert len(page) > replays.SMALL
    assert replays.smaller(page, games) == page
