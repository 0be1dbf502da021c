"""Attack what lies below: a store whose file fails at any statement, and commands on a disk that is full at any byte.

Nothing that a client was told may be lost, tables that were not in a failed write play on, and a command ends with its
result or with one line that names the file, beside files that are whole.
"""

import asyncio
import logging
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from kozyr.agents.play.server import tables_registry
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import messages
from kozyr.envs.table import record_format
from tests.fuzz.errors import place, require
from tests.fuzz.log import Log
from tests.play.ears import CONFIG, Ear

_CHANCE = 0.15  # that a statement fails while the file is bad
_STEPS, _TABLES = 80, 3
_LARGEST = 1 << 17  # bytes that a file may have when the disk is full
_ERRORS = (
    ("disk I/O error", sqlite3.SQLITE_IOERR),
    ("database or disk is full", sqlite3.SQLITE_FULL),
    ("database is locked", sqlite3.SQLITE_BUSY),
    ("attempt to write a readonly database", sqlite3.SQLITE_READONLY),
)


def run(part: str, seconds: float, seed: int, log: Log) -> None:
    """Attack a part for so many seconds; an input is a number that all choices follow from."""
    until, rng = time.monotonic() + seconds, random.Random(seed)
    attempt = {"store": store, "disk": disk}[part]
    logging.disable(logging.ERROR)
    while time.monotonic() < until and not log.full:
        number = rng.randrange(2**31)
        log.now(part, str(number).encode())
        try:
            with tempfile.TemporaryDirectory(prefix="kozyr-faults-") as folder:
                log.count(part, attempt(number, Path(folder)))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            log.found(part, str(number).encode(), f"{place(error)}: {said[:100]}", said)


# The store


class _Failing:
    """A connection to SQLite, of whose statements some fail while it is bad."""

    def __init__(self, inner: sqlite3.Connection, rng: random.Random) -> None:
        self._inner, self._rng, self.bad = inner, rng, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _roll(self) -> None:
        if self.bad and self._rng.random() < _CHANCE:
            words, code = self._rng.choice(_ERRORS)
            error = sqlite3.OperationalError(words)
            error.sqlite_errorcode = code
            raise error

    def execute(self, words: str, *row: Any) -> Any:
        if not words.startswith(("ROLLBACK", "PRAGMA")):
            self._roll()
        return self._inner.execute(words, *row)

    def executemany(self, words: str, rows: Any) -> Any:
        self._roll()
        return self._inner.executemany(words, rows)


class _Seat:
    """A table with two people, who come back when they were sent away.

    Attributes:
        told: the most plies that somebody was shown; moves: the actions that led there, as they were asked for.
    """

    def __init__(self, new: Any) -> None:
        self.new, self.told, self.moves = new, 0, list[int]()
        self.ears = list[Ear]()
        self.session: Any = None

    async def sit(self, registry: TablesRegistry) -> bool:
        """Sit down, where the table can be opened, and forget the moves that nobody was shown."""
        self.session = await registry.find(self.new.table)
        if self.session is None:
            return False
        self.ears = [Ear(), Ear()]
        for ear, token in zip(self.ears, self.new.seats, strict=True):
            await self.session.sit(ear, token)
        await _settle()
        return True

    def see(self) -> None:
        """Compare what the two are shown, and remember the most."""
        plies = {ear.ply for ear in self.ears if not ear.code and ear.ply >= 0}
        require(len(plies) < 2, f"two people see plies {sorted(plies)} of one table")
        self.told = max([self.told, *(ear.ply for ear in self.ears)])


async def _settle() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


def store(number: int, folder: Path) -> int:
    """Play at tables whose file fails now and then; return how many moves were confirmed.

    Raises:
        Wrong: if a confirmed move is lost, two people see two positions, or somebody is sent away for others' moves.
    """
    return asyncio.run(_evening(random.Random(number), folder))


async def _evening(rng: random.Random, folder: Path) -> int:
    registry = TablesRegistry(folder)
    inner = registry.store._db
    failing = _Failing(inner, rng)
    registry.store._db = failing  # type: ignore[assignment]
    patience, tables_registry.PATIENCE = tables_registry.PATIENCE, 0.0
    try:
        tables = [_Seat(await registry.open(CONFIG)) for _ in range(_TABLES)]
        for one in tables:
            require(await one.sit(registry), "a new table cannot be opened")
        for _ in range(_STEPS):
            failing.bad = rng.random() < 0.5
            await _step(rng, registry, tables)
        failing.bad = False
        registry.store._db = inner
        await registry.close()
    finally:
        tables_registry.PATIENCE = patience
    return await _compare(folder, tables)


