"""Disks that are full at any byte: a limit on the size of files, and a small file system of its own."""

import random
import resource
import subprocess
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.fuzz.faults.commands import (
    COMMANDS,
    invoke,
    require_again,
    require_sentence,
    require_whole,
    words,
)

_PAGE = 4096  # bytes: a file system holds whole ones


@contextmanager
def full(room: int) -> Generator[None]:
    """Let no file of this process become larger than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def disk(number: int, folder: Path) -> int:
    """Run a command twice: on a disk that becomes full at some byte, then on one with room; return 1 for the count.

    Raises:
        Wrong: if the first ends with anything but its result or one line that says why, a file is cut, or the second
            fails where the first has begun.
    """
    rng = random.Random(number)
    command, room = rng.choice(COMMANDS), int(2 ** rng.uniform(0, 17))
    line = words(command, folder)
    with full(room):
        first = invoke(line)
    require_sentence(command[0], first)
    require_whole(command[0], folder, f"with room for {room} bytes a file")
    require_again(command[0], line, first)
    return 1


@cache
def mounts() -> str:
    """Return why no small file system can be made here, or ""."""
    with tempfile.TemporaryDirectory(prefix="kozyr-mount-") as folder:
        try:
            _mount(Path(folder), 1)
            subprocess.run(["umount", "--lazy", folder], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            return f"no file system can be mounted here: {error}"
    return ""


def _mount(folder: Path, pages: int) -> None:
    size = ["-o", f"size={pages * _PAGE},nr_inodes=64"]
    subprocess.run(["mount", "-t", "tmpfs", *size, "tmpfs", str(folder)], check=True, capture_output=True)


@contextmanager
def small_disk(folder: Path, pages: int) -> Generator[Callable[[], None]]:
    """Lay a file system with room for so many pages over a folder; what is given makes it large."""
    _mount(folder, pages)
    try:
        yield lambda: _enlarge(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _enlarge(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=16m,nr_inodes=4096", str(folder)], check=True)


def small(number: int, folder: Path) -> int:
    """Run a command on a file system that is nearly full, then once more after it was given room; return 1.

    Where this process may not mount one, nothing is done, and 0 returned.

    Raises:
        Wrong: as `disk` does.
    """
    if mounts():
        return 0
    rng = random.Random(number)
    command, pages = rng.choice(COMMANDS), int(2 ** rng.uniform(0, 6))
    line = words(command, folder)
    with small_disk(folder, pages) as enlarge:
        first = invoke(line)
        require_sentence(command[0], first)
        require_whole(command[0], folder, f"with room for {pages} pages")
        enlarge()
        require_again(command[0], line, first)
    return 1
