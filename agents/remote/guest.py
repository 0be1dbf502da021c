"""Guest: an agent of ours in a seat of somebody else's table, which it reaches by the seat's link over a WebSocket."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlsplit

import msgspec
import numpy as np
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from kozyr import agents, envs
from kozyr.agents.player import Player, as_player
from kozyr.agents.programs import messages
from kozyr.envs.core.quote import quote
from kozyr.envs.table.table import TableInfo

_OPENING = 20.0  # seconds
_WHY = {4403: "this link opens no seat", 4404: "there is no such table", 4409: "somebody else has taken the seat"}


class _Hello(msgspec.Struct):
    """The table's first message; other fields of it are not read here."""

    game: str
    version: int
    options: dict[str, Any]
    view: dict[str, Any]


class _Reset(msgspec.Struct):
    """A game begins."""

    seat: int


class _Act(msgspec.Struct):
    """A question to the seat."""

    id: int
    legal: list[int]
    view: dict[str, list[int]]
    seconds: float | None = msgspec.field(name="left")


class _Result(msgspec.Struct):
    """A game has ended."""

    seat: int
    payoffs: list[float]


class _Error(msgspec.Struct):
    """What was wrong with our last message."""

    why: str


M = TypeVar("M", _Hello, _Reset, _Act, _Result, _Error)


class Guest:
    """An agent that plays at a table elsewhere.

    Args:
        link: the seat's, as http://HOST:PORT/tables/ID#TOKEN.
        agent: its name; tell: called with a line for each event.

    Raises:
        ValueError: for a link that is none.
    """

    def __init__(self, link: str, agent: str, tell: Callable[[str], None]) -> None:
        at = urlsplit(link)
        if at.scheme not in ("http", "https") or not at.fragment or not at.path.startswith("/tables/"):
            raise ValueError(f"{quote(link)} is no link to a seat: it is http://HOST:PORT/tables/ID#TOKEN, in quotes")
        self._address = f"{at.scheme.replace('http', 'ws')}://{at.netloc}{at.path}/program"
        self._token, self._agent, self._tell = at.fragment, agent, tell
        self._player: Player | None = None
        self._info: Any = None
        self.games = list[float]()

    def run(self) -> list[float]:
        """Play until the table closes, and return the payoff of each game.

        Raises:
            RuntimeError: if nobody is there, or the link opens nothing.
            ValueError: for an agent that does not play this game.
        """
        try:
            with connect(self._address, open_timeout=_OPENING) as socket:
                self._play(socket)
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else 0
            if code in _WHY:
                raise RuntimeError(f"{_WHY[code]}: ask for a new link") from None
        except (OSError, TimeoutError, InvalidStatus) as error:
            raise RuntimeError(f"nobody plays at {self._address}: {error}") from None
        return self.games

    def _play(self, socket: ClientConnection) -> None:
        """Hear the table until it closes."""
        while True:
            message: Any = messages.read(str(socket.recv())) or {}
            kind = message.get("type")
            if kind == "hello":
                self._load(_as(_Hello, message))
                greeting = {"type": "hello", "kozyr": messages.VERSION, "token": self._token, "wants": ["view"]}
                socket.send(messages.encode(greeting))
            elif kind == "reset":
                self._begin(_as(_Reset, message).seat)
            elif kind == "act":
                question = _as(_Act, message)
                socket.send(messages.encode({"type": "move", "id": question.id, "action": self._decide(question)}))
            elif kind == "result":
                self._end(_as(_Result, message))
            elif kind == "error":
                self._tell(f"the table says: {quote(_as(_Error, message).why)}")

    def _load(self, hello: _Hello) -> None:
        """Make the agent for the game that is played there."""
        try:
            game = envs.game(hello.game)
            variant = game.make_variant(**hello.options)
        except (ValueError, TypeError) as error:
            _refuse(str(error))
        if game.version != hello.version or [*hello.view] != [part[0] for part in game.declaration(variant)]:
            raise RuntimeError(f"{game.name} is another version there: install the same kozyr on both sides")
        self._player = as_player(agents.load(self._agent, game.name, **game.options(variant)))
        self._info = TableInfo(game, variant, game.seats(variant), None)
        self._tell(f"{game.title}, {json.dumps(game.options(variant))}")

    def _begin(self, seat: int) -> None:
        """Begin a game in a seat."""
        if self._player is None or not 0 <= seat < self._info.seats:
            _refuse(f"seat {seat} begins")
        self._player.begin(replace(self._info, seat=seat))
        self._tell(f"{self._agent} has seat {seat + 1} of {self._info.seats}")

    def _end(self, result: _Result) -> None:
        """Keep what a game has paid."""
        if self._player is None or len(result.payoffs) != self._info.seats or not 0 <= result.seat < self._info.seats:
            _refuse(f"seat {result.seat} has a result")
        self.games.append(result.payoffs[result.seat])
        self._tell(f"game {len(self.games)} has brought {self.games[-1]:+g}")

    def _decide(self, question: _Act) -> int:
        """Return the agent's action."""
        if self._player is None:
            _refuse("it asks before its hello")
        game, variant = self._info.game, self._info.variant
        numbers, mask = [x for part in question.view.values() for x in part], np.zeros(game.actions(variant), np.int8)
        limits, seconds = np.iinfo(game.view_dtype), question.seconds
        fits = len(numbers) == game.size(variant) and all(limits.min <= x <= limits.max for x in numbers)
        legal = question.legal and all(0 <= action < len(mask) for action in question.legal)
        if not fits or not legal or not (seconds is None or math.isfinite(seconds)):
            _refuse("its question does not fit the game")
        mask[question.legal] = 1
        deadline = None if seconds is None else time.monotonic() + seconds
        return int(self._player.act(np.array(numbers, game.view_dtype), mask, deadline))


def _as(kind: type[M], message: Any) -> M:
    """Return a table's message as it must be.

    Raises:
        RuntimeError: saying what is wrong with it.
    """
    try:
        return msgspec.convert(message, kind)
    except msgspec.ValidationError as error:
        _refuse(str(error))


def _refuse(why: str) -> NoReturn:
    raise RuntimeError(f"what the table says is not the protocol of kozyr's tables: {quote(why)}") from None
