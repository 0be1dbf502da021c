"""Starting processes of our own."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait


@contextmanager
def held_back() -> Generator[None]:
    """Hold Ctrl-C back while workers are started, who inherit that: an interrupt is left to this process."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def arrive() -> None:
    """Prepare a worker process: an interrupt is left to the process that started it, and it ends with that one."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End at once when the process that started this one has ended, even in the middle of a decision."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
