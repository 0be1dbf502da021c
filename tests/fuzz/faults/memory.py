"""Memory that ends: a command may have little more than what is taken when it begins."""

import json
import os
import random
import resource
import signal
import sys
import threading
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import typer.main
import typer.testing

from kozyr.training.cli import app
from tests.fuzz.errors import require
from tests.fuzz.faults.commands import (
    COMMANDS,
    invoke,
    last_line,
    require_again,
    require_sentence,
    require_whole,
    words,
)

_PAGE = resource.getpagesize()
_LEAST, _MOST = 19, 26  # bits of the bytes left; with less, libraries in Rust end the process
_LONGEST = 60.0  # seconds for a command


def memory(number: int, folder: Path) -> int:
    """Run a command twice: with little memory, in a process of its own, then with enough; return 1 for the count.

    Its code is loaded before. Who has no memory left for a sentence may be ended by the system.

    Raises:
        Wrong: if the first ends with anything but its result or one line that says why, a file is cut, what was there
            has changed, or the second fails.
    """
    rng = random.Random(number)
    command = rng.choice(COMMANDS)
    room = int(2 ** rng.uniform(_LEAST, _MOST))
    _load(COMMANDS.index(command))
    before = folder / "before"
    before.write_text("kept")
    line = words(command, folder)
    told = _told(line, room)
    first = _Ended(told)
    require_sentence(f"{command[0]} with {room:,} bytes more", first)
    said = last_line(first)
    require(first.exit_code == 0 or "memory" in said, f"{command[0]} without memory says {said!r}")
    require(before.read_text() == "kept", f"{command[0]} has changed what was there")
    before.unlink()
    require_whole(command[0], folder, f"with {room:,} bytes more")
    require_again(command[0], line, first)
    return 1


class _Ended:
    """How a command has ended in the other process, as `invoke` tells it."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.exit_code, self.output = told["code"], told["said"]
        self.exception = SystemExit(self.exit_code) if told["raised"] is None else MemoryError(told["raised"])


@cache
def _load(number: int) -> None:
    """Run a command once, so that all its code is loaded."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kozyr-memory-") as folder:
        invoke(words(COMMANDS[number], Path(folder)))


def _told(line: list[str], room: int) -> dict[str, Any]:
    """Return what a command says and how it ends in a copy of this process that has so many bytes more."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _report(line, room, writing)
    os.close(writing)
    alarm = threading.Timer(_LONGEST, os.kill, (child, signal.SIGABRT))
    alarm.start()
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    alarm.cancel()
    _, status = os.waitpid(child, 0)
    require(os.WIFEXITED(status), f"{line[0]} with {room:,} bytes more is ended by signal {os.WTERMSIG(status)}")
    require(data, f"{line[0]} with {room:,} bytes more ends without a word")
    return json.loads(data)


def _report(line: list[str], room: int, pipe: int) -> None:
    """Run a command with so many bytes more, say how it has ended, and end this process."""
    commands = typer.main.get_command(app)
    typer.testing._get_command = lambda app: commands  # pyright: ignore[reportPrivateUsage, reportPrivateImportUsage]
    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
    resource.setrlimit(resource.RLIMIT_AS, (taken, before[1]))
    held = _filled(room)
    try:
        result = invoke(line)
        resource.setrlimit(resource.RLIMIT_AS, before)
        raised = None if isinstance(result.exception, SystemExit | None) else _traced(result.exception)
        told = {"code": result.exit_code, "said": result.output, "raised": raised}
    except BaseException as error:
        resource.setrlimit(resource.RLIMIT_AS, before)
        told = {"code": -1, "said": "", "raised": _traced(error)}
    held.clear()
    os.write(pipe, json.dumps(told).encode()[-60_000:])
    sys.stdout.flush()
    os._exit(0)


def _filled(room: int) -> list[bytes]:
    """Return what takes all memory that is free in this process, but for so many bytes."""
    held = list[bytes]()
    for size in (1 << 20, 1 << 16, 1 << 12, 1 << 9):
        with suppress(MemoryError):
            while True:
                held.append(bytes(size))
    while held and room > 0:
        room -= len(held.pop(0) if room > len(held[0]) else held.pop())
    return held


def _traced(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-3000:]
