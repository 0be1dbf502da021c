"""A store that is opened while its file fails, is held, or is damaged: a sentence, and what is whole is read."""

import random
import shutil
import sqlite3
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from kozyr.agents.play.pages.table_config import deal
from kozyr.agents.play.server.store import Store
from tests.fuzz.errors import require
from tests.fuzz.faults.store import ERRORS
from tests.play.ears import CONFIG

_TABLES, _MOVES, _PAGE = 4, 6, 4096
_HASHES = ["a" * 64, "b" * 64, "c" * 64, "d" * 64]


def restart(number: int, folder: Path) -> int:
    """Open a store whose file is not as it was left; then open it as it was left, and return the number of its moves.

    Raises:
        Wrong: if it fails without a sentence, or a table is read that nobody has kept.
    """
    rng = random.Random(number)
    shutil.copytree(_kept(), folder, dirs_exist_ok=True)
    how = rng.randrange(3)
    if how == 0:
        with mock.patch("sqlite3.connect", _connecting(rng)):
            _read(folder, strict=True)
    elif how == 1:
        file = folder / "tables.sqlite"
        data = bytearray(file.read_bytes())
        at = rng.randrange(len(data) // _PAGE) * _PAGE
        data[at : at + _PAGE] = rng.choice((bytes(_PAGE), rng.randbytes(_PAGE), data[:_PAGE]))
        file.write_bytes(data[: rng.choice((len(data), len(data), at + rng.randrange(_PAGE)))])
        _read(folder, strict=False)
        shutil.copytree(_kept(), folder, dirs_exist_ok=True)
        for beside in folder.glob("tables.sqlite-*"):
            beside.unlink()
    else:
        with sqlite3.connect(folder / "tables.sqlite", isolation_level=None) as other:
            other.execute(rng.choice(("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN")))
            _read(folder, strict=True)
        other.close()
    found = _read(folder, strict=True)
    require(found == _TABLES * _MOVES, f"{found} moves are kept of {_TABLES * _MOVES}")
    return found


@cache
def _kept() -> Path:
    """Return the folder of a store with some tables."""
    folder = Path(tempfile.mkdtemp(prefix="kozyr-kept-"))
    store = Store(folder)
    for name in range(_TABLES):
        number = store.add(str(name), CONFIG, deal(str(name), CONFIG), _HASHES)
        for ply in range(_MOVES):
            store.move(number, ply, 3 * ply, None)
    store.close()
    return folder


def _read(folder: Path, strict: bool) -> int:
    """Open a store and read its tables, or hear a sentence; return the number of moves.

    Args:
        folder: of the store; strict: whether a table that is read must be whole.
    """
    found = 0
    try:
        store = Store(folder)
        try:
            store.finished()
            for name in range(_TABLES):
                table = store.find(str(name))
                if table is not None and strict:
                    require([action for action, _ in table.moves] == [3 * ply for ply in range(_MOVES)], "moves differ")
                found += len(table.moves) if table is not None else 0
        finally:
            with suppress(sqlite3.Error):
                store.close()
    except ValueError as error:
        require("tables" in str(error) and len(str(error)) < 600, f"no sentence: {error}")
    return found


def _connecting(rng: random.Random) -> Any:
    """Return a function that opens a file of which some statements fail, reading and opening too."""
    connect = sqlite3.connect

    class Failing(sqlite3.Connection):
        def execute(self, words: str, *row: Any) -> Any:
            if rng.random() < 0.2 and not words.startswith("ROLLBACK"):
                said, code = rng.choice(ERRORS)
                error = sqlite3.OperationalError(said)
                error.sqlite_errorcode = code
                raise error
            return super().execute(words, *row)

    def opened(*given: Any, **named: Any) -> sqlite3.Connection:
        if rng.random() < 0.1:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return connect(*given, factory=Failing, **named)

    return opened
