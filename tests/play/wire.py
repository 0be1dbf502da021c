"""A server in a process of its own, and clients that speak its protocol as the page does."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from kozyr.agents.play.session.connections import RATE

ME, PERSON = "me", "person"


RUN = """
import socket, sys
from pathlib import Path
from kozyr.agents.play.server import app, serve
from kozyr.agents.play.server.tables_registry import TablesRegistry

folder, port, rate, room = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) or None, int(sys.argv[4])
listening, house = serve.bind(serve.HOME, port), TablesRegistry(folder)

if room:
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)

async def ready():
    print(serve.address(listening), flush=True)

serve.run(app.application(house, folder, rate=rate), listening, ready)
"""


class Server:
    """A server in a process of its own, which keeps its tables in a folder.

    Attributes:
        address: as http://127.0.0.1:8412; said: the whole address that it told.
        process: to be killed or measured; log: what it writes there.

    Args:
        folder: where the tables are.
        command: how to start it; by default the application alone, without the command line.
        port: 0: a free one.
        rate: messages a second from each client; 0: any number.
        room: bytes that the system holds for a client that does not read; 0: as many as it likes.
        environment: more variables.
    """

    def __init__(
        self,
        folder: Path,
        command: Sequence[str] = (),
        port: int = 0,
        rate: float = RATE,
        room: int = 0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        run = [sys.executable, *(command or ("-c", RUN, str(folder), str(port), str(rate), str(room)))]
        self.log = (folder / "server.log").open("ab")
        self.process: Any = subprocess.Popen(
            run, stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **(environment or {})}
        )
        self.said = self._read_address()
        split = urlsplit(self.said)
        self.address = f"{split.scheme}://{split.netloc}"

    def _read_address(self) -> str:
        for line in self.process.stdout:
            for word in line.split():
                if word.startswith("http://"):
                    return word
        raise RuntimeError("the server has ended without telling its address: see server.log")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *why: object) -> None:
        self.end()

    def end(self) -> None:
        """End the server and everything of it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        self.process.stdout.close()
        self.log.close()

    def kill(self) -> None:
        """Kill the server at once."""
        self.process.kill()
        self.process.wait(20)

    def memory(self) -> int:
        """Return the bytes of memory that the server's own process holds."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    def make(self, game: str, seats: Sequence[str], **given: Any) -> "Made":
        """Make a table by the lobby's form.

        Args:
            game: its name; seats: who takes each, as the form has it.
            given: other fields of the form; options of the game by their names.
        """
        with httpx.Client(base_url=self.address, timeout=60) as browser:
            return made(browser, game, seats, **given)


class Made:
    """A table that was made, and the secrets of its links.

    Attributes:
        table: its id; seats: a secret a seat, "" for an agent's and those not told; watch, host: the others.
    """

    def __init__(self, table: str, seats: list[str], watch: str, host: str) -> None:
        self.table, self.seats, self.watch, self.host = table, seats, watch, host


def made(browser: httpx.Client, game: str, seats: Sequence[str], page: str | None = None, **given: Any) -> Made:
    """Make a table by the lobby's form in a browser that keeps cookies; `page` is the form if it is there already."""
    if page is None:
        page = browser.get(f"/games/{game}").raise_for_status().text
    fields = _filled(page) | {f"seat-{k}": one for k, one in enumerate(seats)}
    for name, value in given.items():
        key = {"budget": "budget-1"}.get(name, name if name in ("seed", "sees") else f"set-{name}")
        fields[key] = ("on" if value else "") if isinstance(value, bool) else str(value)
    fields = {key: value for key, value in fields.items() if value}  # a box that is not ticked is not sent
    answer = browser.post(f"/games/{game}", data=fields | {"form": browser.cookies["kozyr_form"]})
    assert answer.status_code == 303, (answer.status_code, _problems(answer.text))
    place = urlsplit(answer.headers["location"])
    table, secrets = place.path.split("/")[2], place.fragment
    if "=" not in secrets:
        mine = [secrets if one == ME else "" for one in seats]
        return Made(table, mine, "", "" if ME in seats else secrets)
    told = dict(parse_qsl(secrets))
    mine = [told.get(str(k), told["go"] if one == ME else "") for k, one in enumerate(seats)]
    return Made(table, mine, told["watch"], "" if ME in seats else told["go"])


def _filled(page: str) -> dict[str, str]:
    """Return the options that a form comes with."""
    import re

    found = dict[str, str]()
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name and name[1].startswith("set-") and ('type="checkbox"' not in tag or "checked" in tag):
            found[name[1]] = value[1] if value else "on"
    for name, body in re.findall(r'<select[^>]*name="(set-[^"]*)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'<option[^>]*value="([^"]*)"[^>]*selected', body) or re.search(r'value="([^"]*)"', body)
        found[name] = chosen[1] if chosen else ""
    return found


def _problems(page: str) -> str:
    return " ".join(line.strip() for line in page.splitlines() if "problem" in line or "refused" in line)[:800]


class Client:
    """One window at a table; `received` holds every text that the server has sent it."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.received = socket, list[str]()
        self.welcome: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        self.people: dict[str, Any] = {}
        self.rows: dict[int, list[int]] = {}

    @classmethod
    async def sit(cls, address: str, table: str, token: str, ply: int = 0, **given: Any) -> "Client":
        """Connect, send `sit` and read up to the first state."""
        client = cls(await dial(address, table, **given))
        await client.send({"t": "sit", "token": token, "ply": ply})
        await client.until("state")
        return client

    async def send(self, message: Any) -> None:
        """Send a message, or a text as it is."""
        await self.socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))

    async def read(self) -> dict[str, Any]:
        """Return the next message, after it was taken in."""
        text = await self.socket.recv()
        self.received.append(text if isinstance(text, str) else text.decode())
        message = json.loads(text)
        if message["t"] == "welcome":
            self.welcome = message
        elif message["t"] == "state":
            self._take_in(message)
        elif message["t"] == "people":
            self.people = message
        return message

    def _take_in(self, state: dict[str, Any]) -> None:
        if state["scene"]["from"] == 0:
            self.rows.clear()
        for i, *numbers in state["scene"]["rows"]:
            self.rows[i] = numbers
        self.rows = {i: row for i, row in self.rows.items() if i < state["scene"]["count"]}
        self.state = state

    async def until(self, *kinds: str) -> dict[str, Any]:
        """Read up to a message of one of these kinds."""
        while (message := await self.read())["t"] not in kinds:
            pass
        return message

    async def play(self, action: int) -> dict[str, Any]:
        """Play an action and return the answer: the next state, or a refusal."""
        await self.send({"t": "play", "ply": self.state["ply"], "action": action})
        return await self.until("state", "refused")

    @property
    def mine(self) -> bool:
        """Whether it is this seat's turn."""
        return self.welcome["seat"] is not None and self.state["turn"] == self.welcome["seat"]

    @property
    def over(self) -> bool:
        return self.state["turn"] < 0

    async def close(self) -> None:
        await self.socket.close()


def dial(address: str, table: str, origin: str | None = None, **given: Any) -> connect:
    """Return a connection to a table's socket, to be awaited, from a page of the server or of `origin`."""
    place = f"ws{address.removeprefix('http')}/tables/{table}/ws"
    return connect(place, origin=Origin(address if origin is None else origin), max_size=None, max_queue=None, **given)
