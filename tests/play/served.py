"""A server on a real port, and clients that speak PROTOCOL.md."""

import asyncio
import json
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from kozyr import agents, envs
from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.server import app, serve
from kozyr.agents.play.server.tables_registry import TablesRegistry

WAIT = 60.0  # seconds; a game may have to be compiled


class Served:
    """A house that is open; its coroutines run in the server's loop."""

    def __init__(self, house: TablesRegistry, place: str, loop: asyncio.AbstractEventLoop) -> None:
        self.house, self.place, self._loop = house, place, loop

    def do(self, coroutine: Any) -> Any:
        """Return what a coroutine of the house returns."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(WAIT)

    def open(self, game: str = "durak", **given: Any) -> Any:
        """Open a table, of me against the strongest scripted players unless told otherwise."""
        it = envs.game(game)
        seats = it.seats(it.make_variant(**given.get("options", {})))
        bots = [agents.names(it.name)[-1]] * (seats - 1)
        setup = {"seats": ["me", *bots], "names": [f"name {k}" for k in range(seats)], "seed": 1, **given}
        return self.do(self.house.open(msgspec.convert({"game": game, **setup}, TableConfig)))

    def client(self, table: str, token: str) -> "Client":
        """Return a client that has sat down."""
        return Client(self.place, table, token)


class Client:
    """One who plays by the protocol and remembers the last state."""

    def __init__(self, place: str, table: str, token: str, **how: Any) -> None:
        address = f"{place.replace('http', 'ws')}/tables/{table}/ws"
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(address, compression=None, open_timeout=WAIT, **how)
        )
        self.heard: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.rows: list[list[int]] = []
        self.say(t="sit", token=token)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def hear(self, wanted: str | Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next message of a type, or that fits."""
        while True:
            message = json.loads(self.socket.recv(WAIT))
            self.heard.append(message)
            if message["t"] == "state":
                self._draw(message)
            if message["t"] == wanted if isinstance(wanted, str) else wanted(message):
                return message

    def _draw(self, state: dict[str, Any]) -> None:
        scene = state["scene"]
        assert scene["from"] in (0, self.state.get("number")), "a scene builds on one that was never sent"
        rows = self.rows if scene["from"] else []
        self.rows = [*rows, *([[]] * scene["count"])][: scene["count"]]
        for i, *row in scene["rows"]:
            self.rows[i] = row
        self.state = state

    def my_turn(self, seat: int = 0) -> dict[str, Any]:
        """Return the state in which a seat is to move, or the game is over."""
        ready = self.state if self.state and (self.state["turn"] in (seat, -1)) else None
        return ready or self.hear(lambda m: m["t"] == "state" and m["turn"] in (seat, -1))

    def play(self, action: int | None = None) -> None:
        """Play an action, the first legal one if none is given, and hear the state that follows."""
        chosen = self.state["choices"][0][0] if action is None else action
        self.say(t="play", ply=self.state["ply"], action=chosen)
        self.hear(lambda m: m["t"] == "state" or m["t"] == "refused")

    def play_out(self, seat: int = 0) -> dict[str, Any]:
        """Play to the end, and return the last state."""
        while not self.my_turn(seat)["over"]:
            self.play()
        return self.state

    def closed(self) -> int:
        """Return the code that the socket is closed with, hearing all that comes before."""
        try:
            while True:
                self.hear(lambda _: True)
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else 1006


@contextmanager
def served(folder: Path | None = None, rate: float | None = None, **given: Any) -> Generator[Served]:
    """Run a server until the end of the block."""
    house = TablesRegistry(folder, **given)
    listening = serve.bind(serve.HOME, 0)
    server = uvicorn.Server(serve.config_of(app.application(house, folder or Path(), rate=rate)))
    loop = asyncio.new_event_loop()
    begun = threading.Event()

    async def run() -> None:
        begun.set()
        await server.serve([listening])

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    begun.wait(WAIT)
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            begun.wait(0.01)
        yield Served(house, serve.address(listening), loop)
    finally:
        server.should_exit = True
        thread.join(WAIT)
        loop.close()
        listening.close()
