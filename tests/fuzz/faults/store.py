"""A store whose file fails at any statement: nothing that a client was told is lost, and other tables play on."""

import asyncio
import random
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kozyr.agents.play.server import tables_registry
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import messages
from kozyr.envs.table import record_format
from tests.fuzz.errors import require
from tests.play.ears import CONFIG, Ear

_CHANCE = 0.15  # that a statement fails while the file is bad
_STEPS, _TABLES = 80, 3
ERRORS = (
    ("disk I/O error", sqlite3.SQLITE_IOERR),
    ("database or disk is full", sqlite3.SQLITE_FULL),
    ("database is locked", sqlite3.SQLITE_BUSY),
    ("attempt to write a readonly database", sqlite3.SQLITE_READONLY),
)


class _Failing:
    """A connection to SQLite, of whose statements some fail while it is bad."""

    def __init__(self, inner: sqlite3.Connection, rng: random.Random) -> None:
        self._inner, self._rng, self.bad = inner, rng, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _roll(self) -> None:
        if self.bad and self._rng.random() < _CHANCE:
            words, code = self._rng.choice(ERRORS)
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
