"""Worker pool: processes that answer for agents that think, so that no table waits for another one's.

A message to a worker, or from it, is a length and a pickle.
"""

import asyncio
import logging
import os
import pickle
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from typing import Any, BinaryIO

from kozyr.envs import registry
from kozyr.envs.core.game import Game

_log = logging.getLogger(__name__)
_HEAD = struct.Struct("<Q")
_WORKER = "kozyr.agents.play.host.worker"  # the module that a process runs
_MOST = 4  # workers


class WorkerError(Exception):
    """A worker has died, or was ended because it did not answer, or the agent has raised."""


class WorkerProcess:
    """One worker process; it is started when it is needed, and again after it has died.

    Args:
        environment: variables beside ours.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})
        self._process: Process | None = None
        self._games = set[str]()
        self._turn = asyncio.Lock()
        self.starts = 0

    @property
    def process(self) -> Process | None:
        """The process, if there is one."""
        return self._process

    async def call(self, patience: float, game: Game, name: str, *args: Any) -> Any:
        """Call a method of `Worker` there, after the calls that came before.

        Args:
            patience: seconds that it may take, waiting for others not counted; then the process is ended.
            game: that it has to know.
            name: of the method; args: of the call.

        Raises:
            ValueError: if the method does.
            WorkerError: if there is no answer, and for all other errors.
        """
        task = asyncio.ensure_future(self._call(patience, game, name, args))
        task.add_done_callback(_note_error)
        return await asyncio.shield(task)

    async def _call(self, patience: float, game: Game, name: str, args: tuple[Any, ...]) -> Any:
        async with self._turn:
            try:
                async with asyncio.timeout(patience):
                    if (process := self._process) is None or process.returncode is not None:
                        process = await self._start()
                    if game.id not in self._games:
                        self._games.add(game.id)
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
        self.starts += 1
        self._games.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _WORKER,
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


def _note_error(task: "asyncio.Task[Any]") -> None:
    """Take note of an error that nobody waits for any more."""
    if not task.cancelled():
        task.exception()


def read(stream: BinaryIO) -> Any:
    """Return the next message, or raise EOFError."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    return pickle.loads(stream.read(*_HEAD.unpack(head)))


def pack(message: Any) -> bytes:
    """Return a message as it is sent."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _HEAD.pack(len(body)) + body


async def _exchange(process: Process, name: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
    """Send a call and return the answer."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(pack((name, args)))
    await process.stdin.drain()
    [size] = _HEAD.unpack(await process.stdout.readexactly(_HEAD.size))
    return pickle.loads(await process.stdout.readexactly(size))


class WorkerPool:
    """The workers of one server; a table stays with its worker."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = [WorkerProcess() for _ in range(workers or min(os.cpu_count() or 1, _MOST))]

    def of(self, table: str) -> WorkerProcess:
        """Return the worker of a table."""
        return self._workers[hash(table) % len(self._workers)]

    async def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            await worker.close()
