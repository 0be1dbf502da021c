"""Those who call a table or are called by a player: pages and programs at sockets, tools of models, endpoints."""

import asyncio
import atexit
import json
import logging
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from io import StringIO
from typing import Any

from kozyr.agents.play.server.app import application
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import messages
from kozyr.agents.text.endpoint import Endpoint, EndpointError
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, folder, heard
from tests.play.ears import CONFIG, Ear

_MOST = 120  # messages of a session
_PLACES = ("0", "1", "host", "watch")  # whose secrets a session may name, as $0


class Errors(logging.Handler):
    """Errors that were logged: a table that has failed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said = list[str]()

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage() + (f": {record.exc_info[1]!r}" if record.exc_info else ""))


def _pages() -> list[bytes]:
    """Return what pages and programs say, a message a line; the first line is who sits there, and at what."""
    plays = [messages.write(messages.Play(ply, 3 * ply)).decode() for ply in range(8)]
    some = [
        messages.Undo(),
        messages.Name("Ann"),
        messages.Signal(2),
        messages.Ask(),
        messages.Ping(),
        messages.Step(1),
    ]
    more = [messages.Review(True), messages.Branch(2), messages.Hint("easy"), messages.Pace(True, 0.5)]
    ends = [messages.Resign(), messages.Again("swap"), messages.Again("again")]
    said = [messages.write(one).decode() for one in (*some, *more, *ends)]
    found = [["ws", json.dumps({"t": "sit", "token": f"${place}"}), *plays, *said] for place in _PLACES]
    found += [["ws", json.dumps({"t": "sit", "token": "$1"}), *said[-3:], *said[4:8], *plays[1::2]]]
    hello = {"type": "hello", "kozyr": 1, "token": "$1", "wants": ["view", "events"]}
    moves = [json.dumps({"type": "move", "id": k, "action": 24 - k}) for k in range(1, 9)]
    return ["\n".join(one).encode() for one in [*found, ["program", json.dumps(hello), *moves]]]


def sit(data: bytes) -> None:
    """Let a client say things at a table; nothing fails, and two others at another table play on."""
    errors, log = Errors(), logging.getLogger("kozyr")
    log.addHandler(errors)
    before, log.propagate = log.propagate, False
    try:
        _house()[0].run_until_complete(_evening(data))
    finally:
        log.removeHandler(errors)
        log.propagate = before
    require(not errors.said, f"a table has failed: {errors.said[:2]}")


@cache
def _house() -> tuple[asyncio.AbstractEventLoop, TablesRegistry, Any]:
    """Return a server's tables, its application, and the loop of both."""
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)

    async def made() -> tuple[TablesRegistry, Any]:
        registry = TablesRegistry()
        return registry, application(registry, folder(), rate=None)

    return loop, *loop.run_until_complete(made())


async def _evening(data: bytes) -> None:
    where, *lines = mutate.text_of(data).split("\n")
    _, registry, app = _house()
    good, bad = await registry.open(CONFIG), await registry.open(CONFIG)
    names = {"0": bad.seats[0], "1": bad.seats[1], "host": bad.host, "watch": bad.watch}
    for place, secret in names.items():
        lines = [line.replace(f"${place}", secret or "") for line in lines]
    session, ears = await registry.find(good.table), [Ear(), Ear()]
    assert session is not None
    for ear, token in zip(ears, good.seats, strict=True):
        await session.sit(ear, token or "")
    client = _Socket(lines[:_MOST])
    path = f"/tables/{bad.table}/{'program' if where == 'program' else 'ws'}"
    async with asyncio.timeout(60):
        await app(_scope(path), client.receive, client.send)
    await session.hear(ears[0], messages.Play(0, 7))
    await asyncio.sleep(0)
    require([ear.ply for ear in ears] == [1, 1], "a move at another table is not shown")
    again = await registry.find(bad.table)
    require(again is not None, "the table has gone")
    assert again is not None
    for token in bad.seats:
        require(await again.sit(Ear(), token or ""), "a seat is lost")
    for one in list(registry._sessions.values()):
        registry.forget(one)


class _Socket:
    """A socket of an application that a client sends its messages to, then goes."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = self._all(lines)

    @staticmethod
    async def _all(lines: list[str]) -> AsyncIterator[dict[str, Any]]:
        yield {"type": "websocket.connect"}
        for line in lines:
            heard()
            yield {"type": "websocket.receive", "text": line}
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        while True:
            yield {"type": "websocket.disconnect", "code": 1001}

    async def receive(self) -> dict[str, Any]:
        return await anext(self._lines)

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            json.loads(message["text"])


def _scope(path: str) -> dict[str, Any]:
    headers = [(b"host", b"localhost")]
    about = {"type": "websocket", "scheme": "ws", "path": path, "raw_path": path.encode(), "query_string": b""}
    return {**about, "headers": headers, "subprotocols": [], "asgi": {"version": "3.0"}, "root_path": ""}


# Tools


def _tool_calls() -> list[bytes]:
    """Return sessions of a language model's program, a message of JSON-RPC a line."""
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}
    first = [{"method": "initialize", "id": 0, "params": who}, {"method": "notifications/initialized"}]
    board = {"game": "mnk", "options": {"m": 3, "n": 3, "k": 3}, "opponents": ["random"], "seed": 1}
    calls = [
        ("list_games", {}),
        ("rules", {"game": "war"}),
        ("sit_down", board),
        ("act", {"table": "t1", "action": 4}),
        ("see", {"table": "t1", "observation": True}),
        ("act", {"table": "t1", "action": "0"}),
        ("act", {"table": "t1", "action": {"kind": "mark", "row": 1}, "observation": True}),
        ("result", {"table": "t1"}),
        ("replay", {"table": "t1"}),
        ("leave", {"table": "t1"}),
    ]
    asked = [{"method": "tools/call", "params": {"name": name, "arguments": given}} for name, given in calls]
    some = [[*first, *asked], [*first, {"method": "tools/list"}, *asked[2:6]], [*first, *asked[2:4], *asked[2:7]]]
    return [
        "\n".join(json.dumps({"jsonrpc": "2.0", "id": k, **one}) for k, one in enumerate(lines)).encode()
        for lines in some
    ]


