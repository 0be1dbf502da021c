"""Store of tables: one SQLite file with one writer, so that a server that is killed loses no confirmed move.

Moves gather until `flush` writes all of them in one transaction; messages about them are sent only after that. The log
is not synced to the disk at each (synchronous=NORMAL): the system still has all that a killed process had written. A
loss of power may cost the last seconds, and leaves a sound file.
"""

import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.envs.table import files
from kozyr.envs.table.lock import locked
from kozyr.envs.table.record_format import LONGEST

VERSION = 1  # of the layout below
_IN_MEMORY = ":memory:"
_EVERY = 5.0  # seconds between two checkpoints
_BLOCKING = 0.02  # seconds that a write may wait for another program, as nobody plays meanwhile
PATIENCE = 5.0  # seconds in which the program has to be done
_CODE = 0xFF  # bits of SQLite's extended codes that hold the error
_OUTSIDE = {  # errors of what lies below a file that may be sound
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_TABLE = "SELECT number, setup, deal, tokens, helped, record FROM tables LEFT JOIN ends USING(number)"
_LAYOUT = """
CREATE TABLE tables(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, setup BLOB NOT NULL, deal TEXT NOT NULL,
  tokens BLOB NOT NULL, made REAL NOT NULL, helped INTEGER NOT NULL DEFAULT 0);
CREATE TABLE moves(
  number INTEGER NOT NULL, ply INTEGER NOT NULL, action INTEGER NOT NULL, left BLOB,
  PRIMARY KEY(number, ply)) WITHOUT ROWID;
CREATE TABLE ends(
  number INTEGER PRIMARY KEY, at REAL NOT NULL, record TEXT NOT NULL, payoffs BLOB NOT NULL);
"""


Whole = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Seconds = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
Payoffs = list[Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]]
Bit = Literal[0, 1]


class BusyError(ValueError):
    """Another program holds the file of the tables at the moment."""


class StoredTable(NamedTuple):
    """A table of the store.

    Attributes:
        number: its key; config: its game, seats and clock; deal: the record before the first move.
        tokens: hashes of the secrets: of each seat, of the host, of those who watch; None where there is none.
        moves: (action, seconds left or None) each; record: of the whole game once it is over.
        helped: whether a move was taken back or a hint asked for.
    """

    number: int
    config: TableConfig
    deal: str
    tokens: list[str | None]
    moves: list[tuple[int, list[float] | None]]
    record: str | None
    helped: bool


class StoredResult(NamedTuple):
    """A finished game."""

    config: TableConfig
    payoffs: list[float]
    helped: bool


class _Row(msgspec.Struct):
    """A table of the store, before its number is joined to it."""

    setup: TableConfig
    deal: str
    tokens: list[str | None]
    moves: list[tuple[Whole, list[Seconds] | None]]
    record: str | None
    helped: Bit


