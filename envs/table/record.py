"""Records: one game as one JSON line that replays to equal bytes; `kozyr.envs.table.record_format` tells the form."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.table import files
from kozyr.envs.table.record_format import LONGEST, Record, parse, write
from kozyr.envs.table.table import Table

__all__ = ["Record", "located", "read", "read_file", "replay", "states", "tables", "write"]

_CLOSE = 1e-5  # payoffs are written with six digits


def read(line: str | bytes, number: int | None = None, file: str | Path | None = None, verify: bool = True) -> Record:
    """Return the record in a line.

    Args:
        line: the text.
        number: its number, for errors; file: where it comes from, for errors.
        verify: replay the game: every action must be legal, and end and payoffs as the record says.

    Raises:
        ValueError: naming file, line and reason for a line that is damaged or foreign.
    """
    with located(number, file):
        record = parse(line)
        if verify:
            for _ in tables(record):
                pass
    return record


@contextmanager
def located(number: int | None = None, file: str | Path | None = None) -> Generator[None]:
    """Let ValueErrors of the block name the file and the number of the line that is being read."""
    where = ", ".join(part for part in (str(file or ""), "" if number is None else f"line {number}") if part)
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where or 'record'}: {files.cut(str(error))}") from None


def read_file(path: str | Path, verify: bool = True) -> Iterator[Record]:
    """Give the records of a file of JSON lines, one after the other; empty lines are skipped.

    Raises:
        ValueError: as `read`, and for a line that is longer than any record, a folder and a pipe.
        OSError: if the file cannot be read.
    """
    for number, line in enumerate(files.lines(path, LONGEST), 1):
        if line.strip():
            yield read(line, number, path, verify)


def replay(record: Record) -> NDArray[Any]:
    """Return the last state of a recorded game: an array of one.

    Raises:
        ValueError: if the actions, the end or the payoffs are not as the rules have it.
    """
    *_, last = states(record)
    return last


def states(record: Record) -> Iterator[NDArray[Any]]:
    """Give the states of a recorded game from the deal on, each a new array of one.

    Raises:
        ValueError: at the first thing that is not as the rules have it.
    """
    return (table.state() for table in tables(record))


def tables(record: Record) -> Iterator[Table]:
    """Give the table of a recorded game before each action and at the end: the same one, which goes on.

    Raises:
        ValueError: at the first thing that is not as the rules have it.
    """
    table = Table(record.game, record.variant, record.seed, record.starter)
    yield table
    for action in record.actions:
        if table.over:
            raise ValueError(f"the game is over after {table.ply} actions, but {len(record.actions)} are listed")
        table.play(action)
        yield table
    _require_end(record, table)


def _require_end(record: Record, table: Table) -> None:
    """Raise unless the game stands as the record says."""
    plies, in_progress = table.ply, not record.payoffs
    if record.forfeit is not None:
        if table.over:
            raise ValueError(f"player_{record.forfeit} cannot forfeit after {plies} actions: it is over")
        table.forfeit(record.forfeit, record.reason or "")
    elif not table.over and not in_progress:
        raise ValueError(f"the game is not finished: after its {plies} actions player_{table.turn} is to move")
    due = table.payoffs if table.over else []
    if in_progress == table.over or not np.allclose(record.payoffs, due, rtol=0, atol=_CLOSE):
        raise ValueError(f"payoffs {record.payoffs} do not agree with the game, which pays {due}")
    if record.truncated != table.truncated:
        raise ValueError(f"truncated={record.truncated} does not agree with the game")
