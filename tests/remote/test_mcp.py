"""Tables as tools: the official SDK's own client plays whole games over standard input and output."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from kozyr.envs.table import record
from tests.interrupts import interruptible
from tests.test_cli import run

mcp: Any = pytest.importorskip("mcp", reason="comes with the extra [mcp]")

TOOLS = {"list_games", "rules", "sit_down", "see", "act", "result", "replay", "leave"}
GAMES: list[dict[str, Any]] = [
    {"game": "mnk", "options": {"m": 3, "n": 3, "k": 3}, "seat": 0, "opponents": ["easy"], "seed": 5},
    {"game": "durak", "options": {"deck": 36, "players": 3}, "seat": 1, "opponents": ["low", "pimc@5"], "seed": 6},
]


class ToolFailedError(Exception):
    """What a tool said was wrong."""


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    told = await client.call_tool(tool, arguments)
    [content] = told.content
    if told.is_error:
        raise ToolFailedError(content.text)
    assert tool == "rules" or json.loads(content.text) == told.structured_content
    return told.structured_content


async def played(client: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Play a game to its end, by numbers, words and named parts in turn, and return what the tools told at last."""
    seen = await call(client, "sit_down", **asked)
    table, ways, events = seen["table"], ["action", "words"], list(seen["events"])
    assert seen["you"] == f"player_{asked['seat']}"
    assert f"player_{asked['seat']} (you): " in seen["text"]
    with pytest.raises(ToolFailedError, match="still on: it waits for you"):
        await call(client, "result", table=table)
    with pytest.raises(ToolFailedError, match="still on: it waits for you"):
        await call(client, "replay", table=table)
    for turn in range(1000):
        if seen["over"]:
            break
        assert set(seen) >= {"text", "legal", "events"}
        again = await call(client, "see", table=table)
        assert again["legal"] == seen["legal"]
        assert again["events"] == []
        assert isinstance(again["observation"], dict)
        chosen = seen["legal"][turn % len(seen["legal"])]
        how = {"action": chosen["action"]} if turn % 3 == 2 else chosen[ways[turn % 3]]
        seen = await call(client, "act", table=table, action=how)
        events += seen["events"]
    assert seen["over"]
    assert seen["legal"] == []
    assert "the game is over" in events[-1]
    with pytest.raises(ToolFailedError, match="is over: ask for its result"):
        await call(client, "act", table=table, action=0)
    told = {"result": await call(client, "result", table=table), "replay": await call(client, "replay", table=table)}
    assert "closed" in (await call(client, "leave", table=table))["words"]
    return {**told, "events": events}


def served(folder: Path, *more: str) -> Any:
    """Return the client's way to a server that `kozyr mcp` starts."""
    command = ["-m", "kozyr.training.cli", "mcp", "--replays", str(folder), *more]
    paths = {name: value for name, value in os.environ.items() if name in ("PYTHONPATH", "NUMBA_DISABLE_JIT")}
    return mcp.stdio_client(mcp.StdioServerParameters(command=sys.executable, args=command, env=paths))


