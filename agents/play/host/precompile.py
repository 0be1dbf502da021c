"""Precompilation of games in the background, so that nobody waits for a compiler.

A game whose code was never compiled on this machine is played uncompiled, in a worker, while another process fills the
cache; then this one loads the code, and the tables come home.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from kozyr import agents, envs
from kozyr.agents.play.host.seat_view import SeatViewRenderer
from kozyr.agents.play.host.server_table import ServerTable
from kozyr.agents.play.host.worker_pool import WorkerError, WorkerProcess
from kozyr.envs.compile import INTERPRETED, Mark, sources
from kozyr.envs.core.game import Game
from kozyr.envs.pictures.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.table import record
from kozyr.envs.table.table import Table

_log = logging.getLogger(__name__)
_LONG = 1800.0  # seconds that compiling may take
_SOURCES = (  # of every game at a table
    *sources.OF_EVERY_GAME,
    "kozyr.envs.pictures",
    "kozyr.envs.environments",
    "kozyr.envs.table",
    "kozyr.agents",
)


class Precompiler:
    """Compiled code of the games: loaded, or being compiled.

    Args:
        done: called when code was compiled.
    """

    def __init__(self, done: Callable[[], Awaitable[None]]) -> None:
        self._done = done
        self._loaded = set[type]()
        self._tasks = dict[type, asyncio.Task[None]]()
        self._loading = asyncio.Lock()
        self._compiler = WorkerProcess()
        self.uncompiled = WorkerProcess({"NUMBA_DISABLE_JIT": "1"})

    async def ready(self, game: Game, variant: Any) -> bool:
        """Return True if a game's code is loaded; it is loaded now if it was compiled before, and else compiled."""
        if INTERPRETED or self.loaded(variant):
            return True
        if mark(game, variant).stands():
            await self._load(game, variant)
            return True
        if type(variant) not in self._tasks:
            self._tasks[type(variant)] = asyncio.create_task(self._compile(game, variant))
        return False

    async def wait(self, game: Game, variant: Any) -> None:
        """Wait until a game's code is loaded, as measurements do."""
        while not await self.ready(game, variant):
            await asyncio.wait(self._tasks.values())

    def loaded(self, variant: Any) -> bool:
        """Return True if a game's code is loaded."""
        return type(variant) in self._loaded

    async def _load(self, game: Game, variant: Any) -> None:
        """Load code in a thread, so that no other table waits."""
        async with self._loading:
            if not self.loaded(variant):
                await asyncio.to_thread(run, game, variant)
                self._loaded.add(variant.__class__)

    async def _compile(self, game: Game, variant: Any) -> None:
        try:
            await self._compiler.call(_LONG, game, "warm", game.id, game.options(variant))
        except (WorkerError, ValueError) as error:
            _log.warning("%s cannot be compiled ahead: %s", game.id, error)
        await self._load(game, variant)
        del self._tasks[type(variant)]
        await self._done()

    def begin(self) -> None:
        """Start the worker without compiled code, if some game may need it, so that it is there by then."""
        known = [envs.game(name) for name in envs.games()]
        if not INTERPRETED and not all(mark(game, game.make_variant()).stands() for game in known):
            self._first = asyncio.create_task(self._greet(known[0]))

    async def _greet(self, game: Game) -> None:
        with suppress(WorkerError):  # the server has ended before it was there
            await self.uncompiled.call(_LONG, game, "learn", b"")

    async def close(self) -> None:
        """End all processes."""
        for task in self._tasks.values():
            task.cancel()
        await self._compiler.close()
        await self.uncompiled.close()


def mark(game: Game, variant: Any) -> Mark:
    """Return the note that a game's code for a class of variants, as its sources are now, has been compiled."""
    home = game.package or game.variant.__module__
    return Mark(home, f"{game.id} {type(variant).__name__} {sources.hashes(*_SOURCES, home)}")


def run(game: Game, variant: Any) -> None:
    """Make the usual calls of a table once, and set the mark."""
    table = Table(game, variant, 1)
    names = [agents.names(game.name)[-1]] * table.seats
    server_table = ServerTable(record.write(table.record), dict(enumerate(names)), 0, renderer=SeatViewRenderer())
    for _ in range(table.seats + 1):
        if not server_table.table.over:
            server_table.play_scripted([*range(table.seats), SEES_ALL, SEES_PUBLIC])
    mark(game, variant).set()
