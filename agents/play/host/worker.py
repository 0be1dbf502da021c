"""Worker process for agents that think, and for tables whose code is not compiled yet.

`python -m kozyr.agents.play.host.worker` reads calls from standard input and writes answers to standard output, as
messages of `kozyr.agents.play.host.worker_pool`; only the server that started it is at the other end.
"""

import os
import signal
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kozyr import agents, envs
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play.host import precompile
from kozyr.agents.play.host.advice import Advice, advise
from kozyr.agents.play.host.server_table import Question, ServerTable
from kozyr.agents.play.host.worker_pool import pack, read
from kozyr.agents.play.pages.table_config import TableConfig, deal
from kozyr.agents.player import RESIGNED, Player, Resign, as_player
from kozyr.envs import registry
from kozyr.envs.table.table import TableInfo

_MOST = 64  # players in memory
_NICE = 5  # the server goes before its workers


class Worker:
    """The calls of a server, a method each."""

    def __init__(self) -> None:
        self._players = OrderedDict[Any, Player]()
        self._policies = dict[Any, Any]()
        self._tables = dict[str, ServerTable]()

    def learn(self, registered: bytes) -> None:
        """Know a game that the server's program has registered."""
        registry.restore(registered)

    def ask(self, key: Any, name: str, info: TableInfo, question: Question, fresh: bool) -> int | str | None:
        """Return a player's action, or the reason why it loses; None asks for a fresh question with all events."""
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
        """Return an agent's advice."""
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
        """Compile the code of a game's tables."""
        it = envs.game(game)
        precompile.run(it, it.make_variant(**options))

    def deal(self, id_: str, config: TableConfig, actions: Sequence[int]) -> str:
        """Return the record of a new table."""
        return deal(id_, config, actions)

    def hold(self, table: str, line: str, bots: Mapping[int, str], me: int | None, first: int) -> None:
        """Hold a table from its record on."""
        self._tables[table] = ServerTable(line, bots, me, first)

    def call_table(self, table: str, method: Callable[..., Any], args: Sequence[Any]) -> Any:
        """Call a method of a table."""
        return method(self._tables[table], *args)

    def forget(self, table: str) -> None:
        """Forget a table."""
        self._tables.pop(table, None)
        for key in [key for key in self._players if key[0] == table]:
            del self._players[key]


def main() -> None:
    """Answer calls until the server ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(_NICE)
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
            out.write(pack(answer))
            out.flush()


if __name__ == "__main__":
    main()
