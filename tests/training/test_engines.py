"""What `kozyr train --engine` refuses, and what it says where RLlib is missing; the engine itself is in tests/plugs."""

import importlib.metadata
import sys

import pytest
from typer.testing import CliRunner

from kozyr.envs.core import install_hint
from kozyr.training.cli import app


def said(*arguments: str, code: int) -> str:
    done = CliRunner(env={"COLUMNS": "120", "KOZYR_DEBUG": ""}).invoke(app, ["train", "mnk", *arguments])
    assert done.exit_code == code, done.output
    return done.stderr


@pytest.fixture
def unloaded(monkeypatch):
    """Forget RLlib's modules of ours, which say what is missing as they are loaded."""
    for name in [name for name in sys.modules if name.startswith("kozyr.training.rllib")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--engine", "rlib"], "engine='rlib' is not allowed: choose one of 'compiled', 'sb3', 'auto', 'rllib'"),
        (["--engine", "rllib", "--num-env-runners", "-1"], "num_env_runners is a whole number of at least 0"),
        (["--num-env-runners", "2"], "add --engine rllib"),
        (["--address", "auto"], "add --engine rllib"),
    ],
)
def test_an_engine_and_its_options_are_checked(arguments, words):
    assert words in said(*arguments, code=2)


def test_without_ray_the_extra_is_named(unloaded, monkeypatch):
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert f"RLlib needs ray 2.60 or newer: {install_hint.command('rllib')}" in said("--engine", "rllib", code=1)


def test_an_old_ray_is_named(unloaded, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.9.3")
    assert f"RLlib needs ray 2.60 or newer, not 2.9.3: {install_hint.command('rllib')}" in said(
        "--engine", "rllib", code=1
    )
