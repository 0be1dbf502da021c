"""Locks of functions that are being compiled: of several processes one compiles, the others wait and load its code.

The lock is the operating system's own (`filelock`): it ends with its process, however that ends. It saves work and
guards nothing, for a file of code is written at once, and two processes that compile one function do no harm. So where
there is no lock, as in a folder that cannot be written or on a file system without locks, each compiles for itself.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from kozyr.envs.compile.cache_dirs import make

_OURS = 0o600
_POLL = 0.02  # seconds
_held = set[Path]()  # by this process


class CompileLock:
    """The lock of one function for arguments of certain types; its file is removed when it is released.

    Args:
        path: the file that the machine code is kept in.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._lock: Any = None

    def acquire(self, patience: float) -> bool:
        """Take the lock, and return False if another process has it for so many seconds more."""
        from filelock import FileLock, Timeout, has_fcntl  # here, for nothing is locked when all is in the cache

        if self._path in _held or not (has_fcntl or sys.platform == "win32"):  # else filelock would only mark files
            return True
        lock = FileLock(self._path, patience, _OURS, poll_interval=_POLL, fallback_to_soft=False)
        try:
            make(self._path.parent)
            lock.acquire()
        except Timeout:
            return False
        except OSError:
            return True
        self._lock = lock
        _held.add(self._path)
        return True

    def release(self) -> None:
        """Let the next process have the lock, if this one has it."""
        if self._lock is None:
            return
        with suppress(OSError):  # Windows keeps files that are open, and filelock removes them there
            self._path.unlink()
        with suppress(OSError):
            self._lock.release()
        self._lock = None
        _held.discard(self._path)
