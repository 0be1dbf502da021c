"""The pace of a table at which only agents play: go on, pause, a step on or back."""

import asyncio
from collections.abc import Awaitable, Callable

from kozyr.agents.play.session.messages import Paced

DELAY = 0.8  # seconds between two plies, at first


class Pace:
    """When the next ply is shown.

    Args:
        step: goes by some plies from the one that is shown, and returns whether there are more.

    Attributes:
        ply: the one that is shown, which may be an earlier one; delay: seconds between two.
    """

    def __init__(self, step: Callable[[int], Awaitable[bool]]) -> None:
        self._step = step
        self._running, self.delay, self.ply = True, DELAY, 0
        self._task: asyncio.Task[None] | None = None

    def told(self, plies: int) -> Paced:
        """Return the pace as clients are told it."""
        return Paced(self._running, self.delay, self.ply, plies)

    def set(self, running: bool, delay: float) -> None:
        """Go on, or pause; `run` has to be called then."""
        self._running, self.delay = running, delay
        self.stop()

    def run(self) -> None:
        """Go on, if that is what was asked for."""
        if self._running and self._task is None:
            self._task = asyncio.create_task(self._go())
            self._task.add_done_callback(self._done)

    def stop(self) -> None:
        """Stop for now."""
        task, self._task = self._task, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None

    async def _go(self) -> None:
        more = True
        while more:
            await asyncio.sleep(self.delay)
            more = await self._step(1)
