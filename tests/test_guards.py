"""Helpers of the tests: they end, and they refuse what they do not know."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kozyr import envs
from kozyr.envs.core.actions import Action, ActionLayout
from kozyr.envs.core.game import Game
from kozyr.envs.core.variant import Field
from tests.contract import variants
from tests.contract.plugin import STAGES
from tests.records.__main__ import main

UNASKED = {**os.environ, "PYTEST_ADDOPTS": ""}  # for pytest within: its lists have another form with -v


class Bare(NamedTuple):
    """A variant without options."""


class Few(NamedTuple):
    """A variant of which there are three."""

    big: bool = False
    fast: bool = False


class Three(ActionLayout):
    """Three actions."""

    pick = Action("pick one of three", size=3)


def made(variant: Any, **more: Any) -> Any:
    nothing: Any = None
    names = ("version", "title", "state", "seats", "parts", "bound")
    fields = {name: Field(name) for name in variant._fields}
    return Game(
        name="few", variant=variant, fields=fields, action_layout=Three, **dict.fromkeys(names, nothing), **more
    )


def test_the_search_for_variants_ends_where_there_are_few() -> None:
    assert variants.drawn(made(Bare), 8) == [Bare()]
    few = made(Few, complaint=lambda v: "too much" if v.big and v.fast else "")
    assert set(variants.drawn(few, 8)) == {Few(), Few(big=True), Few(fast=True)}
    assert variants.drawn(few, 8, most=2) == []


def test_records_of_a_game_that_there_is_not_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["chess"])
    assert "'chess' is no game: the games are daifugo" in capsys.readouterr().err


def test_a_game_that_is_named_twice_is_tested_once() -> None:
    name = envs.games()[0]
    asked = ["--collect-only", "-q", "-o", "addopts=", "--kozyr-game", name, "--kozyr-game", name]
    place = str(Path(__file__).parent / "contract" / "test_compiled.py")
    command = [sys.executable, "-m", "pytest", place, *asked]
    done = subprocess.run(command, env=UNASKED, capture_output=True, text=True, check=True)
    assert [line.rpartition("::")[2] for line in done.stdout.splitlines() if "::" in line] == [
        f"test_interpreted_code_gives_the_bytes_that_compiled_code_gives[{name}]"
    ]


def collected(*options: str) -> list[str]:
    place = str(Path(__file__).parent / "contract")
    asked = ["--collect-only", "-q", "-o", "addopts=", "--kozyr-game", envs.games()[0], *options]
    command = [sys.executable, "-m", "pytest", place, __file__, *asked]
    done = subprocess.run(command, env=UNASKED, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if "::" in line] if done.returncode == 0 else [done.stderr]


def test_each_stage_of_a_game_in_the_making_runs_all_tests_of_the_one_before() -> None:
    stages = [set(collected("--kozyr-stage", stage)) for stage in STAGES]
    for earlier, later in pairwise([*stages, set(collected())]):
        assert earlier < later
    assert not any("test_blind" in test for test in stages[1])
    own = [test for test in stages[0] if "test_guards" in test]
    assert len(own) >= 5, "tests outside of the contract run at every stage"


def test_a_stage_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    [said] = collected("--kozyr-stage", "bots")
    assert "invalid choice: 'bots'" in said
    assert all(stage in said for stage in STAGES)
