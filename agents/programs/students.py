"""A folder of bots as players: Python files, programs and trained policies, each with a name of its own."""

import hashlib
import os
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from kozyr.agents.agent_names import CONDENSED, ONNX
from kozyr.agents.programs import bot_runner, confinement

_UNITS = {"KB": 1, "MB": 1 << 10, "GB": 1 << 20}  # kibibytes
_LEAST = 50 << 10  # kibibytes that a program needs to start
_BEGINNINGS = (b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")  # of programs


class Student(NamedTuple):
    """A bot of a folder.

    Attributes:
        source: the name of the agent; mark: tells that the file or its limit is another than before.
    """

    source: str
    mark: str


def players(folder: Path, memory: str = "2GB", confine: str = "auto") -> dict[str, Student]:
    """Return the agents in a folder by the name of their files.

    A file.py is run by this Python in a process of its own, see `kozyr.agents.programs.bot_runner`; so is a program,
    a file that may be executed, which speaks the protocol of `process:`. A trained policy is a file.onnx or file.npz.
    Other files, and those whose names begin with a dot or an underscore, are left alone.

    Args:
        folder: of the bots.
        memory: of each program, as "500MB" or "2GB": its address space on Linux.
        confine: one of `confinement.MODES`.

    Raises:
        ValueError: if there is no such folder, there are fewer than two bots in it, or memory is none.
    """
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    most, bots = kibibytes(memory), dict[str, Student]()
    for path in sorted(folder.iterdir()):
        source = None if path.name[0] in "._" or not path.is_file() else _source(path, most, confine)
        if source is not None:
            mark = f"#{hashlib.sha256(path.read_bytes()).hexdigest()[:12]} {memory.upper()}"
            bots[path.stem if path.stem not in bots else path.name] = Student(source, mark)
    if len(bots) < 2:
        raise ValueError(
            f"{folder} has {len(bots)} bots, and it takes two: put files.py with a class Bot there, or programs "
            "(chmod +x)"
        )
    return bots


def kibibytes(memory: str) -> int:
    """Return an amount such as "500MB" in KiB, or raise ValueError."""
    number, unit = memory[:-2], memory[-2:].upper()
    if unit not in _UNITS or not (number.isascii() and number.isdecimal()) or not 0 < int(number) < 10**6:
        raise ValueError(f"memory={memory!r} is not allowed: write it as 500MB or 2GB")
    amount = int(number) * _UNITS[unit]
    if amount < _LEAST:
        raise ValueError(f"memory={memory!r} is not allowed: no program starts with less than {_LEAST >> 10}MB")
    return amount


def _source(path: Path, most: int, confine: str) -> str | None:
    """Return the name of the agent in a file, or None."""
    if path.suffix in (ONNX, CONDENSED):
        return str(path)
    path = path.resolve()
    if path.suffix == ".py":
        return _confined([sys.executable, "-P", str(Path(bot_runner.__file__)), str(path)], most, confine, path)
    return _confined([str(path)], most, confine, path) if _is_program(path) else None


def _is_program(path: Path) -> bool:
    """Return True if a file may be executed and begins as programs do: some systems let all files be executed."""
    if not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4).startswith(_BEGINNINGS)


def _confined(words: list[str], most: int, confine: str, entry: Path) -> str:
    """Return the name of a program that may have so many KiB of memory, in a cell of its own."""
    if words[-1].rpartition("@")[2].endswith("ms"):
        raise ValueError(f"{words[-1]} is not allowed: @ and a time at the end of a bot's name mean something else")
    return f"process:{shlex.join(confinement.in_cell(words, confine, most, entry))}"
