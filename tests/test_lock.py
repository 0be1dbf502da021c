"""Two processes in one folder or file: the second one changes nothing and names the first one."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kozyr.agents.arena.tournaments.league import League
from kozyr.agents.arena.tournaments.store import Block, Outcome, Store
from kozyr.envs.table.lock import locked
from tests.test_cli import run

HOLDER = """
import sys
from pathlib import Path
from kozyr.envs.table.lock import locked

with locked(Path(sys.argv[1]), "run"):
    print("ready", flush=True)
    sys.stdin.read()
"""
PLAIN: dict[str, Any] = {"game": "mnk", "names": ["random", "easy"], "deals": 10, "variant": {"m": 3, "n": 3, "k": 3}}
BLOCK = Block("war_v0", "{}", 1, None, ("a", "b"), 0, 2)
OUTCOME = Outcome(((0.5, -0.5), (0.1, 0.2)), (0, 0), (None, None), (1.0, None), 0.0, 10)


@contextmanager
def holder(path: Path) -> Generator[subprocess.Popen[str]]:
    """Run a process that has a lock until it ends."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["", "file"])
def test_the_second_process_is_told_who_the_first_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with holder(path) as first:
        before, words = contents(tmp_path), rf"^process {first.pid} on {socket.gethostname()}, since \d{{4}}-"
        for _ in range(2):
            with pytest.raises(ValueError, match=words), locked(path, "run"):
                raise AssertionError("two at once")
        assert contents(tmp_path) == before
    assert first.returncode is not None


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_process_that_is_killed_keeps_nobody_away(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        os.kill(first.pid, signal.SIGKILL)
        first.wait(60)
    assert list(tmp_path.iterdir())
    mine = f"this process, {os.getpid()} on "
    with locked(tmp_path, "run"), pytest.raises(ValueError, match=mine), locked(tmp_path, "run"):
        raise AssertionError("two at once")
    assert sys.platform == "win32" or not list(tmp_path.iterdir())


def test_a_process_that_is_done_keeps_nobody_away(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        assert first.stdin is not None
        first.stdin.close()
        assert first.wait(60) == 0
    for _ in range(2):
        with locked(tmp_path, "run"):
            pass


@pytest.mark.parametrize("note", [b"", b"\xff" * 300, b"\0x\ny\nz\n", b"\0" + b"1\n\x1b[31m\nz\n"])
def test_what_a_lock_says_is_not_believed(tmp_path: Path, note: bytes) -> None:
    with locked(tmp_path, "run"):
        (tmp_path / ".lock").write_bytes(note)
        with pytest.raises(ValueError, match=r"^another process is at work on the run in "), locked(tmp_path, "run"):
            raise AssertionError("two at once")


def test_a_league_is_played_by_one_process(tmp_path: Path) -> None:
    with holder(tmp_path / "league.jsonl") as first:
        before = contents(tmp_path)
        told = run("league", "mnk", "--deals", "2", "--out", str(tmp_path), code=2).stderr
        assert f"error: process {first.pid} on " in told
        assert "is at work on the results in" in told
        assert contents(tmp_path) == before


def test_a_comparison_is_played_by_one_process(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    with holder(file) as first:
        before = contents(tmp_path)
        told = run("compare", "mnk", "easy", "random", "--deals", "2", "--store", str(file), code=2).stderr
        assert f"error: process {first.pid} on " in told
        assert contents(tmp_path) == before


def test_results_of_others_are_taken_up_and_only_what_was_not_finished_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    one, other = Store(file), Store(file)
    one.add(BLOCK, OUTCOME)
    with file.open("ab") as more:
        more.write(b'{"format": 3, "game')
    with one.exclusive():
        whole = file.read_bytes()
        with pytest.raises(ValueError, match="is at work on the results"):
            other.add(BLOCK, OUTCOME)
        assert Store(file).known == {BLOCK: OUTCOME}  # to look is allowed
        assert other.known == {}
        assert file.read_bytes() == whole
    with other.exclusive():
        assert other.known == {BLOCK: OUTCOME}
        other.add(BLOCK, OUTCOME)
    assert file.read_bytes() == whole
    assert whole.count(b"\n") == 1


def test_a_line_that_is_being_written_is_not_cut_off_by_who_looks(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    Store(file).add(BLOCK, OUTCOME)
    with file.open("ab") as more:
        more.write(b'{"format": 3, "game')
    before = file.read_bytes()
    assert Store(file).known == {BLOCK: OUTCOME}
    League(**PLAIN, path=file)
    assert file.read_bytes() == before