def test_the_sdks_client_plays_whole_games_of_two_kinds(tmp_path: Path) -> None:
    async def play() -> list[dict[str, Any]]:
        async with mcp.Client(served(tmp_path)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == TOOLS
            assert all(tool.description for tool in tools.values())
            games = (await call(client, "list_games"))["games"]
            assert {"mnk", "durak"} <= {one["game"] for one in games}
            assert "# " in (await call(client, "rules", game="durak"))["result"]
            return [await played(client, asked) for asked in GAMES]

    for asked, told in zip(GAMES, anyio.run(play), strict=True):
        one = record.read(told["replay"]["record"])
        assert one.game.name == asked["game"]
        assert one.seed == asked["seed"]
        assert told["result"]["your_payoff"] == one.payoffs[asked["seat"]]
        assert one.agents is not None
        assert one.agents[asked["seat"]] == "you"
        assert sum(": " in event for event in told["events"]) >= len(one.actions)
        page = Path(told["replay"]["file"])
        assert told["replay"]["link"] == page.as_uri()
        assert page.parent == tmp_path
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("sit_down", {"game": "chess"}, "unknown game 'chess'"),
    ("sit_down", {"game": "mnk", "options": {"m": 99}}, "m=99 is not allowed"),
    ("sit_down", {"game": "mnk", "options": {"threads": 9}}, "unknown variant field 'threads'"),
    ("sit_down", {"game": "mnk", "seat": 2}, "seat=2 is not allowed"),
    ("sit_down", {"game": "mnk", "seed": -1}, "seed=-1 is not allowed"),
    ("sit_down", {"game": "mnk", "opponents": ["easy", "easy"]}, "2 opponents for 1 other seat: name fewer"),
    ("sit_down", {"game": "mnk", "opponents": ["nobody"]}, "unknown agent 'nobody'"),
    (
        "sit_down",
        {"game": "mnk", "opponents": ["os:system"]},
        "is code, a file or lies elsewhere, and does not play here, unless",
    ),
    ("sit_down", {"game": "mnk", "opponents": ["process:./low"]}, "is code, a file or lies elsewhere"),
    ("sit_down", {"game": "mnk", "opponents": ["/etc/passwd.onnx"]}, "is code, a file or lies elsewhere"),
    ("sit_down", {"game": "mnk", "opponents": ["pimc@9+os:system"]}, "is code, a file or lies elsewhere"),
    ("sit_down", {"game": "mnk", "opponents": ["pimc@999999999"]}, "too high|thinks for too long"),
    ("sit_down", {"game": "mnk", "opponents": ["pimc@20000ms"]}, "thinks for too long"),
    ("sit_down", {}, "game"),
    ("see", {"table": "t99"}, "there is no table 't99'; there is t1"),
    ("act", {"table": "t1", "action": 225}, "actions run from 0 to 8"),
    ("act", {"table": "t1", "action": "zz"}, "'zz' names no cell"),
    ("act", {"table": "t1", "action": "z" * 1000}, "an action has up to 200 characters"),
    ("act", {"table": "t1", "action": {"row": 9}}, "no action consists of row=9"),
    ("act", {"table": "t1", "action": None}, "action"),
    ("rules", {"game": "chess"}, "unknown game 'chess'"),
    ("leave", {"table": ""}, "there is no table ''"),
]


def test_what_is_wrong_is_said_and_changes_nothing(tmp_path: Path) -> None:
    async def ask() -> None:
        async with mcp.Client(served(tmp_path, "--tables", "2")) as client:
            before = await call(client, "sit_down", **GAMES[0])
            assert before["table"] == "t1"
            for tool, arguments, words in WRONG:
                with pytest.raises(ToolFailedError, match=words):
                    await call(client, tool, **arguments)
            after = await call(client, "see", table="t1")
            assert (after["text"], after["legal"], after["events"]) == (before["text"], before["legal"], [])
            other = await call(client, "sit_down", **GAMES[0])
            with pytest.raises(
                ToolFailedError, match=f"you sit at t1, {other['table']}, and more tables are not allowed"
            ):
                await call(client, "sit_down", **GAMES[0])
            await call(client, "leave", table="t1")
            await call(client, "sit_down", **GAMES[0])

    anyio.run(ask)


def test_a_class_plays_once_the_command_line_allows_it(tmp_path: Path) -> None:
    name = "tests.agents.strange:First"

    async def ask(*more: str) -> Any:
        async with mcp.Client(served(tmp_path, *more)) as client:
            return await call(client, "sit_down", **{**GAMES[0], "opponents": [name]})

    assert anyio.run(ask, "--allow", name)["you"] == "player_0"


@pytest.mark.skipif(os.name == "nt", reason="sends a signal of Unix")
def test_ctrl_c_ends_the_server_though_nobody_closes_its_input() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    command = [sys.executable, "-m", "kozyr.training.cli", "mcp"]
    with interruptible(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        assert "kozyr" in process.stdout.readline()  # it is there
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=60) == 130
        finally:
            process.kill()
        assert process.stderr.read() == "interrupted\n"


def test_the_command_says_what_it_is() -> None:
    assert "Model Context Protocol" in run("mcp", "--help").stdout
