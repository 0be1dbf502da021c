"""What a page tells about a game."""

import subprocess
import sys
from pathlib import Path

import pytest

from kozyr import envs
from kozyr.agents.play.pages import game_info
from kozyr.envs import registry


def test_a_game_says_how_many_play() -> None:
    assert game_info.seats(envs.game("durak")) == (2, 6)
    assert game_info.tile(envs.game("mnk")).players == "2 players"
    assert game_info.summary(envs.game("durak")).startswith("Durak is a card game")


def test_a_game_without_a_page_shows_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "page_module", lambda name: None)
    game = envs.game("war")
    assert game_info.summary(game) == (game.variant.__doc__ or "").split("\n")[0]


def test_the_lobby_reads_pages_and_runs_none() -> None:
    shown = (
        "from kozyr.agents.play.pages import game_info; "
        "print([game_info.tile(game).summary for game in game_info.games()[0]])"
    )
    loaded = "import sys; print([name for name in sys.modules if name.endswith('_v0')])"
    run = subprocess.run([sys.executable, "-c", f"{shown}; {loaded}"], capture_output=True, text=True, check=True)
    summaries, modules = run.stdout.splitlines()
    assert "Durak is a card game" in summaries
    assert modules == "[]"


@pytest.mark.parametrize("source", [None, "def broken(", "x = 1"])
def test_a_page_that_cannot_be_read_is_empty(
    source: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"page_{abs(hash(source))}"
    if source is not None:
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.setattr(registry, "page_module", lambda _: name)
    assert game_info.summary(envs.game("war")) == ""
