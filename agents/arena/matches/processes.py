"""Worker processes: started without Ctrl-C, ended with their parent, and given up after repeated failures."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait

MOST_FAILURES = 5  # in a row, after which a process is not started again


@contextmanager
def interrupts_blocked() -> Generator[None]:
    """Block Ctrl-C while workers start, who inherit that: only this process handles an interrupt."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def prepare_worker() -> None:
    """Prepare a worker process: it ignores interrupts and ends with the process that started it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End at once when the parent process has ended, even in the middle of a decision."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class ProcessEnded(Exception):  # noqa: N818 - an event
    """A program has ended by itself, not by a time limit."""


class Failures:
    """Count of a process's failures in a row, with the last reason.

    Attributes:
        row: number of failures in a row; why: reason of the last one.
    """

    def __init__(self) -> None:
        self.row, self.why = 0, ""

    @property
    def too_many(self) -> bool:
        """Return True if the process is given up."""
        return self.row >= MOST_FAILURES

    def note(self, why: str) -> None:
        """Count a failure."""
        self.row, self.why = self.row + 1, why

    def words(self, who: object) -> str:
        """Return the message that the process is given up."""
        return f"{who!r} has failed {self.row} times in a row and is given up: {self.why}"
