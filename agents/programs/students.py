"""A folder of bots as players: Python files, programs and trained policies, each with a name of its own."""

import hashlib
import os
import shlex
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kozyr.agents.agent_names import CONDENSED, ONNX
from kozyr.agents.loading import load
from kozyr.agents.nets.policy import require_own_code
from kozyr.agents.programs import bot_runner, confinement
from kozyr.envs.core.quote import quote

_UNITS = {"KB": 1, "MB": 1 << 10, "GB": 1 << 20}  # kibibytes
_LEAST = 50 << 10  # kibibytes that a program needs to start
_LONGEST = 64  # characters of a bot's name
_MOST_WORK = 10**9  # steps of a policy for an answer: some tenths of a second
_BEGINNINGS = (b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")  # of programs
_IN_FOLDER = ("bot.py", "bot")  # a bot that is a folder


class Student(NamedTuple):
    """A bot of a folder.

    Attributes:
        source: the name of the agent; mark: tells that the file or its limit is another than before.
    """

    source: str
    mark: str


class Entries(NamedTuple):
    """The contents of a folder of bots.

    Attributes:
        players: the bots by name; damaged: entries that cannot play, by name, and why in a sentence.
    """

    players: dict[str, Student]
    damaged: dict[str, str]


class _DamagedError(Exception):
    """An entry cannot play; the message is a sentence about it."""


def players(folder: Path, memory: str = "2GB", confine: str = "auto") -> dict[str, Student]:
    """Return the agents in a folder by the name of their files, as `entries` does, without damaged ones."""
    return entries(folder, memory, confine).players


def entries(
    folder: Path, memory: str = "2GB", confine: str = "auto", game: str | None = None, **variant: Any
) -> Entries:
    """Return the agents in a folder by the name of their files.

    A file.py is run by this Python in a process of its own, see `kozyr.agents.programs.bot_runner`; so is a program,
    a file that may be executed, which speaks the protocol of `process:`. A folder is a bot with what it needs: its
    bot.py or its program `bot` is run. A trained policy is a file.onnx or file.npz; as it is in no cell, onnxruntime
    is given none, and a network that computes for long is damaged. Other files, and names that begin with a dot or an
    underscore, are left alone.

    Args:
        folder: of the bots.
        memory: of each program, as "500MB" or "2GB": its address space on Linux.
        confine: one of `confinement.MODES`.
        game: policies that do not play it are damaged; None: policies are not looked into. variant: its options.

    Raises:
        ValueError: if there is no such folder, there are fewer than two bots in it, or memory is none.
    """
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    most, bots, damaged = kibibytes(memory), dict[str, Student](), dict[str, str]()
    for path in sorted(folder.iterdir()):
        if path.name[0] in "._":
            continue
        try:
            source = _source(path, most, confine)
            if source is None:
                continue
            if game is not None and path.suffix in (ONNX, CONDENSED):
                _require_policy(path, game, variant)
            mark = f"#{_digest(path)[:12]} {memory.upper()}"
        except (_DamagedError, OSError) as error:
            why = str(error) if isinstance(error, _DamagedError) else f"it cannot be read: {error.strerror or error}"
            damaged[_title(path)] = why
        else:
            name = path.name if path.is_dir() or path.stem in bots else path.stem
            bots[name] = Student(source, mark)
    if len(bots) < 2:
        reasons = "".join(f"; {name}: {why}" for name, why in damaged.items())
        raise ValueError(
            f"{folder} has {len(bots)} bots, and it takes two: put files.py with a class Bot there, or programs "
            f"(chmod +x){reasons}"
        )
    return Entries(bots, {name if name not in bots else f"{name} (damaged)": why for name, why in damaged.items()})


def kibibytes(memory: str) -> int:
    """Return an amount such as "500MB" in KiB, or raise ValueError."""
    number, unit = memory[:-2], memory[-2:].upper()
    if unit not in _UNITS or not (number.isascii() and number.isdecimal()) or not 0 < int(number) < 10**6:
        raise ValueError(f"memory={quote(memory)} is not allowed: write it as 500MB or 2GB")
    amount = int(number) * _UNITS[unit]
    if amount < _LEAST:
        raise ValueError(f"memory={quote(memory)} is not allowed: no program starts with less than {_LEAST >> 10}MB")
    return amount


def _source(path: Path, most: int, confine: str) -> str | None:
    """Return the name of the agent in a file or folder, or None."""
    if not path.exists():
        raise _DamagedError("it is a link to a file that is not there")
    if not (path.is_dir() or path.suffix in (".py", ONNX, CONDENSED) or (path.is_file() and _is_program(path))):
        return None
    _require_name(path.name)
    if path.suffix in (ONNX, CONDENSED):
        return str(_require_file(path))
    entry = path.resolve()
    main = _require_file(_main(entry) if entry.is_dir() else entry)
    host = [sys.executable, "-P", str(Path(bot_runner.__file__))] if main.suffix == ".py" else []
    return f"process:{shlex.join(confinement.in_cell([*host, str(main)], confine, most, entry))}"


def _main(folder: Path) -> Path:
    """Return the file of a folder that is run."""
    for path in (folder / name for name in _IN_FOLDER):
        if path.is_file() and (path.suffix == ".py" or _is_program(path)):
            return path
    raise _DamagedError("it is a folder without a bot: put bot.py there, or a program called bot (chmod +x)")


def _require_file(path: Path) -> Path:
    """Return the path of a file that can be read."""
    if not path.is_file():
        raise _DamagedError("it is no file")
    with path.open("rb"):
        return path


def _require_name(name: str) -> None:
    """Refuse names that cannot be shown, and those that agents' names read as a time."""
    if not name.isprintable():
        raise _DamagedError("its name has characters that cannot be shown: call it in letters and digits")
    if len(name) > _LONGEST:
        raise _DamagedError(f"its name has {len(name)} characters: use {_LONGEST} at most")
    if name.rpartition("@")[2].endswith("ms"):
        raise _DamagedError("its name ends with @ and a time, which mean a limit in an agent's name: call it otherwise")


def _title(path: Path) -> str:
    """Return the name of a file or folder in characters that can be shown, cut to a length."""
    text = path.name if path.name.isprintable() else ascii(path.name)[1:-1]
    return (text if len(text) <= _LONGEST else text[:_LONGEST] + "…") + ("/" if path.is_dir() else "")


def _require_policy(path: Path, game: str, variant: dict[str, Any]) -> None:
    """Refuse a policy that does not load, needs native code of others, or does not play the game."""
    try:
        if path.suffix == ONNX:
            require_own_code(path, _MOST_WORK)
        load(str(path), game, **variant)
    except (ImportError, MemoryError):  # it is not the policy's fault
        raise
    except Exception as error:  # whatever a library makes of a broken file
        words = str(error).replace(str(path), path.name).splitlines() or [type(error).__name__]
        raise _DamagedError(f"it is no policy for this game: {words[0]}") from None


def _is_program(path: Path) -> bool:
    """Return True if a file may be executed and begins as programs do: some systems let all files be executed."""
    if not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4).startswith(_BEGINNINGS)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of a folder."""
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    total = hashlib.sha256()
    for one in _files(path):
        total.update(f"{os.fspath(one.relative_to(path))}\0{_digest(one)}\n".encode(errors="surrogateescape"))
    return total.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of its folders; links, and what Python has compiled, are left out."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        paths = (Path(where, name) for name in sorted(names))
        yield from (one for one in paths if stat.S_ISREG(one.lstat().st_mode))
