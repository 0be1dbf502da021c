"""A process of its own for what takes long: `python -m kozyr.agents.play.host.worker`.

It reads calls from standard input and writes answers to standard output, each a length and a pickle; only the server
that started it is at the other end.
"""

import os
import pickle
import struct
import sys
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from kozyr import agents, envs
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play.host.advice import Advice, advise
from kozyr.agents.play.host.server_table import Position, Question
from kozyr.agents.play.pages.table_config import Setup, dealt
from kozyr.agents.player import RESIGNED, Player, Resign, as_player
from kozyr.envs import registry
from kozyr.envs.table.table import TableInfo

HEAD = struct.Struct("<Q")
_MOST = 64  # players that are kept
_POLITE = 5  # how much the server goes before


class Worker:
    """What a server may call here; a method each."""

    def __init__(self) -> None:
        self._players = OrderedDict[Any, Player]()
        self._policies = dict[Any, Any]()
        self._positions = dict[str, Position]()

    def learn(self, registered: bytes) -> None:
        """Know a game that the server's program has registered."""
        registry.restore(registered)

    def ask(self, key: Any, name: str, info: TableInfo, question: Question, fresh: bool) -> int | str | None:
        """Return a player's action, why it loses, or None: say all from the beginning, in a fresh question."""
        player = self._players.get(key)
        if fresh:
            player = self._players[key] = as_player(self._load(name, info))
            player.begin(info)
            while len(self._players) > _MOST:
                self._players.popitem(last=False)
        if player is None:
            return None
        self._players.move_to_end(key)
        for event in question.events:
            player.see(event)
        try:
            return int(player.act(question.view, question.mask, question.deadline))
        except Resign:
            return RESIGNED

    def advise(self, name: str, info: TableInfo, question: Question) -> Advice:
        """Return what an agent would do."""
        return advise(self._load(name, info), info.game, info.variant, question.view, question.mask)

    def _load(self, name: str, info: TableInfo) -> Any:
        """Return a new agent, or a policy that is shared, because it remembers nothing and is big."""
        key = (name, info.game.id, info.variant)
        if key in self._policies:
            return self._policies[key]
        agent = agents.load(name, info.game.name, **info.game.options(info.variant))
        if isinstance(agent, Trained):
            self._policies[key] = agent
        return agent

    def warm(self, game: str, options: dict[str, Any]) -> None:
        """Compile what tables of a game need."""
        from kozyr.agents.play.host import precompile as warm

        it = envs.game(game)
        warm.run(it, it.make_variant(**options))

    def deal(self, id_: str, setup: Setup) -> str:
        """Return the record of a new table."""
        return dealt(id_, setup)

    def seat(self, table: str, *given: Any) -> None:
        """Hold the position of a table."""
        self._positions[table] = Position(*given)

    def position(self, table: str, name: str, args: Sequence[Any]) -> Any:
        """Call a method of a table's position."""
        return getattr(self._positions[table], name)(*args)

    def forget(self, table: str) -> None:
        """Forget a table."""
        self._positions.pop(table, None)
        for key in [key for key in self._players if key[0] == table]:
            del self._players[key]


def read(stream: BinaryIO) -> Any:
    """Return the next message, or raise EOFError."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    return pickle.loads(stream.read(*HEAD.unpack(head)))


def packed(message: Any) -> bytes:
    """Return a message as it is sent."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(body)) + body


def main() -> None:
    """Answer calls until the server ends."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_POLITE)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever an agent prints goes elsewhere
    worker = Worker()
    with suppress(EOFError, BrokenPipeError):
        while True:
            name, args = read(sys.stdin.buffer)
            try:
                answer = (True, getattr(worker, name)(*args))
            except Exception as error:
                answer = (False, error if isinstance(error, ValueError) else f"{type(error).__name__}: {error}")
            out.write(packed(answer))
            out.flush()


if __name__ == "__main__":
    main()
