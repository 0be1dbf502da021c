"""The crew: worker processes that answer for agents that think, so that no table waits for another one's."""

import asyncio
import logging
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from typing import Any

from kozyr.agents.play.host.worker import HEAD, packed
from kozyr.envs import registry
from kozyr.envs.core.game import Game

_log = logging.getLogger(__name__)
_MOST = 4  # workers


class WorkerError(Exception):
    """A worker has died, or was ended because it did not answer, or the agent has raised."""


class Hand:
    """One worker process; it is started when it is needed, and again after it has died.

    Args:
        environment: variables that it gets beside ours.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})
        self._process: Process | None = None
        self._knows = set[str]()
        self._turn = asyncio.Lock()
        self.births = 0

    @property
    def process(self) -> Process | None:
        """The process, if there is one."""
        return self._process

    async def call(self, patience: float, game: Game, name: str, *args: Any) -> Any:
        """Call a method of `Worker` there, after the calls that came before.

        Args:
            patience: seconds that it may take, waiting for others not counted; then the process is ended.
            game: that it has to know.
            name: of the method; args: what it takes.

        Raises:
            ValueError: if the method does.
            WorkerError: if there is no answer, and for all other errors.
        """
        task = asyncio.ensure_future(self._call(patience, game, name, args))
        task.add_done_callback(_heard)
        return await asyncio.shield(task)

    async def _call(self, patience: float, game: Game, name: str, args: tuple[Any, ...]) -> Any:
        async with self._turn:
            try:
                async with asyncio.timeout(patience):
                    if (process := self._process) is None or process.returncode is not None:
                        process = await self._start()
                    if game.id not in self._knows:
                        self._knows.add(game.id)
                        await _exchange(process, "learn", (registry.carried(game.id),))
                    fine, answer = await _exchange(process, name, args)
            except TimeoutError:
                await self._end()
                raise WorkerError(f"no answer in {patience:.0f} s") from None
            except (EOFError, OSError, asyncio.IncompleteReadError, pickle.UnpicklingError) as error:
                await self._end()
                raise WorkerError("the process that plays has died") from error
        if fine:
            return answer
        raise answer if isinstance(answer, ValueError) else WorkerError(str(answer))

    async def _start(self) -> Process:
        self.births += 1
        self._knows.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kozyr.agents.play.host.worker",
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, **self._environment},
        )
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                process.kill()
            await process.wait()
            if process.stdin is not None:
                process.stdin.close()

    async def close(self) -> None:
        """End the process."""
        await self._end()


def _heard(task: "asyncio.Task[Any]") -> None:
    """Take note of an error that nobody waits for any more."""
    if not task.cancelled():
        task.exception()


async def _exchange(process: Process, name: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
    """Send a call and return the answer."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(packed((name, args)))
    await process.stdin.drain()
    [size] = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
    return pickle.loads(await process.stdout.readexactly(size))


class Crew:
    """The workers of one server; a table stays with its worker."""

    def __init__(self, workers: int | None = None) -> None:
        self._hands = [Hand() for _ in range(workers or min(os.cpu_count() or 1, _MOST))]

    def of(self, table: str) -> Hand:
        """Return the worker of a table."""
        return self._hands[hash(table) % len(self._hands)]

    async def close(self) -> None:
        """End all workers."""
        for hand in self._hands:
            await hand.close()
