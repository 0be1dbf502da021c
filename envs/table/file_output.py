"""Files that are written: whole or not at all, and with an error that names the file."""

import os
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_PART = ".part"  # in the name of a file that is being written


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file, or leave the one that was there as it was; a text is UTF-8.

    Raises:
        OSError: naming the file, if it cannot be written.
    """
    with replacement(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacement(path: str | Path) -> Generator[Path]:
    """Give a name to write to, with the same ending; what is there after the block replaces the file.

    If the block fails, the file is what it was and nothing is left beside it. A link goes on pointing to its file,
    and what is no file, as /dev/stdout, is written to as it is.

    Raises:
        OSError: of the block or of the change of names, naming `path`.
    """
    with _error_for(path):
        old = _mode(Path(path))
        if old is not None and not stat.S_ISREG(old):
            yield Path(path)
            return
        place = Path(path).resolve()
        name = f"{place.stem}.{os.getpid()}{_PART}{place.suffix}"  # of two processes each writes its own
        part = place.with_name(name)
        try:
            yield part
            if old is not None:
                shutil.copymode(place, part)
            part.replace(place)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def append(path: str | Path, content: str | bytes) -> None:
    """Add to the end of a file, which is made if there is none, all of it or nothing; a text is UTF-8.

    Raises:
        OSError: naming the file, if it cannot be written.
    """
    data = memoryview(content.encode() if isinstance(content, str) else content)
    with _error_for(path), Path(path).open("ab", buffering=0) as file:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        size = file.seek(0, os.SEEK_END) if regular else 0
        try:
            while data:
                data = data[file.write(data) :]
        except BaseException:
            if regular:
                file.truncate(size)
            raise


def _mode(place: Path) -> int | None:
    """Return the mode of a file, or None if there is none."""
    try:
        return place.stat().st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _error_for(path: str | Path) -> Generator[None]:
    """Let an error of the operating system name a file as it was given, and no other."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename == str(path):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
