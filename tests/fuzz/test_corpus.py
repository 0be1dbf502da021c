"""What was found before is read again; valid inputs are read as such, and some changed ones read or refused."""

import json
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.fuzz import mutate, parsers, play, views
from tests.fuzz.log import CORPUS, Log
from tests.fuzz.machines.all import MACHINES
from tests.fuzz.machines.base import replay
from tests.fuzz.targets import all as every
from tests.fuzz.targets.target import Target, judge

KEPT = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
TARGETS = [target for name in every.GROUPS for target in every.group(name)]
CHANGED = 25  # inputs of each target


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_is_mended(path: Path) -> None:
    name = path.parent.name
    if name.startswith("machine-"):
        replay(path.read_bytes(), MACHINES)
        return
    if name.startswith("play-"):
        play.replay(path.read_bytes())
        return
    if name.startswith("views-"):
        assert views.replay(path.read_bytes()) in ("answered", "refused")
        return
    target = every.target(name)
    if target is None:
        pytest.skip(f"a library that {name} needs is not installed")
    find = judge(target, path.read_bytes())
    assert find is None, find


def test_games_of_a_find_are_played_again_in_a_process_that_has_compiled_nothing() -> None:
    find = json.dumps({"game": "mnk", "options": {"m": 3, "n": 3, "k": 3}, "chunk": 1}).encode()
    said = f"from tests.fuzz import play; play.replay({find!r})"
    subprocess.run([sys.executable, "-c", said], check=True)


def test_threads_that_are_left_behind_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "THREADS", 3)
    done, log = threading.Event(), Log()
    leaky, clean = (
        Target(name, mutate.TEXT, list, call)
        for name, call in (
            ("leaky", lambda data: threading.Thread(target=done.wait, daemon=True).start()),
            ("clean", lambda data: None),
        )
    )
    try:
        for _ in range(6):
            for target in (leaky, clean):
                parsers.attempt(target, b"", log, tmp_path)
    finally:
        done.set()
    assert [path.parent.name for path in tmp_path.glob("*/*")] == ["leaky"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_valid_inputs_are_read_and_changed_ones_are_read_or_refused(target: Target) -> None:
    seeds, rng, log = list(target.seeds()), random.Random(11), Log()
    target.call(seeds[0])
    for _ in range(CHANGED):
        data = mutate.mutated(rng.choice(seeds), target.form, rng, seeds)
        find = judge(target, data)
        log.count("read")
        assert find is None, (find, data)
    assert log.counts["read"] == CHANGED
