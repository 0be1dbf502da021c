"""RL Baselines3 Zoo's own commands, with MaskablePPO as its page enters it. Run by `make test-rl_zoo3`."""

import csv
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs import pages, running
from tests.plugs.required import library

library("rl_zoo3", "2.9.2")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from kozyr import envs
from kozyr.envs.environments.observations import Form
from kozyr.envs.registry import gymnasium_id
from tests.plugs.outsider import score_legally

PAGE = (running.LIBRARIES / "rl_zoo3.md").read_text(encoding="utf-8")
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36},
    {"name": "daifugo", "players": 5},
]
COUNTED = "monitor_kwargs:dict(info_keywords=('illegal_move',))"
SEED = 7


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the page's files, where the tests are run."""
    (tmp_path / "zoo.py").write_text(pages.blocks(PAGE, "python")[0])
    (tmp_path / "ppo_mask.yml").write_text(pages.blocks(PAGE, "yaml")[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "zoo", raising=False)
    return tmp_path


def run(*arguments: str) -> str:
    """Run Python in the folder and return what it prints."""
    where = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *arguments], env=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def values(options: dict[str, Any]) -> list[str]:
    """Return options of an environment as the zoo reads them."""
    return [f"{key}:{value!r}" for key, value in options.items() if key != "name"]


def episodes(folder: Path) -> list[dict[str, str]]:
    """Return the episodes of training as SB3's Monitor has written them."""
    found = list[dict[str, str]]()
    for file in folder.glob("*.monitor.csv"):
        with file.open() as lines:
            next(lines)
            found += csv.DictReader(lines)
    return found


def weights(model: Any) -> Any:
    return torch.nn.utils.parameters_to_vector(model.policy.parameters()).detach()


@pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")
def test_the_zoos_command_trains_and_its_model_plays_in_our_arena(folder: Path, options: dict[str, Any]) -> None:
    name, variant = options["name"], {key: value for key, value in options.items() if key != "name"}
    known = gymnasium_id(name)
    line = ["zoo.py", "--algo", "ppo_mask", "--env", known, "--gym-packages", "kozyr", "--conf-file", "ppo_mask.yml"]
    small = ["-n", "1024", "--eval-freq", "512", "--eval-episodes", "3", "--seed", str(SEED), "-params", COUNTED]
    run(*line, *small, "--env-kwargs", *values({**options, "observation": "flat"}))

    logs, saved = folder / "logs" / "ppo_mask" / f"{known.replace('/', '-')}_1", known.replace("/", "-")
    finished = episodes(logs)
    assert len(finished) > 10
    assert {float(one["illegal_move"]) for one in finished} == {0.0}
    assert np.isfinite(np.load(logs / "evaluations.npz")["results"]).all()

    model = MaskablePPO.load(logs / f"{saved}.zip", device="cpu")
    seat = envs.make_seat(name, observation="flat", **variant)
    first, second = (weights(MaskablePPO("MlpPolicy", seat, seed=SEED, device="cpu")) for _ in range(2))
    assert torch.equal(first, second)
    assert torch.isfinite(weights(model)).all()
    assert not torch.equal(weights(model), first)

    form = Form("flat", envs.game(name), envs.game(name).make_variant(**variant))

    def decide(views: Any, masks: Any) -> Any:
        return model.predict(form.show(views, masks), action_masks=masks.astype(bool), deterministic=True)[0]

    score_legally(name, decide, **variant)


def test_evaluations_without_masks_find_them_in_the_observation() -> None:
    from zoo import MaskedPPO

    seat = Monitor(envs.make_seat("durak", observation="flat", deck=36), info_keywords=("illegal_move",))
    illegal = dict[type, int]()
    for kind in (MaskedPPO, MaskablePPO):
        told = list[int]()
        model = kind("MlpPolicy", seat, seed=SEED, device="cpu")
        evaluate_policy(model, seat, 20, callback=lambda its, _, told=told: told.append(its["info"]["illegal_move"]))
        illegal[kind] = sum(told)
    assert illegal[MaskedPPO] == 0
    assert illegal[MaskablePPO] > 0


def test_the_zoos_plain_command_finds_the_games(folder: Path) -> None:
    env = ["--env", "kozyr/Mnk-v0", "--gym-packages", "kozyr", "--conf-file", "ppo_mask.yml"]
    run(
        "-m",
        "rl_zoo3.train",
        "--algo",
        "ppo",
        *env,
        "-n",
        "64",
        "--eval-freq",
        "-1",
        "--env-kwargs",
        "m:3",
        "n:3",
        "k:3",
    )
    assert (folder / "logs" / "ppo" / "kozyr-Mnk-v0_1" / "kozyr-Mnk-v0.zip").is_file()


def test_the_page_of_the_documentation_runs() -> None:
    (command,) = (block for block in pages.blocks(PAGE, "sh") if block.startswith("python zoo.py"))
    run(*shlex.split(command.replace("\\\n", ""))[1:])
    running.library("rl_zoo3")
    enjoy = ["-c", "import zoo; from rl_zoo3.enjoy import enjoy; enjoy()", "--algo", "ppo_mask", "-f", "logs"]
    assert "Mean reward" in run(*enjoy, "--env", "kozyr/Mnk-v0", "--gym-packages", "kozyr", "--no-render", "-n", "50")
