"""Files of compiled code, each with a checksum: damage is noticed before anything is unpacked or run."""

import errno
import os
import stat
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from kozyr.envs.compile.cache_dirs import distrust, make

_FORM = b"kozyr compiled 1\n"
_SUM = 32  # bytes
_HEAD = len(_FORM) + _SUM
_OURS = 0o600
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no links, and no waiting for a pipe
_NO_FILE = {errno.EACCES, errno.EISDIR, errno.ELOOP, errno.EMLINK}  # something else lies there


class Damaged(Exception):  # noqa: N818 - it is met, and mended
    """A file that `write` has not written, or that others may have written since."""


def read(path: Path) -> memoryview:
    """Return what was written to a file.

    Raises:
        Damaged: if the file holds anything else, or others may write to it.
        OSError: if there is none, or it cannot be read now.
    """
    try:
        with open(path, "rb", opener=_careful) as file:
            found = os.fstat(file.fileno())
            why = distrust(found) if stat.S_ISREG(found.st_mode) else "it is no file"
            held = b"" if why else file.read()
    except OSError as error:
        if error.errno in _NO_FILE:
            raise Damaged(error.strerror) from None
        raise
    contents = memoryview(held)[_HEAD:]
    if why or held[:_HEAD] != _FORM + _checksum(path, contents):
        raise Damaged(why or "its checksum is wrong")
    return contents


def _careful(path: str, flags: int) -> int:
    return os.open(path, flags | _CAREFUL)


def _checksum(path: Path, contents: bytes | memoryview) -> bytes:
    """Return the checksum of a file, which is another one under another name."""
    summed = blake2b(path.name.encode(), digest_size=_SUM)
    summed.update(contents)
    return summed.digest()


def write(path: Path, contents: bytes) -> None:
    """Write a file at once, so that no process ever reads half of it.

    Raises:
        OSError: if it cannot be written.
    """
    make(path.parent)
    handle, name = tempfile.mkstemp(".tmp", f"{path.name}.", path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_FORM + _checksum(path, contents))
            file.write(contents)
        temporary.chmod(_OURS)  # whatever the umask
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
