"""Threads that share work, and that survive forks and copies of their owner."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


class Pool:
    """Threads that are started by the first work, and anew in a process that was forked.

    A copy, pickled or deep, has no threads yet. They end with `close`, or when nobody holds the pool any more.

    Args:
        threads: how many share the work, the caller's among them.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Pool, (self.threads,)

    def submit(self, work: Callable[..., Result], *given: Any) -> Future[Result]:
        """Let one of the other threads do some work."""
        if self._executor is None or self._process != os.getpid():  # a fork copies the object, but no thread
            self._executor, self._process = ThreadPoolExecutor(max(1, self.threads - 1)), os.getpid()
        return self._executor.submit(work, *given)

    def share(self, work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """Return what the work makes of each part; the caller does the first one.

        Nothing runs any more when this returns or raises.
        """
        first, *others = parts
        asked = [self.submit(work, part) for part in others]
        try:
            mine = work(first)
        finally:
            for other in asked:
                other.exception()  # waits
        return [mine, *(other.result() for other in asked)]

    def close(self) -> None:
        """End the threads; later work starts others."""
        if self._executor is not None and self._process == os.getpid():
            self._executor.shutdown()
        self._executor = None
