"""Folders and files of compiled code: nobody else may write to them, and each file has a checksum.

Code that is loaded from them is run. So damage is noticed before anything is unpacked, and where the user's own folder
does not serve, a temporary one takes its place until the process ends.
"""

import errno
import os
import shutil
import stat
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from shlex import quote

import platformdirs

_MINE = 0o700
_NOWHERE = Path(os.devnull) / "kozyr"  # no file can be in it
_OPEN = "others may write to it"
_SHARED = "KOZYR_TEMPORARY_CACHE"  # the variable that tells workers of the temporary folder
_LENT = "KOZYR_LENT_CACHE"  # the variable that tells a program in a cell of the folder, which it can only read
_UNKEPT = "unkept"
_warnings = set[str]()  # what this process has warned of
_temporary = set[Path]()
_FORM = b"kozyr compiled 1\n"
_SUM = 32  # bytes
_HEAD = len(_FORM) + _SUM
_OURS = 0o600
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no links, and no waiting for a pipe
_NO_FILE = {errno.EACCES, errno.EISDIR, errno.ELOOP, errno.EMLINK}  # something else lies there


@cache
def folder() -> Path:
    """Return the folder of all compiled games, or a temporary one (with one warning) if it does not serve.

    A program that may write nothing is lent the folder of those who have started it.
    """
    if lent := os.environ.get(_LENT):
        return Path(lent)
    usual = Path(platformdirs.user_cache_dir("kozyr")).absolute()
    try:
        make(usual)
        why = _distrust(usual)
        if not why:
            with tempfile.TemporaryFile(dir=usual):
                return usual
    except OSError as error:
        words = f"kozyr cannot write its cache of compiled games, {usual} ({error.strerror})"
        return _instead(words, "Set XDG_CACHE_HOME to a writable folder to compile only once.")
    return _refused(usual, why)


@cache
def inside(home: str) -> Path:
    """Return the folder of a game, or of shared code: in the temporary one if others may write to it."""
    path = folder() / home
    why = ""
    with suppress(OSError):  # it does not exist yet
        why = _distrust(path)
    return _refused(path, why) / home if why else path


def make(path: Path) -> None:
    """Make a folder that nobody else may enter, and those that it lies in, where they are missing.

    Raises:
        OSError: if it cannot be made; a temporary folder is not made again once its process has removed it.
    """
    if path.is_dir():
        return
    if path in _temporary:
        raise FileNotFoundError(2, "the process that made it has removed it", str(path))
    make(path.parent)
    with suppress(FileExistsError):
        path.mkdir(_MINE)
        path.chmod(_MINE)  # whatever the umask


def distrust(status: os.stat_result) -> str:
    """Return why others may have written to a file or a folder, or nothing."""
    if not hasattr(os, "geteuid"):  # Windows, where a user's folders are his own
        return ""
    if status.st_uid != os.geteuid():
        return f"it belongs to another user (uid {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not stat.S_ISLNK(status.st_mode):
        return f"{_OPEN} (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def _distrust(path: Path) -> str:
    """Return why others may have written to a folder, or have put a link to another one there."""
    return distrust(path.lstat()) or distrust(path.stat())


def _refused(path: Path, why: str) -> Path:
    mend = f"Run `chmod go-w {quote(str(path))}`, or set" if why.startswith(_OPEN) else "Set"
    words = f"kozyr loads no compiled games from {path}, because {why}"
    return _instead(words, f"{mend} XDG_CACHE_HOME to a folder of your own to compile only once.")


def _instead(words: str, advice: str) -> Path:
    """Return the temporary folder, and say why."""
    spare, inherited = _spare()
    does = "keeps no compiled code" if spare == _NOWHERE else f"compiles into {spare}, which it removes at its end"
    if not inherited:
        warn(words, f"{words}; this process {does}. {advice}")
    return spare


@cache
def _spare() -> tuple[Path, bool]:
    """Return a temporary folder, and whether the process that started this one has made it, and will remove it."""
    inherited = Path(os.environ.get(_SHARED) or _NOWHERE)
    with suppress(OSError):
        if inherited.is_dir() and not _distrust(inherited):
            _temporary.add(inherited)
            return inherited, True
    try:
        path = Path(tempfile.mkdtemp(prefix="kozyr-"))
        path.chmod(_MINE)
    except OSError:
        _warnings.add(_UNKEPT)
        return _NOWHERE, False
    os.environ[_SHARED] = str(path)
    _temporary.add(path)
    from multiprocessing.util import Finalize

    # also where `atexit` is not asked, but never in a process that is forked from this one; last, after its workers
    Finalize(None, shutil.rmtree, (path,), {"ignore_errors": True}, exitpriority=-1)
    return path, False


def warn(once: str, words: str) -> None:
    """Warn of something, in each process once."""
    if once not in _warnings:
        _warnings.add(once)
        warnings.warn(words, RuntimeWarning, stacklevel=2)


def unkept(path: Path, error: OSError) -> None:
    """Warn that compiled code cannot be kept in a folder."""
    warn(
        _UNKEPT,
        f"kozyr cannot keep compiled code in {path} ({error.strerror}); the program goes on, and the next one "
        "compiles again. Make room there, or set XDG_CACHE_HOME to a folder that can be written.",
    )


class Damaged(Exception):  # noqa: N818 - it is met, and mended
    """A file that `write` has not written, or that others may have written since."""


def read(path: Path) -> memoryview:
    """Return the contents of a file that `write` wrote.

    Raises:
        Damaged: if the file holds anything else, or others may write to it.
        OSError: if there is none, or it cannot be read now.
    """
    try:
        with open(path, "rb", opener=_careful) as file:
            status = os.fstat(file.fileno())
            why = distrust(status) if stat.S_ISREG(status.st_mode) else "it is no file"
            data = b"" if why else file.read()
    except OSError as error:
        if error.errno in _NO_FILE:
            raise Damaged(error.strerror) from None
        raise
    contents = memoryview(data)[_HEAD:]
    if why or data[:_HEAD] != _FORM + _checksum(path, contents):
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