async def _step(rng: random.Random, registry: TablesRegistry, tables: list[_Seat]) -> None:
    """Let some tables move at once, and look at all of them; who was sent away comes back."""
    moving = [one for one in tables if rng.random() < 0.6]
    for one in moving:
        if one.session is not None and any(not ear.code for ear in one.ears) and one.session.state.turn >= 0:
            await _move(rng, one)
    if rng.random() < 0.1:
        with suppress(ValueError, sqlite3.Error):
            tables.append(_Seat(await registry.open(CONFIG)))
    await _settle()
    for one in tables:
        one.see()
        if one not in moving:
            require(not any(ear.code for ear in one.ears), "a table that was in no write was closed")
        if not one.ears or all(ear.code for ear in one.ears):
            one.ears = []
            try:
                if await one.sit(registry):
                    one.see()
                    del one.moves[one.session.ply :]
            except (ValueError, sqlite3.Error):
                one.session = None


async def _move(rng: random.Random, one: _Seat) -> None:
    """Let the seat whose turn it is play a legal action."""
    state = one.session.state
    ear = one.ears[state.turn]
    ply = one.session.ply
    action = rng.choice([cell for cell in range(25) if cell not in one.moves])
    if not ear.code and ply == len(one.moves):
        one.moves.append(action)
        await one.session.hear(ear, messages.Play(ply, action))


async def _compare(folder: Path, tables: Sequence[_Seat]) -> int:
    """Compare what was told with what is on the disk."""
    registry = TablesRegistry(folder)
    try:
        for one in tables:
            stored = registry.store.find(one.new.table)
            require(stored is not None, "a table that was opened is lost")
            assert stored is not None
            kept = [action for action, _ in stored.moves]
            if stored.record is not None:
                kept = record_format.parse(stored.record).actions
            require(kept[: one.told] == one.moves[: one.told], f"{one.told} moves were told, {len(kept)} are kept")
    finally:
        await registry.close()
    return sum(one.told for one in tables)


# The disk

_FAST = ("--set", "m=3", "--set", "n=3", "--set", "k=3")
_MORE = ("--seed", "1", "--deals", "12")
_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("match", "mnk", "random", "easy", *_MORE, *_FAST, "--record", "{out}/games.jsonl"),
    ("league", "mnk", "random", "easy", *_MORE, *_FAST, "--out", "{out}/league"),
    ("cup", "mnk", "random", "easy", *_MORE, *_FAST, "--out", "{out}/cup"),
    ("score", "random", "--task", "war_20", "--quick", "--out", "{out}/report.json"),
    ("replay", "{games}", "--html", "{out}/games.html"),
    ("replay", "{games}", "--game", "1", "--svg", "{out}/positions"),
    ("export", "{games}", "{out}/games.parquet"),
    ("new-game", "my_game", "--out", "{out}"),
)


@contextmanager
def _full(room: int) -> Generator[None]:
    """Let no file of this process become larger than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _whole(path: Path) -> str:
    """Return why a file is not as its command writes it, or ""."""
    if ".part" in path.name:
        return "half a file is left"
    text, ending = path.read_bytes(), path.suffix
    whole = {
        ".jsonl": all(line[:1] == b"{" and line.endswith(b"}\n") for line in text.splitlines(True)),
        ".parquet": text[:4] == text[-4:] == b"PAR1",
        ".html": text.rstrip().endswith(b"</html>"),
        ".svg": text.rstrip().endswith(b"</svg>"),
    }
    return "" if whole.get(ending, True) else "it is cut"


def disk(number: int, folder: Path) -> int:
    """Run a command twice: on a disk that becomes full at some byte, then on one with room; return 1 for the count.

    Raises:
        Wrong: if the first ends with anything but its result or one line that says why, a file is cut, or the second
            fails where the first has begun.
    """
    from kozyr.training.cli import app

    rng = random.Random(number)
    command, room = rng.choice(_COMMANDS), int(2 ** rng.uniform(0, 17))
    names = {"out": str(folder / "out"), "games": str(_games())}
    (folder / "out").mkdir()
    words = [word.format(**names) for word in command]
    runner = CliRunner(env={"COLUMNS": "120", "KOZYR_DEBUG": ""})
    with _full(room):
        first = runner.invoke(app, words)
    said = first.output.strip().splitlines()[-1:] or [""]
    require(isinstance(first.exception, SystemExit | None), f"{command[0]}: {first.exception!r}")
    require(first.exit_code == 0 or said[0].startswith("error: "), f"{command[0]} ends with {said[0]!r}")
    for path in sorted(path for path in (folder / "out").rglob("*") if path.is_file()):
        wrong = _whole(path)
        require(not wrong, f"{command[0]} with room for {room} bytes a file: {path.name}: {wrong}")
    again = runner.invoke(app, words)
    done = again.exit_code == 0 or (first.exit_code == 0 and command[0] in ("new-game",))
    require(done, f"{command[0]} cannot go on after {said[0]!r}: {again.output.strip().splitlines()[-1:]}")
    return 1


_made = list[Path]()


def _games() -> Path:
    """Return a file of recorded games, made once."""
    if not _made:
        from kozyr.agents.arena.matches.match import match

        folder = Path(tempfile.mkdtemp(prefix="kozyr-games-"))
        match("mnk", ["random", "easy"], deals=6, seed=1, record=folder / "games.jsonl", m=3, n=3, k=3)
        _made.append(folder / "games.jsonl")
    return _made[0]
