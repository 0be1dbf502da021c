"""Compiled code: whether it is there, and getting it without anybody waiting.

A game whose code was never compiled on this machine is played uncompiled, in a worker, while another process fills the
cache; then this one loads the code, and the tables come home.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from kozyr import agents, envs
from kozyr.agents.play.host.seat_view import Sight
from kozyr.agents.play.host.server_table import Position
from kozyr.agents.play.host.worker_pool import Hand, WorkerError
from kozyr.envs import compile as compiler
from kozyr.envs import core, environments, loops, pictures, table
from kozyr.envs.compile import INTERPRETED, Mark, sources
from kozyr.envs.core.game import Game
from kozyr.envs.pictures.scene import SEES_ALL, SEES_PUBLIC
from kozyr.envs.table import record
from kozyr.envs.table.table import Table

_log = logging.getLogger(__name__)
_LONG = 1800.0  # seconds that compiling may take
_SHARED = compiler, core, loops, pictures, environments, table, agents  # what compiled code of every game is made of


class Warmth:
    """What of the games is compiled.

    Args:
        done: called with the type of a variant whose code has come.
    """

    def __init__(self, done: Callable[[type], Awaitable[None]]) -> None:
        self._done = done
        self._here = set[type]()
        self._coming = dict[type, asyncio.Task[None]]()
        self._loading = asyncio.Lock()
        self._compiler = Hand()
        self.cold = Hand({"NUMBA_DISABLE_JIT": "1"})

    async def has(self, game: Game, variant: Any) -> bool:
        """Tell whether a game's code is loaded; it is loaded now if it was compiled before, and else compiled."""
        kind: Any = variant.__class__
        if INTERPRETED or kind in self._here:
            return True
        if mark(game).stands():
            await self._load(game, variant)
            return True
        if kind not in self._coming:
            self._coming[kind] = asyncio.create_task(self._compile(game, variant))
        return False

    async def wait(self, game: Game, variant: Any) -> None:
        """Wait until a game's code is loaded, as measurements do."""
        while not await self.has(game, variant):
            await asyncio.wait(self._coming.values())

    def loaded(self, variant: Any) -> bool:
        """Tell whether a game's code is loaded."""
        return type(variant) in self._here

    async def _load(self, game: Game, variant: Any) -> None:
        """Load code in a thread, so that no other table waits."""
        kind: Any = variant.__class__
        async with self._loading:
            if kind not in self._here:
                await asyncio.to_thread(run, game, variant)
                self._here.add(kind)

    async def _compile(self, game: Game, variant: Any) -> None:
        try:
            await self._compiler.call(_LONG, game, "warm", game.id, game.options(variant))
        except (WorkerError, ValueError) as error:
            _log.warning("%s cannot be compiled ahead: %s", game.id, error)
        await self._load(game, variant)
        kind: Any = variant.__class__
        del self._coming[kind]
        await self._done(kind)

    def begin(self) -> None:
        """Start the worker without compiled code, if some game may need it, so that it is there by then."""
        known = [envs.game(name) for name in envs.games()]
        if not INTERPRETED and not all(mark(game).stands() for game in known):
            self._first = asyncio.create_task(self._greet(known[0]))

    async def _greet(self, game: Game) -> None:
        with suppress(WorkerError):  # the server has ended before it was there
            await self.cold.call(_LONG, game, "learn", b"")

    async def close(self) -> None:
        """End what runs."""
        for task in self._coming.values():
            task.cancel()
        await self._compiler.close()
        await self.cold.close()


def mark(game: Game) -> Mark:
    """Return the note that a game's code, as its sources are now, has been compiled."""
    home = game.package or game.variant.__module__
    return Mark(home, f"{game.id} {sources.hashes(*(part.__name__ for part in _SHARED), home)}")


def run(game: Game, variant: Any) -> None:
    """Do once what tables do all the time, and leave the mark."""
    table = Table(game, variant, 1)
    names = [agents.names(game.name)[-1]] * table.seats
    position = Position(record.write(table.record), dict(enumerate(names)), 0, Sight())
    for _ in range(table.seats + 1):
        if not position.table.over:
            position.answer([*range(table.seats), SEES_ALL, SEES_PUBLIC])
    mark(game).set()
