"""What a server has kept, damaged: it says so in a sentence, and nothing that the file names is run."""

import asyncio
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kozyr.agents.play.pages.table_config import TableConfig, deal
from kozyr.agents.play.server.store import Store
from kozyr.agents.play.server.tables_registry import TablesRegistry
from tests.records.test_hostile import EVIL, changed, places

SETUP = TableConfig(game="mnk_v0", options={"m": 3, "n": 3, "k": 3}, seats=["me", "random"], names=["a", "b"], seed=1)
HASHES = ["a" * 64, None, "b" * 64, "c" * 64]
FILE = "tables.sqlite"


def kept(folder: Path) -> Path:
    """Write a store with a game in progress and one that is over, and return its file."""
    store = Store(folder)
    for name in ("one", "two"):
        number = store.add(name, SETUP, deal(name, SETUP), HASHES)
        store.move(number, 0, 4, [1.5, 2.0])
    store.end(number, deal("two", SETUP), [1.0, -1.0])
    store.close()
    return folder / FILE


def complaint(folder: Path) -> str:
    """Return why what is kept cannot be read, or nothing."""
    words = ""
    try:
        store = Store(folder)
        try:
            store.finished()
            for name in ("one", "two"):
                store.find(name)
        finally:
            store.close()
    except ValueError as error:
        words = str(error)
    assert not words or FILE in words
    assert len(words) < 600
    return words


def set_to(file: Path, table: str, column: str, value: Any) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(f"UPDATE {table} SET {column}=?", (value,))


def test_what_is_whole_is_read(tmp_path: Path) -> None:
    kept(tmp_path)
    assert complaint(tmp_path) == ""
    store = Store(tmp_path)
    one, two = store.find("one"), store.find("two")
    assert one is not None
    assert two is not None
    assert (one.config, one.tokens, one.moves, one.record) == (SETUP, HASHES, [(4, [1.5, 2.0])], None)
    assert (two.moves, two.record) == ([], deal("two", SETUP))
    assert [tuple(each) for each in store.finished()] == [(SETUP, [1.0, -1.0], False)]
    store.close()


COLUMNS = [
    *(("tables", name) for name in ("setup", "deal", "tokens", "helped")),
    *(("moves", name) for name in ("action", "left")),
    *(("ends", name) for name in ("record", "payoffs")),
]
VALUES: list[Any] = [0, -1, 2**40, 1.5, float("inf"), "", "x", "[]", "{}", b"", b"[]", b"[1]", b"\xff", b"[" * 100_000]


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_column_with_a_wrong_value_is_read_or_refused(table: str, column: str, tmp_path: Path) -> None:
    file, refused = kept(tmp_path), 0
    for value in VALUES:
        set_to(file, table, column, value)
        refused += bool(complaint(tmp_path))
    assert refused >= 5 or column in ("deal", "record")  # texts, which are read where the table is opened


@pytest.mark.parametrize(
    ("table", "column", "whole"),
    [
        ("tables", "setup", msgspec.to_builtins(SETUP)),
        ("tables", "tokens", HASHES),
        ("moves", "left", [1.5, 2.0]),
        ("ends", "payoffs", [1, -1]),
    ],
)
def test_a_document_with_a_wrong_value_is_read_or_refused(table: str, column: str, whole: Any, tmp_path: Path) -> None:
    file, refused = kept(tmp_path), 0
    for place in places(whole):
        for value in EVIL:
            set_to(file, table, column, changed(whole, place, value).encode())
            refused += bool(complaint(tmp_path))
    assert refused > 20


def test_bytes_that_are_wrong_crash_nothing(tmp_path: Path) -> None:
    file, rng, refused = kept(tmp_path), random.Random(3), 0
    whole = file.read_bytes()
    for number in range(60):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 60)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        file.write_bytes(data if number % 3 else data[: rng.randrange(len(data))])
        refused += bool(complaint(tmp_path))
        for beside in tmp_path.glob(f"{FILE}-*"):
            beside.unlink()
    assert refused > 15


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE notes(words TEXT)")
        db.commit()


def laid_out_otherwise(path: Path) -> None:
    kept(path.parent)
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TRIGGER more AFTER INSERT ON moves BEGIN DELETE FROM tables; END")
        db.commit()


NO_STORES: dict[str, Any] = {
    "a text": lambda path: path.write_text("no tables\n" * 100),
    "a folder": Path.mkdir,
    "a pipe": getattr(os, "mkfifo", None),
    "tables of somebody else": foreign,
    "a trigger": laid_out_otherwise,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of other kinds")
@pytest.mark.parametrize("how", NO_STORES)
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(how: str, tmp_path: Path) -> None:
    file = tmp_path / FILE
    NO_STORES[how](file)
    before = file.read_bytes() if file.is_file() else b""
    for _ in range(2):  # the first one has let the folder go
        with pytest.raises(ValueError, match=r"tables\.sqlite is (damaged|a folder|a pipe)"):
            TablesRegistry(tmp_path)
    assert (file.read_bytes() if file.is_file() else b"") == before


@pytest.mark.parametrize("seat", ["os:abort", "process:/bin/false", "pimc+os:abort", "/tmp/x.onnx", "nobody"])
def test_agents_that_a_file_names_are_not_loaded(seat: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = kept(tmp_path)
    set_to(file, "tables", "setup", msgspec.json.encode(msgspec.structs.replace(SETUP, seats=["me", seat])))
    assert room(tmp_path, "one") is None
    assert "table one cannot be opened again" in caplog.text


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("deal", ""),
        ("deal", "{"),
        ("deal", deal("one", SETUP).replace("mnk_v0", "chess_v0")),
        ("deal", deal("one", SETUP).replace('"actions":[]', '"actions":[4,4]')),
        ("setup", b"{}"),
        ("setup", msgspec.json.encode(msgspec.structs.replace(SETUP, names=["a"]))),
        ("setup", msgspec.json.encode(msgspec.structs.replace(SETUP, options={"m": 99}))),
    ],
)
def test_a_table_that_is_damaged_is_told_and_keeps_nobody_else_away(
    column: str, value: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = kept(tmp_path)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(f"UPDATE tables SET {column}=? WHERE id='one'", (value,))
    assert room(tmp_path, "one") is None
    assert "table one cannot be opened again" in caplog.text
    assert room(tmp_path, "two") is not None


def room(folder: Path, table: str) -> Any:
    """Return a table of a server, or None."""

    async def found() -> Any:
        house = TablesRegistry(folder)
        try:
            said = await house.say(table, "x")
            assert said is None
            return await house.find(table)
        finally:
            await house.close()

    return asyncio.run(found())
