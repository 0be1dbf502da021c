"""Confinement of programs: which are started in a cell, and what this system's cells lack.

A cell is made by `kozyr.agents.programs.cell`, which the child process runs. How programs that somebody names are
started is told by the environment's KOZYR_CONFINE, so that processes which play for this one do the same; a cup tells
it for each bot of its folder.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from kozyr.agents.programs import cell
from kozyr.envs.compile import cache_files
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks

MODES = ("auto", "require", "off")
VARIABLE = "KOZYR_CONFINE"
_PATIENCE = 30.0  # seconds for a try
_OFF = MODES[2]
_LAUNCHER = [sys.executable, "-I", "-S", str(Path(cell.__file__).resolve())]


@contextmanager
def using(mode: str) -> Generator[None]:
    """Let this process, and workers that it starts meanwhile, start the programs that somebody names in cells.

    Args:
        mode: "auto" confines as far as the system can, "require" wholly or not at all, and "off" does not.

    Raises:
        ValueError: for another mode.
    """
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = argument_checks.choice("confine", mode, MODES)
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def shortcomings(mode: str) -> str:
    """Return a sentence about what cells of this system do not keep a bot from, or "".

    Raises:
        ValueError: for "require" where there is something, and for another mode.
    """
    argument_checks.choice("confine", mode, MODES)
    missing = [] if mode == _OFF else list(lacking().values())
    if missing and mode == "require":
        raise ValueError(
            f"programs cannot be confined as --confine require asks: {'; '.join(missing)}. Use --confine auto to play "
            "without that, or run the cup in a container or a virtual machine"
        )
    return f"Not all is confined: {'; '.join(missing)}." if missing else ""


@cache
def lacking() -> dict[str, str]:
    """Return the walls that cells of this system lack, by name, in words; a cell is made to find out."""
    words = in_cell([cell.PROBE], "auto")
    scratch = new_scratch(words)
    if scratch is None:
        return {"files": "only Linux can confine a program"}
    try:
        done = subprocess.run(words, capture_output=True, timeout=_PATIENCE, env=environment(scratch), check=True)
        return json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        message = getattr(error, "stderr", b"") or str(error).encode()
        return {"cell": f"no cell can be made here: {message.decode(errors='replace').strip().rpartition(chr(10))[2]}"}
    finally:
        remove(scratch)


def of_named(words: Sequence[str]) -> list[str]:
    """Return the words that start a program which somebody has named."""
    mode = os.environ.get(VARIABLE, _OFF)
    if mode not in MODES:
        raise ValueError(f"{VARIABLE}={quote(mode)} is not allowed: write {', '.join(MODES)}")
    return list(words) if mode == _OFF or _launches(words) else in_cell(words, mode)


def in_cell(words: Sequence[str], mode: str, kibibytes: int = 0, entry: Path | None = None) -> list[str]:
    """Return the words that start a program in a cell, or with mode "off" with its limit of memory alone.

    Args:
        words: the program and its arguments; mode: one of MODES.
        kibibytes: address space of each of its processes, 0 for no limit.
        entry: the file or folder of a bot, which may read no other entries beside it; None: it may read the folders of
            the files among its words.
    """
    if os.name == "nt" or (mode == _OFF and not kibibytes):
        return list(words)
    return [*_LAUNCHER, mode, str(kibibytes), "-" if entry is None else str(entry), *words]


def called(words: Sequence[str]) -> str:
    """Return the name of a program that words start: a bot has that of its file or folder, others their first word."""
    if not _launches(words):
        return words[0]
    _, _, entry, program, *_ = words[len(_LAUNCHER) :]
    return program if entry == "-" else Path(entry).name


def is_bot(words: Sequence[str]) -> bool:
    """Return True if words start a bot of a folder."""
    return _launches(words) and words[len(_LAUNCHER) + 2] != "-"


def _launches(words: Sequence[str]) -> bool:
    return list(words[: len(_LAUNCHER)]) == _LAUNCHER


def new_scratch(words: Sequence[str]) -> Path | None:
    """Return a new folder for a program that words start in a cell, or None if they do not."""
    walled = _launches(words) and words[len(_LAUNCHER)] != _OFF
    return Path(os.path.realpath(tempfile.mkdtemp(prefix="kozyr-cell-"))) if walled else None


def environment(scratch: Path | None) -> dict[str, str] | None:
    """Return the environment in which words start a program; None: as ours."""
    return None if scratch is None else os.environ | {cell.SCRATCH: str(scratch), cell.CACHE: str(cache_files.folder())}


def remove(scratch: Path | None) -> None:
    """Remove the folder of a program that has ended; what it does not let us remove is left."""
    if scratch is None:
        return
    for where, folders, _ in os.walk(scratch):
        for one in (Path(where, name) for name in folders):
            with suppress(OSError):
                if not one.is_symlink():
                    one.chmod(0o700)
    shutil.rmtree(scratch, ignore_errors=True)