class Store:
    """The tables of one server.

    Args:
        folder: of the file; None: in memory only.

    Raises:
        ValueError: if another server uses the folder, or the file is damaged or of another version of kozyr.
    """

    def __init__(self, folder: Path | None) -> None:
        self._lock = ExitStack()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock.enter_context(locked(folder, "tables", "use its page, or another folder"))
        self._file = _IN_MEMORY if folder is None else str(folder / "tables.sqlite")
        with self._lock:
            if Path(self._file).exists():
                files.opened(self._file).close()
            self._db = self._connected()
            self._lock = self._lock.pop_all()
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._waiting: list[tuple[str, tuple[Any, ...]]] = []
        self._moves: list[tuple[Any, ...]] = []
        self._ended = threading.Event()
        self._sweeper: threading.Thread | None = None
        self._open()

    def _connected(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(self._file, _BLOCKING, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._damaged(error) from None

    def _open(self) -> None:
        """Make missing tables, and let a thread copy the log into the file now and then."""
        try:
            self._prepare()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            with suppress(sqlite3.Error):
                self.close()
            raise self._damaged(error) from None
        except BaseException:
            self.close()
            raise
        if self._file != _IN_MEMORY:
            self._sweeper = threading.Thread(target=self._sweep, daemon=True)
            self._sweeper.start()

    def _prepare(self) -> None:
        """Make missing tables, and check the layout of the others."""
        self._db.execute("PRAGMA trusted_schema=OFF")
        [version] = self._db.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise ValueError(f"{self._file} has version {version}, and this kozyr reads {VERSION}: use another folder")
        if _layout(self._db) != (_new_layout() if version else set()):
            raise self._damaged("it has other tables")
        for setting in ("journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=0"):
            self._db.execute(f"PRAGMA {setting}").fetchone()
        if not version:
            self._db.executescript(f"BEGIN;{_LAYOUT}PRAGMA user_version={VERSION};COMMIT;")
        [self._next] = self._db.execute("SELECT coalesce(max(number), 0) + 1 FROM tables").fetchone()

    def _damaged(self, why: object) -> ValueError:
        """Return the error of a file that is not as this class writes it, or cannot be read at the moment."""
        if isinstance(why, sqlite3.OperationalError) and getattr(why, "sqlite_errorcode", 0) & _CODE in _OUTSIDE:
            look = "look whether its disk has room and may be written, or use another folder"
            return ValueError(f"{self._file} cannot be opened ({why}): {look}")
        return ValueError(f"{self._file} is damaged ({files.cut(str(why), 300)}): move it away, or use another folder")

    def _sweep(self) -> None:
        """Copy the log into the file, in a connection of its own, which keeps nobody waiting."""
        with closing(sqlite3.connect(self._file)) as db:
            while not self._ended.wait(_EVERY):
                db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def close(self) -> None:
        """Write all that waits, and close."""
        self._ended.set()
        if self._sweeper is not None:
            self._sweeper.join()
        try:
            self._db.execute(f"PRAGMA busy_timeout={int(1000 * PATIENCE)}")
            self.flush()
        finally:
            self._db.close()
            self._lock.close()

    def add(self, id: str, config: TableConfig, deal: str, hashes: Sequence[str | None]) -> int:  # noqa: A002 - as elsewhere
        """Keep a new table, with the hashes of its secrets, and return its number.

        Raises:
            BusyError: if another program holds the file; the table is not kept then.
        """
        number, self._next = self._next, self._next + 1
        row = (number, id, msgspec.json.encode(config), deal, msgspec.json.encode(hashes), time.time())
        self._in_order("INSERT INTO tables VALUES(?, ?, ?, ?, ?, ?, 0)", row)
        try:
            self.flush()
        except (BusyError, sqlite3.Error):
            self._waiting = [one for one in self._waiting if one[1] is not row]
            raise
        return number

    def move(self, number: int, ply: int, action: int, left: Sequence[float] | None) -> None:
        """Keep a move; it is written by `flush`."""
        self._moves.append((number, ply, action, None if left is None else msgspec.json.encode(left)))

    def cut(self, number: int, ply: int) -> None:
        """Forget the moves after the first `ply`, at the next `flush`."""
        self._in_order("DELETE FROM moves WHERE number=? AND ply>?", (number, ply))
        self.help(number)

    def help(self, number: int) -> None:
        """Keep that a move was taken back or a hint asked for."""
        self._in_order("UPDATE tables SET helped=1 WHERE number=?", (number,))

    def rename(self, number: int, config: TableConfig) -> None:
        """Keep a table's configuration with other names of the seats."""
        self._in_order("UPDATE tables SET setup=?2 WHERE number=?1", (number, msgspec.json.encode(config)))

    def end(self, number: int, record: str, payoffs: Sequence[float]) -> None:
        """Keep the end of a game, whose record holds the moves from now on."""
        row = (number, time.time(), record, msgspec.json.encode(payoffs))
        self._in_order("INSERT INTO ends VALUES(?, ?, ?, ?)", row)
        self._in_order("DELETE FROM moves WHERE number=?", (number,))

    def _in_order(self, words: str, row: tuple[Any, ...]) -> None:
        self._settle()
        self._waiting.append((words, row))

    def _settle(self) -> None:
        """Put the moves that wait behind the statements that wait already."""
        self._waiting += [("INSERT INTO moves VALUES(?, ?, ?, ?)", move) for move in self._moves]
        self._moves = []

    @property
    def waiting(self) -> set[int]:
        """The numbers of the tables of which something waits to be written."""
        return {row[0] for _, row in self._waiting} | {move[0] for move in self._moves}

    def discard(self) -> None:
        """Forget what waits to be written."""
        self._waiting, self._moves = [], []

    def flush(self) -> None:
        """Write all that waits in one transaction; if that fails it waits further.

        Raises:
            BusyError: if another program holds the file at the moment.
            sqlite3.Error: if the file cannot be written.
        """
        if not (self._waiting or self._moves):
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & _CODE == sqlite3.SQLITE_BUSY:
                raise BusyError(f"another program holds {self._file}: try again in a moment") from None
            raise
        try:
            for words, row in self._waiting:
                self._db.execute(words, row)
            if self._moves:
                self._db.executemany("INSERT INTO moves VALUES(?, ?, ?, ?)", self._moves)
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self.discard()

    def find(self, id: str) -> StoredTable | None:  # noqa: A002 - as elsewhere
        """Return a table, or None.

        Raises:
            BusyError: if something of it waits to be written, and another program holds the file.
            ValueError: if it is damaged, or the file is.
        """
        held = self._try_to_flush()
        try:
            columns = self._db.execute(f"{_TABLE} WHERE id=?", (id,)).fetchone()
            if columns is None:
                return None
            number, setup, deal, tokens, helped, record = columns
            if held is not None and number in self.waiting:
                raise held
            rows = self._db.execute("SELECT action, left FROM moves WHERE number=? ORDER BY ply", (number,))
            moves = [(action, None if left is None else files.parsed(left)) for action, left in rows]
            fields = (files.parsed(setup), deal, files.parsed(tokens), moves, record, helped)
            row = msgspec.convert(dict(zip(_Row.__struct_fields__, fields, strict=True)), _Row)
            if len(row.tokens) != len(row.setup.seats) + 2:
                raise ValueError("it has other seats than secrets")
        except BusyError:
            raise
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:  # a blob where a text must be, or no text
            raise self._damaged(f"table {id}: {error}") from None
        return StoredTable(number, row.setup, row.deal, row.tokens, row.moves, row.record, bool(row.helped))

    def _try_to_flush(self) -> "BusyError | None":
        """Write what waits; return the error if another program holds the file."""
        try:
            self.flush()
        except BusyError as error:
            return error
        return None

    def finished(self) -> list[StoredResult]:
        """Return the games that were finished, in their order.

        Raises:
            ValueError: if one of them is damaged, or the file is.
        """
        self._try_to_flush()
        results = list[StoredResult]()
        rows = "SELECT setup, payoffs, helped FROM ends JOIN tables USING(number) ORDER BY at, number"
        try:
            for setup, payoffs, helped in self._db.execute(rows):
                row = files.parsed(setup), files.parsed(payoffs), helped
                it = msgspec.convert(row, tuple[TableConfig, Payoffs, Bit])
                if len(it[1]) != len(it[0].seats) or len(it[0].names) != len(it[0].seats):
                    raise ValueError("it has other seats than payoffs or names")
                results.append(StoredResult(it[0], it[1], bool(it[2])))
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            raise self._damaged(f"finished game {len(results) + 1}: {error}") from None
        return results


def _layout(db: sqlite3.Connection) -> set[tuple[str, str, str | None]]:
    """Return the layout of a file."""
    return set(db.execute("SELECT type, name, sql FROM sqlite_master"))


def _new_layout() -> set[tuple[str, str, str | None]]:
    """Return the layout of a file of this version."""
    with closing(sqlite3.connect(_IN_MEMORY)) as db:
        db.executescript(_LAYOUT)
        return _layout(db)
