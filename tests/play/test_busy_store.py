"""A store that cannot be written for a while: nobody waits for others, and those who lost a move are told."""

import asyncio
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.play.server import tables_registry
from kozyr.agents.play.server.store import BusyError
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import BROKEN
from tests.play.ears import CONFIG, Ear, seated, until


@contextmanager
def held(folder: Path) -> Generator[threading.Event]:
    """Let another program hold the file until the event is set."""
    ready, free = threading.Event(), threading.Event()

    def hold() -> None:
        with sqlite3.connect(folder / "tables.sqlite", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            ready.set()
            free.wait(60)
            other.execute("ROLLBACK")

    thread = threading.Thread(target=hold)
    thread.start()
    assert ready.wait(60)
    try:
        yield free
    finally:
        free.set()
        thread.join()


def test_a_file_that_is_held_for_a_moment_delays_moves_and_loses_none(tmp_path: Path) -> None:
    async def play() -> None:
        house = TablesRegistry(tmp_path)
        _, session, (a, b) = await seated(house)
        with held(tmp_path) as free:
            await session.hear(a, messages.Play(0, 3))
            ticks = 0
            for _ in range(20):  # the server does other things meanwhile
                await asyncio.sleep(0.01)
                ticks += 1
            assert (a.ply, b.ply, ticks) == (0, 0, 20)
            with pytest.raises(BusyError, match="another program holds"):
                await house.open(CONFIG)
            free.set()
            await until(lambda: a.ply == b.ply == 1)
        await session.hear(b, messages.Play(1, 4))
        await until(lambda: a.ply == 2)
        assert (a.code, b.code) == (0, 0)
        await house.close()

    asyncio.run(play())


def test_a_write_that_fails_concerns_its_own_tables_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_registry, "PATIENCE", 0.1)

    async def play() -> None:
        house = TablesRegistry(tmp_path)
        table, first, (a, other) = await seated(house)
        second_table, second, (b, c) = await seated(house)
        with held(tmp_path):
            await first.hear(a, messages.Play(0, 3))
            await until(lambda: a.code)
            assert (a.code, other.code) == (BROKEN, BROKEN)
            assert a.ply == 0  # the move did not happen
            assert (b.code, c.code) == (0, 0)
        await second.hear(b, messages.Play(0, 7))
        second.leave(c)
        again = Ear()
        room: Any = await house.find(second_table.table)
        assert room is second
        await room.sit(again, second_table.seats[1])
        await until(lambda: b.ply == again.ply == 1)
        with pytest.raises(RuntimeError, match="was closed"):
            await first._apply(await first.host.play(4, []))
        anew: Any = await house.find(table.table)
        assert anew is not first
        await anew.sit(ear := Ear(), table.seats[0])
        await until(lambda: ear.ply == 0)
        await house.close()

    asyncio.run(play())


@pytest.mark.parametrize("statement", range(4))
def test_any_error_of_the_file_leaves_the_other_tables(
    statement: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        house = TablesRegistry(tmp_path)
        _, first, (a, _) = await seated(house)
        _, second, (b, _) = await seated(house)
        await second.hear(b, messages.Play(0, 7))
        await until(lambda: b.ply == 1)
        file = house.store._db
        house.store._db = Failing(file, statement)  # pyright: ignore[reportAttributeAccessIssue]
        await first.hear(a, messages.Play(0, 3))
        await until(lambda: a.code == BROKEN or a.ply == 1)
        assert (a.code == BROKEN) == (statement < Failing.STATEMENTS)
        assert not b.code
        house.store._db = file
        await second.hear(second_player(second), messages.Play(1, 8))
        await until(lambda: b.ply == 2)
        await house.close()

    asyncio.run(play())


def second_player(session: Any) -> Ear:
    """Return the client at seat 1."""
    return next(ear for ear, one in session.connections.participants.items() if one.seat == 1)


class Failing:
    """A connection whose n-th statement fails, once: BEGIN, the moves, COMMIT."""

    STATEMENTS = 3

    def __init__(self, inner: sqlite3.Connection, number: int) -> None:
        self.inner, self.left = inner, number

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def _count(self) -> None:
        self.left -= 1
        if self.left == -1:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error

    def execute(self, words: str, *row: Any) -> Any:
        if words != "ROLLBACK":
            self._count()
        return self.inner.execute(words, *row)

    def executemany(self, words: str, rows: Any) -> Any:
        self._count()
        return self.inner.executemany(words, rows)