def serve_tools(data: bytes) -> None:
    """Serve a program's session; a program that comes after it is served well."""
    errors, log = Errors(), logging.getLogger("kozyr")
    log.addHandler(errors)
    try:
        asyncio.run(_served(mutate.text_of(data).encode("utf-8", "replace").decode(), lasting=False))
        good = asyncio.run(_served(_tool_calls()[1].decode(), lasting=True))
    finally:
        log.removeHandler(errors)
    require(not errors.said, f"a tool has failed: {errors.said[:2]}")
    require(any('"tools"' in line for line in good), "the tools are not listed after that")


async def _served(text: str, lasting: bool) -> list[str]:
    """Return the lines that a server of tools writes."""
    import anyio
    from mcp.server.stdio import stdio_server

    from kozyr.agents.mcp.server import make
    from kozyr.agents.mcp.tables import ToolTables

    lines = [f"{line}\n" for line in text.split("\n")[:_MOST]]
    if not lasting:
        lines *= max(1, _MOST // len(lines))
        heard(len(lines))
    written, server = StringIO(), make(ToolTables())._lowlevel_server
    async with asyncio.timeout(60):
        async with stdio_server(_Lines(lines), anyio.wrap_file(written)) as (reading, writing):  # pyright: ignore
            await server.run(reading, writing, server.create_initialization_options())
    return written.getvalue().splitlines()


class _Lines:
    """Standard input with some lines."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = iter(lines)

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        for _ in range(3):
            await asyncio.sleep(0)
        try:
            return next(self._lines)
        except StopIteration:
            await asyncio.sleep(0.02)  # the answers are written meanwhile
            raise StopAsyncIteration from None


# Endpoints


def _responses() -> list[bytes]:
    """Return responses of an endpoint as they are sent."""
    choice = {"message": {"role": "assistant", "content": "7C"}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 8, "completion_tokens": 1}})
    kind, size = "Content-Type: application/json\r\n", f"Content-Length: {len(body)}\r\n"
    chunked = f"{len(body):x}\r\n{body}\r\n0\r\nX-More: 1\r\n\r\n"
    late = "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n"
    return [
        one.encode()
        for one in (
            f"HTTP/1.1 200 OK\r\n{kind}{size}\r\n{body}",
            f"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n{kind}{size}Set-Cookie: a=b\r\n\r\n{body}",
            f"HTTP/1.1 200 OK\r\n{kind}Transfer-Encoding: chunked\r\nTrailer: X-More\r\n\r\n{chunked}",
            f"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\n{size}\r\n{body}",
            f"HTTP/1.1 503 Busy\r\n{late}",
            f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/v1\r\n{size}\r\n{body}",
            f"HTTP/1.1 401 No\r\n{kind}Content-Encoding: gzip\r\n{size}\r\n{body}",
        )
    ]


class _Port:
    """A server that sends the same bytes to everybody who asks, and closes."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.data, self.url = b"", f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            there, _ = self._listener.accept()
            with there, suppress(OSError):
                there.settimeout(5.0)
                there.recv(1 << 16)
                there.sendall(self.data)
                there.shutdown(socket.SHUT_WR)
                while there.recv(1 << 16):
                    pass


@cache
def _port() -> tuple[_Port, Endpoint]:
    port = _Port()
    return port, Endpoint(port.url, "m", timeout=0.4)


def ask(data: bytes) -> None:
    """Ask an endpoint that answers with these bytes."""
    port, endpoint = _port()
    port.data = data
    answer = endpoint("What do you play?")
    require(type(answer.text) is str, "an answer that is no text")


def targets() -> list[Target]:
    """Return the targets that the libraries here allow."""
    tables = tuple(f"kozyr.agents.play.session.{name}" for name in ("messages", "table_session", "program_socket"))
    made = [Target("table-session", mutate.JSON, _pages, sit, (), tables)]
    if find_spec("httpx"):
        http = ("kozyr.agents.text.endpoint",)
        made.append(Target("llm-response", mutate.TEXT, _responses, ask, (EndpointError,), http))
    if find_spec("mcp"):
        tools = tuple(f"kozyr.agents.mcp.{name}" for name in ("server", "tables", "seat_session"))
        made.append(Target("tool-session", mutate.JSON, _tool_calls, serve_tools, (), tools))
    return made
