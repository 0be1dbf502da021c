"""Guest: an agent of ours in a seat of somebody else's table, which it reaches by the seat's link over a WebSocket."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

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
                self._load(message)
                greeting = {"type": "hello", "kozyr": messages.VERSION, "token": self._token, "wants": ["view"]}
                socket.send(messages.encode(greeting))
            elif kind == "reset" and self._player is not None:
                self._player.begin(replace(self._info, seat=message["seat"]))
                self._tell(f"{self._agent} has seat {message['seat'] + 1} of {self._info.seats}")
            elif kind == "act":
                socket.send(messages.encode({"type": "move", "id": message["id"], "action": self._decide(message)}))
            elif kind == "result":
                self.games.append(message["payoffs"][message["seat"]])
                self._tell(f"game {len(self.games)} has brought {self.games[-1]:+g}")
            elif kind == "error":
                self._tell(f"the table says: {message['why']}")

    def _load(self, hello: Any) -> None:
        """Make the agent for the game that is played there."""
        game = envs.game(hello["game"])
        variant = game.make_variant(**hello["options"])
        if game.version != hello["version"] or [*hello["view"]] != [part[0] for part in game.declaration(variant)]:
            raise RuntimeError(f"{game.name} is another version there: install the same kozyr on both sides")
        self._player = as_player(agents.load(self._agent, game.name, **hello["options"]))
        self._info = TableInfo(game, variant, game.seats(variant), None)
        self._tell(f"{game.title}, {json.dumps(hello['options'])}")

    def _decide(self, message: Any) -> int:
        """Return the agent's action."""
        game, variant = self._info.game, self._info.variant
        view = np.fromiter((x for part in message["view"].values() for x in part), game.view_dtype)
        mask = np.zeros(game.actions(variant), np.int8)
        mask[message["legal"]] = 1
        deadline = None if message["left"] is None else time.monotonic() + message["left"]
        assert self._player is not None
        return int(self._player.act(view, mask, deadline))
