"""Rows of the store measured anew, by their own commands, one after the other."""

import hashlib
import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from kozyr.training.run import report

from . import reading, store, text
from .store import PROGRAMS, Row, StoreError

ROOT = Path(__file__).parents[2]
_SOURCES = ("envs", "agents", "training", "tests/benchmarks")  # a change there makes a measurement an old one
_PACKAGES = ("python", "kozyr", "numpy", "numba")  # the versions that matter; a benchmark adds its peers
NO_WIDTH = "the interval had no width, so it is left out"
_LAST_LINES = 5  # of a failed command


def chosen(rows: dict[str, Row], names: Iterable[str]) -> list[Row]:
    """Return the rows that are meant by ids, their beginnings or parts between slashes, also with * and ?.

    Raises:
        StoreError: for a name that means no row.
    """
    found = dict[str, Row]()
    for name in names:
        part = [row for row in rows.values() if fnmatchcase(f"/{row.id}/", f"*/{name.strip('/')}/*")]
        if not part:
            raise StoreError(f"{name!r} is no row of docs/results; `--list` shows them all")
        found |= {row.id: row for row in part}
    return list(found.values())


def with_siblings(rows: Iterable[Row], everything: dict[str, Row]) -> list[Row]:
    """Return rows with all others that the same commands measure, so that these stay of one run."""
    commands = {row.command for row in rows if row.read is not None}
    more = (row for row in everything.values() if row.read is not None and row.command in commands)
    return list({row.id: row for row in (*rows, *more)}.values())


def groups(rows: Iterable[Row], again: bool, sources: str, today: date) -> dict[str, list[Row]]:
    """Return the rows that can be measured by their commands, without commands whose rows are all of today."""
    found = dict[str, list[Row]]()
    for row in rows:
        if row.command is not None and row.read is not None:
            found.setdefault(row.command, []).append(row)
    old = {name for name, part in found.items() if any((one.date, one.sources) != (today, sources) for one in part)}
    return {name: part for name, part in found.items() if again or name in old}


def measure(
    rows: list[Row], again: bool = False, say: Callable[[str], None] = print, folder: Path = store.FOLDER
) -> int:
    """Measure rows and store each command's as it ends; return how many commands failed.

    An interrupted call loses the command that runs; the same call later goes on there.
    """
    sources, today = fingerprint(), datetime.now(UTC).date()
    rows = with_siblings(rows, store.read(folder))
    by_command, failed = groups(rows, again, sources, today), 0
    manual = sum(row.read is None for row in rows)
    done = len(rows) - manual - sum(map(len, by_command.values()))
    say(f"{len(by_command)} commands; {done} rows are of today, {manual} cannot be measured by a command")
    for number, (command, old) in enumerate(by_command.items(), 1):
        say(f"[{number}/{len(by_command)}] {command}")
        begun = time.monotonic()
        try:
            found = renewed(old, run(command), sources)
        except StoreError as wrong:
            say(f"    failed, so its rows are kept: {wrong}")
            failed += 1
            continue
        store.write(found, folder)
        for row, new in zip(old, found, strict=True):
            say(f"    {row.id}: {text.full(row)} → {text.full(new)}")
        say(f"    {time.monotonic() - begun:.0f} s")
    return failed


def renewed(rows: list[Row], document: Any, sources: str) -> list[Row]:
    """Return the rows of a command with what it says now, all of them of one run.

    Raises:
        StoreError: where the document lacks one of the numbers: then none is taken, as ratios need both sides.
    """
    now, versions = datetime.now(UTC), report.versions()
    run_name = f"{now:%Y-%m-%d %H:%M}"
    return [
        _renewed(
            msgspec.structs.replace(
                row,
                date=now.date(),
                processor=str(report.machine()["processor"]),
                versions={name: versions[name] for name in _PACKAGES},
                run=run_name if (row.command or "").startswith("python ") else None,
                sources=sources,
            ),
            reading.read(document, row.read or ""),
        )
        for row in rows
    ]


def _renewed(row: Row, found: reading.Reading) -> Row:
    """Return a row with a new number, in the row's unit."""
    times = text.scale(found.unit) / text.scale(row.unit)
    low, high, method, note = found.low, found.high, found.method, None
    if low is not None and low == high:
        low = high = method = None
        note = NO_WIDTH
    return msgspec.structs.replace(
        row,
        value=found.value * times,
        low=None if low is None else low * times,
        high=None if high is None else high * times,
        method=method,
        deals=found.deals or row.deals,
        versions=row.versions | found.libraries,
        note=note,
    )


def run(command: str) -> Any:
    """Run a row's command and return its JSON document; what it says on stderr is shown.

    Raises:
        StoreError: for a program that is not allowed, a command that fails, and output that is not JSON.
    """
    words = shlex.split(command)
    if not any(words[: len(program)] == program for program in PROGRAMS):
        raise StoreError(f"a command begins with {' or '.join(map(shlex.join, PROGRAMS))}, not as {command!r}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        python = [sys.executable, *words[1:], "--json", str(file)]
        kozyr = [sys.executable, "-m", "kozyr.training.cli", *words[1:], "--json"]
        done = subprocess.run(
            kozyr if words[0] == "kozyr" else python, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        if done.returncode:
            last = "\n".join(done.stdout.splitlines()[-_LAST_LINES:])
            raise StoreError(f"it ended with {done.returncode}. {last}")
        try:
            return json.loads(done.stdout if words[0] == "kozyr" else file.read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as wrong:
            raise StoreError(f"its output is no JSON: {wrong}") from None


def fingerprint(root: Path = ROOT) -> str:
    """Return a short hash of the sources that a measurement depends on."""
    found = hashlib.sha256()
    for path in sorted(path for top in _SOURCES for path in (root / top).rglob("*.*") if path.is_file()):
        if "__pycache__" not in path.parts:
            found.update(path.read_bytes())
    return found.hexdigest()[:12]
