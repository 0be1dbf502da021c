"""A folder of bots as players: Python files, programs and trained policies, each with a name of its own."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from kozyr.agents.engines import host
from kozyr.agents.name import CONDENSED, ONNX

_UNITS = {"KB": 1, "MB": 1 << 10, "GB": 1 << 20}  # kibibytes


def players(folder: Path, memory: str = "2GB") -> dict[str, str]:
    """Return the agents in a folder by the name of their files.

    A file.py is run by this Python in a process of its own, see `kozyr.agents.engines.host`; so is a program, a file
    that may be executed, which speaks the protocol of `process:`. A trained policy is a file.onnx or file.npz. Other
    files, and those whose names begin with a dot or an underscore, are left alone.

    Args:
        folder: where they are.
        memory: that each program may have, as "500MB" or "2GB": its address space on Linux.

    Raises:
        ValueError: if there is no such folder, there are fewer than two bots in it, or memory is none.
    """
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    most, found = kibibytes(memory), dict[str, str]()
    for path in sorted(folder.iterdir()):
        source = None if path.name[0] in "._" or not path.is_file() else _source(path, most)
        if source is not None:
            found[path.stem if path.stem not in found else path.name] = source
    if len(found) < 2:
        raise ValueError(
            f"{folder} has {len(found)} bots, and it takes two: put files.py with a class Bot there, or programs "
            "(chmod +x)"
        )
    return found


def kibibytes(memory: str) -> int:
    """Return an amount such as "500MB" in KiB, or raise ValueError."""
    number, unit = memory[:-2], memory[-2:].upper()
    if unit not in _UNITS or not (number.isascii() and number.isdecimal()) or not 0 < int(number) < 10**6:
        raise ValueError(f"memory={memory!r} is not allowed: write it as 500MB or 2GB")
    return int(number) * _UNITS[unit]


def _source(path: Path, most: int) -> str | None:
    """Return the name of the agent in a file, or None."""
    if path.suffix in (ONNX, CONDENSED):
        return str(path)
    if path.suffix == ".py":
        return _confined([sys.executable, "-P", str(Path(host.__file__)), str(path.resolve())], most)
    return _confined([str(path.resolve())], most) if os.access(path, os.X_OK) else None


def _confined(words: list[str], most: int) -> str:
    """Return the name of a program that may have so many KiB of memory, where there is a shell that can say so."""
    if shutil.which("sh"):
        words = ["sh", "-c", 'ulimit -v "$0" 2>/dev/null; exec "$@"', str(most), *words]
    return f"process:{shlex.join(words)}"
