"""`kozyr play` and `kozyr watch` in the browser."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from kozyr import agents, envs
from kozyr.agents.play.pages import seating
from kozyr.agents.play.server import serve
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.envs.core import install_hint
from kozyr.training.cli import app
from tests.interrupts import interruptible

opened: list[str] = []
houses: list[Any] = []


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server begin and end at once."""

    def run(served: Any, listening: Any, ready: Any) -> None:
        async def once() -> None:
            await houses[-1].start()
            try:
                await ready()
            finally:
                await houses[-1].close()

        with listening:
            asyncio.run(once())

    def house(*given: Any) -> TablesRegistry:
        houses.append(TablesRegistry(*given))
        return houses[-1]

    opened.clear()
    monkeypatch.setattr(serve, "run", run)
    monkeypatch.setattr(serve, "open_browser", opened.append)
    monkeypatch.setattr("kozyr.agents.play.server.tables_registry.TablesRegistry", house)


def call(folder: Path, *arguments: str, code: int = 0) -> Any:
    done = CliRunner(env={"COLUMNS": "120", "KOZYR_DEBUG": ""}).invoke(app, [*arguments, "--folder", str(folder)])
    assert done.exit_code == code, done.output
    return done


def kept(folder: Path, place: str) -> Any:
    """Return the table that an address leads to."""
    table, _, token = place.partition("/tables/")[2].partition("#")
    house = TablesRegistry(folder)
    found = house.store.find(table)
    said = asyncio.run(house.say(table, token))
    house.store.close()
    assert found is not None
    assert said is not None
    assert said["names"] == found.config.names
    return found


def test_without_a_game_the_lobby_opens(tmp_path: Path) -> None:
    done = call(tmp_path, "play")
    address = done.stdout.splitlines()[0]
    assert address.startswith("http://127.0.0.1:")
    assert address.endswith("/")
    assert "Ctrl-C ends the server." in done.stdout
    assert "The server has ended." in done.stdout
    assert opened == [address]


def test_no_browser_is_opened_against_ones_will(tmp_path: Path) -> None:
    call(tmp_path, "play", "--no-open")
    assert opened == []


def test_a_table_is_as_the_command_says(tmp_path: Path) -> None:
    asked = ["durak", "--against", "low", "--against", "passive", "--seat", "2", "--set", "players=4"]
    call(tmp_path, "play", *asked, "--clock", "300+5", "--seed", "7", "--name", " <b>Ann</b>\t")
    found = kept(tmp_path, opened[0]).config
    assert found.seats == ["low", "me", "passive", "passive"]
    assert found.names == ["low", "<b>Ann</b>", "passive", "passive"]
    assert found.options["players"] == 4
    assert (found.clock.game, found.clock.increment, found.seed, found.sees) == (300, 5, 7, "public")


@pytest.mark.parametrize("game", ["war", "durak"])
def test_a_game_alone_has_the_usual_rules(tmp_path: Path, game: str) -> None:
    call(tmp_path, "play", game)
    found = kept(tmp_path, opened[0]).config.variant()
    assert found[1] == envs.game(game).make_variant(**envs.game(game).usual)
    assert found[1] != envs.game(game).make_variant()


def test_options_depart_from_the_games_own_defaults(tmp_path: Path) -> None:
    call(tmp_path, "play", "war", "--set", "deck=28")
    assert kept(tmp_path, opened[0]).config.variant()[1] == envs.game("war").make_variant(deck=28)


def test_a_file_of_the_command_plays_and_is_called_by_its_name(tmp_path: Path) -> None:
    file = str(next(path for path in agents.policies("durak") if path.stem.endswith("36")))
    call(tmp_path, "play", "durak", "--against", file, "--set", "deck=36")
    found = kept(tmp_path, opened[0]).config
    assert found.seats == ["me", file]
    assert found.names == ["Guest", Path(file).name]


def test_agents_are_watched_and_all_is_seen(tmp_path: Path) -> None:
    call(tmp_path, "watch", "durak", "low", "random", "--set", "players=3")
    found = kept(tmp_path, opened[0]).config
    assert found.seats == ["low", "random", "random"]
    assert found.sees == "all"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "chess"], "unknown game 'chess'"),
        (["play", "durak", "--against", "nobody"], "unknown agent 'nobody'"),
        (["play", "durak", "--seat", "3"], "the seats are 1 to 2"),
        (["play", "durak", "--set", "deck=37"], "deck=37 is not allowed"),
        (["play", "durak", "--clock", "soon"], "as 300+5"),
        (["play", "durak", "--seed", "-1"], "seed=-1 is not allowed"),
        (["play", "--plain"], "name a game: "),
        (["play", "--host", "192.0.2.1"], "cannot be used"),
        (["watch", "durak", "low", "low", "low"], "3 agents are too many"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = call(tmp_path, *arguments, code=2)
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert opened == []


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    house = TablesRegistry(tmp_path)
    try:
        assert f"process, {os.getpid()} on " in call(tmp_path, "play", code=2).stderr
    finally:
        house.store.close()


def test_others_are_let_in_with_a_warning(tmp_path: Path) -> None:
    assert "there is no password" in call(tmp_path, "play", "--host", "0.0.0.0").stderr
    told = call(tmp_path, "play", "--host", "0.0.0.0", "--password", "secret")
    assert "not encrypted" in told.stderr
    assert "secret" not in told.output
    assert call(tmp_path, "play").stderr == ""


def test_without_the_extra_there_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "find_spec", lambda name: None)
    done = call(tmp_path, "play", code=1)
    assert done.stderr == f"error: the table in the browser needs starlette: {install_hint.command('play')}\n"


def test_the_command_loads_nothing_of_the_server_until_it_is_needed() -> None:
    code = "import sys, kozyr.training.cli; print([x for x in ('starlette', 'uvicorn', 'jinja2') if x in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_server_of_the_command_serves_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kozyr.training.cli", "play", "mnk", "--no-open", "--port", "0"]
    running: Any
    with interruptible([*command, "--folder", str(tmp_path)], stdout=subprocess.PIPE, text=True) as running:
        place = running.stdout.readline().strip()
        with urlopen(place.partition("#")[0], timeout=60) as page:
            assert page.status == 200
        running.send_signal(signal.SIGINT)
        told, _ = running.communicate(timeout=60)
        assert told.splitlines()[-1].startswith("The server has ended.")
        assert running.returncode == 0
    assert kept(tmp_path, place).config.seats == ["me", "hard"]
