"""What a server that is killed has kept."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import AsyncMock

import msgspec
import pytest

from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.server.store import Store
from kozyr.agents.play.server.tables_registry import TablesRegistry
from tests.play.served import WAIT, Client

SERVER = """
import asyncio, json, sys
from pathlib import Path
from unittest.mock import AsyncMock
from kozyr.agents.play.server import app, serve
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.pages.table_config import TableConfig

folder, game, seats = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
house = TablesRegistry(folder)
listening = serve.bind("127.0.0.1", 0)

async def ready():
    made = None
    if seats:
        made = await house.open(TableConfig(game=game, seats=seats, names=[f"n{k}" for k in range(len(seats))], seed=1))
    print(json.dumps([serve.address(listening), made]), flush=True)

serve.run(app.application(house, folder, rate=None), listening, ready)
"""


@contextmanager
def server(folder: Path, game: str = "", seats: tuple[str, ...] = ()) -> Generator[tuple[subprocess.Popen[str], list]]:
    """Run a server in a process of its own, which is killed in the end."""
    command = [sys.executable, "-c", SERVER, str(folder), game, json.dumps(seats)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
@pytest.mark.parametrize("moves", [1, 7])
def test_a_server_that_is_killed_loses_no_confirmed_move(tmp_path: Path, moves: int) -> None:
    with server(tmp_path, "durak", ("me", "low")) as (process, (place, made)):
        table, host = made[0], made[1]
        with Client(place, table, host) as me:
            for _ in range(moves):
                me.my_turn()
                me.play()
            me.my_turn()
            me.say(t="text")
            known = me.hear("text")
            os.kill(process.pid, signal.SIGKILL)
            process.wait(WAIT)
        ply, choices = me.state["ply"], me.state["choices"]
        told = [line for message in me.heard if message["t"] == "state" for line in message["events"]]
    with server(tmp_path) as (_, (place, _)), Client(place, table, host) as again:
        welcome = again.hear("welcome")
        assert welcome["log"][1:][: len(told)] == told
        again.my_turn()
        assert again.state["ply"] >= ply
        if again.state["ply"] == ply:
            again.say(t="text")
            assert (again.hear("text"), again.state["choices"]) == (known, choices)
        assert again.play_out()["over"]


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    first = Store(tmp_path)
    with pytest.raises(
        ValueError, match=rf"this process, {os.getpid()} on .* is at work on the tables in .*: use its page"
    ):
        Store(tmp_path)
    first.close()
    Store(tmp_path).close()


def test_a_table_that_nobody_uses_comes_back_from_its_record(tmp_path: Path) -> None:
    async def twice() -> None:
        house = TablesRegistry(tmp_path)
        seats, names = ["me", "random"], ["a", "b"]
        setup = TableConfig(game="mnk", options={"m": 3, "n": 3, "k": 3}, seats=seats, names=names, seed=2)
        made = await house.open(setup)
        room = await house.find(made.table)
        assert room is not None
        house.forget(room)
        back = await house.find(made.table)
        assert back is not None
        assert back is not room
        assert back.state[:3] == room.state[:3]
        assert back.tokens.find(made.host) == (0, True)
        await house.close()

    asyncio.run(twice())


def test_a_table_that_is_held_elsewhere_comes_home(tmp_path: Path) -> None:
    async def played() -> None:
        house = TablesRegistry(tmp_path)
        seats, names = ["me", "random"], ["a", "b"]
        setup = TableConfig(game="mnk", options={"m": 3, "n": 3, "k": 3}, seats=seats, names=names, seed=2)
        house.precompiler.ready = AsyncMock(return_value=False)
        made = await house.open(setup)
        room = await house.find(made.table)
        assert room is not None
        away, said = await room.host.state([0]), await room.host.text(0, 0)
        await room.come_home()
        home = await room.host.state([0])
        assert away[:3] == home[:3]
        assert (away.views[0].rows == home.views[0].rows).all()
        assert bytes(away.views[0].choices) == bytes(home.views[0].choices)
        assert await room.host.text(0, 0) == said
        await house.close()

    asyncio.run(played())


def test_a_table_of_an_older_version_is_read() -> None:
    kept = b'{"game":"mnk","options":{},"seats":["me","random"],"names":["a","b"],"seed":1,"sees":"public"}'
    assert msgspec.json.decode(kept, type=TableConfig).begun == 0
    with pytest.raises(msgspec.ValidationError, match="begun"):
        msgspec.json.decode(kept[:-1] + b',"begun":-1}', type=TableConfig)
