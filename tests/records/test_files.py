"""Files of other kinds, endless lines, and JSON that nobody writes."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.arena.tournaments.store import Store
from kozyr.envs.table import files, record, record_format
from tests.records.test_record import a_line
from tests.test_cli import run


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def long_line(path: Path) -> None:
    """Write a line without an end, in a file that takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 30)


OTHERS: dict[str, tuple[Any, str]] = {
    "a folder": (Path.mkdir, "is a folder: give a file"),
    "a pipe": (getattr(os, "mkfifo", None), "is a pipe: give a file"),
    "endless zeros": (zeros, "line 1: it is too long: such a line has up to"),
    "a long line": (long_line, "line 1: it is too long: such a line has up to"),
}
unix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of other kinds")


@unix
@pytest.mark.parametrize("how", OTHERS)
def test_records_are_read_from_files_with_lines(how: str, tmp_path: Path) -> None:
    path, (make, words) = tmp_path / "games.jsonl", OTHERS[how]
    make(path)
    with pytest.raises(ValueError, match=rf"games\.jsonl.*{words}"):
        list(record.read_file(path))
    for options in ([], ["--every"], ["--html", str(tmp_path / "x.html")], ["--gif", str(tmp_path / "x.gif")]):
        done = run("replay", str(path), *options, code=1)
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("x.*"))


@unix
@pytest.mark.parametrize("how", OTHERS)
def test_results_are_read_from_files_with_lines(how: str, tmp_path: Path) -> None:
    path, (make, words) = tmp_path / "league.jsonl", OTHERS[how]
    make(path)
    with pytest.raises(ValueError, match=rf"league\.jsonl.*{words}"):
        Store(path)
    for command in (
        ["league", "mnk", "--out", str(tmp_path)],
        ["compare", "mnk", "easy", "random", "--store", str(path)],
    ):
        done = run(*command, code=2)
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


def test_only_the_line_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line, path = a_line(), tmp_path / "games.jsonl"
    monkeypatch.setattr(record, "LONGEST", len(line) + 1)
    path.write_text(f"{line}\n\n{line}\n{line}")
    assert len(list(record.read_file(path))) == 3
    path.write_text(f"{line}\n {line}\n")
    read = record.read_file(path)
    assert next(read).actions == record.read(line).actions
    with pytest.raises(ValueError, match="line 2: it is too long"):
        next(read)


def test_the_longest_games_have_room_in_a_line() -> None:
    made = record.read(a_line())
    turns = 1_000_000  # War's option `max_turns`, of two digits each
    whole = record_format.write(record.Record(made.game, made.variant, 1, 0, [10] * turns, [0.0, 0.0], True))
    assert len(whole) < record_format.LONGEST / 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "this is not JSON: the key 'c' is there twice"),
        ("[NaN]", "this is not JSON: NaN is no number"),
        ("[1, -Infinity]", "this is not JSON: -Infinity is no number"),
        ("[" * 100_000, "this is not JSON: it is nested too deep"),
        ('{"a":' * 100_000, "this is not JSON: it is nested too deep"),
        ("[" * 60 + "]" * 60, "this is not JSON: it is nested too deep"),
        ("9" * 10_000, "this is not JSON: a number has too many digits"),
        ("", "this is not JSON"),
        (b"\xff", "this is not UTF-8 text"),
    ],
)
def test_json_is_what_anybody_would_write(text: str | bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        files.parsed(text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("document", [None, 1, [], {}, [[[]]], {"a": [1.5, "b", None, True]}, "[" * 1000])
def test_json_that_is_plain_is_read(document: Any) -> None:
    assert files.parsed(json.dumps(document)) == document


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert files.content(path, 5) == b"12345"
    with pytest.raises(ValueError, match="x is too large: such a file has up to 4 bytes"):
        files.content(path, 4)
    path.write_bytes(b"1\n\n\xff")
    with pytest.raises(ValueError, match="x, line 3: this is not UTF-8 text"):
        files.text(path, 5)
    with pytest.raises(FileNotFoundError):
        files.content(tmp_path / "none", 5)
