"""`kozyr serve uecda` and `kozyr join uecda`."""

import json
import socket
from pathlib import Path

import pytest

from tests.test_cli import document, run

from .test_uecda_server import serving

FIVE = [word for name in ("heuristic", "low", "low", "random", "random") for word in ("--agent", name)]


def test_five_agents_of_ours_play_without_a_client(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    found = document("serve", "uecda", "--port", "0", "--games", "12", "--record", str(path), *FIVE)
    assert [one["name"] for one in found] == FIVE[1::2]
    assert sum(one["points"] for one in found) == pytest.approx(15)
    assert [one["refused"] for one in found] == [0] * 5
    (game,) = json.loads(run("replay", str(path), "--json").stdout)
    assert game["variant"]["rounds"] == 300
    again = document("serve", "uecda", "--port", "0", "--games", "12", *FIVE)
    assert again == found
    assert document("serve", "uecda", "--port", "0", "--games", "12", "--seed", "1", *FIVE) != found


@pytest.mark.parametrize("games", [1, 2, pytest.param(301, marks=pytest.mark.long)])
def test_any_number_of_games_is_played_and_kept(games: int, tmp_path: Path) -> None:
    path, low = tmp_path / "games.jsonl", ["--agent", "heuristic"] * 5
    found = document("serve", "uecda", "--port", "0", "--games", str(games), "--record", str(path), *low)
    assert [one["games"] for one in found] == [games] * 5
    kept = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [one["variant"]["rounds"] for one in kept] == {1: [300], 2: [300], 301: [300, 300]}[games]
    assert [bool(one["payoffs"]) for one in kept] == {1: [False], 2: [False], 301: [True, False]}[games]
    run("replay", str(path))


@pytest.mark.parametrize("games", [1, 4, pytest.param(101, marks=pytest.mark.long)])
def test_a_search_player_plays_any_number_of_games(games: int) -> None:
    players = ["--agent", "pimc@1ms", *["--agent", "low"] * 4]
    found = document("serve", "uecda", "--port", "0", "--games", str(games), *players)
    assert [one["games"] for one in found] == [games] * 5
    assert [one["refused"] for one in found] == [0] * 5


def test_an_agent_joins(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(4, ("low", "low", "random", "random")) as running:
        shown = run("join", "uecda", f"127.0.0.1:{running.server.port}", "--agent", "low", "--name", "guest")
        assert "guest (we)" in shown.stdout
        assert "our slowest answer" in shown.stderr
    assert running.server.names[0] == "guest"


def test_what_cannot_be_is_told() -> None:
    assert "localhost:x' is no address: write HOST:PORT" in run("join", "uecda", "localhost:x", code=1).stderr
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert "cannot be used" in run("serve", "uecda", "--port", str(port), *FIVE, code=2).stderr
    assert f"nobody answers at 127.0.0.1:{port}" in run("join", "uecda", f"127.0.0.1:{port}", code=1).stderr
    assert "heuristc" in run("join", "uecda", "--agent", "heuristc", code=2).stderr
