"""File locks: one process at a time writes to a file or folder, and the lock ends with the process.

The lock is the system's own (`filelock`): it ends with its process, however that ends. On a network file system it
keeps away what the system's `flock` does: on Linux other machines too, over NFS and SMB. Where there is no such
lock, filelock marks files instead, and a mark may outlive a machine that has crashed.
"""

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import cast

_NAME = ".lock"
_FIRST, _ROOM = 1, 200  # bytes of a note; on Windows nobody else may read what is locked, which is the byte before
_LONGEST = 100  # characters of the name of a machine


@contextmanager
def locked(
    path: Path, what: str, instead: str = "wait until it is done, end it, or choose another name"
) -> Generator[None]:
    """Keep other processes, and whoever else asks in this one, away from a folder or a file while the block runs.

    Args:
        path: a folder that is there, or a file, which need not be.
        what: it holds, for the error, as "run"; instead: what who comes too late may do.

    Raises:
        ValueError: naming the process that has it.
        OSError: where no lock can be made, as in a folder that may not be written to.
    """
    from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

    file = path / _NAME if path.is_dir() else path.with_name(f".{path.name}{_NAME}")
    lock = cast(BaseFileLock, FileLock(file, thread_local=False))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ValueError(f"{_holder(file)} is at work on the {what} in {path}: {instead}") from None
    mine = file.stat()
    try:
        if not isinstance(lock, SoftFileLock):  # whose file says the like by itself
            _sign(file)
        yield
    finally:
        with suppress(OSError):  # Windows keeps files that are open
            if os.path.samestat(file.stat(), mine):
                file.unlink()
        lock.release()


def _sign(file: Path) -> None:
    """Write down who has a lock."""
    now = datetime.now().astimezone().isoformat(" ", "seconds")
    note = "\n".join([str(os.getpid()), _machine(), now, ""])
    with suppress(OSError), file.open("r+b", buffering=0) as lock:
        lock.seek(_FIRST)
        lock.write(note.encode().ljust(_ROOM))


def _holder(file: Path) -> str:
    """Return the holder of a lock, as far as its file names one."""
    try:
        with file.open("rb", buffering=0) as lock:
            lock.seek(_FIRST)
            note = lock.read(_ROOM).decode().split("\n")
    except (OSError, UnicodeDecodeError):
        return "another process"
    if len(note) != 4 or not note[0].isdecimal() or not all(line.isprintable() for line in note):
        return "another process"
    mine = note[:2] == [str(os.getpid()), _machine()]
    return f"{'this process,' if mine else 'process'} {note[0]} on {note[1]}, since {note[2]},"


def _machine() -> str:
    return socket.gethostname()[:_LONGEST]
