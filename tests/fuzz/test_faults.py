"""A few evenings and commands with faults, from fixed seeds, and proofs that the attack sees what is wrong."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from kozyr.agents.play.server.store import Store
from kozyr.envs.table import file_output
from tests.fuzz.errors import Wrong
from tests.fuzz.faults.clocks import clocks
from tests.fuzz.faults.disk import disk, mounts, small
from tests.fuzz.faults.folders import folders
from tests.fuzz.faults.memory import memory
from tests.fuzz.faults.restart import restart
from tests.fuzz.faults.store import store
from tests.fuzz.faults.training import training


@pytest.mark.parametrize("number", range(6))
def test_no_confirmed_move_is_lost_by_a_file_that_fails(number: int, tmp_path: Path) -> None:
    assert store(number, tmp_path) > 0


def test_a_store_that_forgets_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flush = Store.flush

    def forgetful(store: Store) -> None:
        try:
            flush(store)
        except sqlite3.Error:
            store.discard()  # and says nothing

    monkeypatch.setattr(Store, "flush", forgetful)
    with pytest.raises(Wrong):
        several(store, 6, tmp_path)


@pytest.mark.parametrize("number", range(16))
def test_a_command_on_a_full_disk_ends_with_a_sentence(number: int, tmp_path: Path) -> None:
    assert disk(number, tmp_path) == 1


def test_half_a_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_output, "write", lambda path, content: Path(path).write_text(content))
    with pytest.raises(Wrong, match="it is cut"):
        several(disk, 40, tmp_path)


@pytest.mark.skipif(bool(mounts()), reason=mounts() or "a file system can be mounted")
@pytest.mark.parametrize("number", range(4))
def test_a_command_on_a_small_disk_ends_with_a_sentence(number: int, tmp_path: Path) -> None:
    assert small(number, tmp_path) == 1


@pytest.mark.long
@pytest.mark.parametrize("number", range(4))
def test_strange_entries_of_a_cup_cost_good_bots_nothing(number: int, tmp_path: Path) -> None:
    assert folders(number, tmp_path) > 0


@pytest.mark.parametrize("number", range(4))
def test_a_run_on_a_full_disk_keeps_what_it_saved_and_goes_on(number: int, tmp_path: Path) -> None:
    assert training(number, tmp_path) == 1


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="what a process has taken is told elsewhere")
@pytest.mark.parametrize("number", range(3))
def test_a_command_without_memory_ends_with_a_sentence(number: int, tmp_path: Path) -> None:
    assert memory(number, tmp_path) == 1


@pytest.mark.parametrize("number", range(12))
def test_a_store_that_cannot_be_opened_says_so_and_keeps_all(number: int, tmp_path: Path) -> None:
    assert restart(number, tmp_path) > 0


@pytest.mark.parametrize("number", range(2))
def test_clocks_that_jump_keep_nobody_waiting(number: int, tmp_path: Path) -> None:
    assert clocks(number, tmp_path) == 1


def several(attack: Callable[[int, Path], int], most: int, folder: Path) -> None:
    """Attack by the numbers below `most`, each in a folder of its own."""
    for number in range(most):
        (folder / str(number)).mkdir()
        attack(number, folder / str(number))
