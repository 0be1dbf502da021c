"""A server of the five-in-a-row wire in a thread."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from kozyr import envs
from kozyr.agents.remote.ttt.server import GAME, Outcome, Plan, Server


class Running:
    """A server that runs.

    Attributes:
        address: where it listens; said: its lines; outcomes: how the games ended, once it has closed.
    """

    def __init__(self, plan: Plan) -> None:
        self.said, self.outcomes, self._listening = list[str](), list[Outcome](), threading.Event()
        self.server = Server(plan, self._say)
        self.failed: BaseException | None = None
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        assert self._listening.wait(20)
        self.address = self.said[0].removeprefix("listening at ")

    def _say(self, line: str) -> None:
        self.said.append(line)
        self._listening.set()

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except BaseException as error:
            self.failed = error
            self._listening.set()

    async def _work(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self.outcomes = await self.server.run(self.server.play_all)

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)


@contextmanager
def serving(agents: tuple[str, ...] = (), **given: Any) -> Generator[Running]:
    """Run a server until its games are over."""
    board = {name: given.pop(name) for name in ("m", "n", "k", "obstacles", "max_moves") if name in given}
    variant = envs.game(GAME).make_variant(**({"m": 5, "n": 5, "k": 4} | board))
    running = Running(Plan("tcp://127.0.0.1:*", variant, agents, **given))
    try:
        yield running
    except BaseException:
        running.stop()
        raise
    finally:
        running.thread.join(60)
        assert not running.thread.is_alive(), running.said
    if running.failed is not None and not isinstance(running.failed, asyncio.CancelledError):
        raise running.failed
