"""RLlib as the engine of `kozyr train`, on a local Ray of two cores. Run by `make test-rllib`, which installs it."""

import json
import os
import signal
import subprocess
import sys
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.plugs.required import library

library("ray", "2.60", "rllib")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own warnings are not ours

import ray
from ray.rllib.core import DEFAULT_MODULE_ID

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.table.lock import locked
from kozyr.training.cli import app
from kozyr.training.rllib.ppo import TablesPPO
from kozyr.training.rllib.run import ClusterRun, require_cores
from kozyr.training.rllib.run import train as distributed
from kozyr.training.rllib.runner import Rollout
from kozyr.training.rllib.sweep import sweep
from kozyr.training.run import checkpoint
from kozyr.training.run.callbacks import Progress
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.training.tiny import ROLLOUT, TINY

FOUR_SEATS = TINY.replace("m = 3\nn = 3\nk = 3\n", "players = 4\n").replace("easy = 1", "random = 1")
SHORT = (
    TINY.replace("timesteps = 512", "timesteps = 49152")
    .replace("num_tables = 8", "num_tables = 128")
    .replace("n_steps = 16", "n_steps = 32")
    .replace("batch_size = 64", "batch_size = 512")
    .replace("n_epochs = 1", "n_epochs = 4")
    .replace("trunk = [16]", "trunk = [64]")
    .replace("final_deals = 8", "final_deals = 500")
    .replace("every = 256", "every = 100_000")
    .replace("snapshot_every = 1", "snapshot_every = 4")
)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def trained(tmp_path, text, game="mnk", runners=2, **more):
    """Run `train` with RLlib under settings given as a text."""
    path = tmp_path / "settings.toml"
    path.write_text(text)
    plan = RunPlan(game, **{"settings": path, **more})
    return distributed(plan, num_env_runners=runners)


def test_it_learns(tmp_path):
    content = trained(tmp_path, SHORT, out=tmp_path / "run")
    (row,) = content["results"]
    assert (row["against"], row["errors"]) == ("random", 0)
    assert row["low"] > 0.5
    assert content["engine"]["env_runners"] == 2
    seen = match("mnk", [OnnxPolicy(tmp_path / "run" / "policy.onnx"), "random"], 300, 5, m=3, n=3, k=3)
    assert seen.agents[0].score_interval[0] > 0.5


def test_a_killed_runner_is_started_again(tmp_path, monkeypatch):
    killed, rounds = [], []
    on_step = Progress._on_step

    def watched(self):
        group = self.model.algorithm.env_runner_group
        rounds.append(group.num_healthy_remote_workers())
        if self.num_timesteps == 2 * ROLLOUT:
            (pid,) = group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False, remote_worker_ids=[1])
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        if killed and len(rounds) > 3 and rounds[-1] == 2:
            alive = group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)
            assert len(set(alive)) == 2
            assert killed[0] not in alive
            one, two = group.foreach_env_runner(lambda runner: runner.module.get_state(), local_env_runner=False)
            assert all((value == two[name]).all() for name, value in one.items())
            raise KeyboardInterrupt  # seen enough
        return on_step(self)

    monkeypatch.setattr(Progress, "_on_step", watched)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, TINY, out=tmp_path / "run", timesteps=10**7)
    assert killed
    assert 1 in rounds  # the other went on alone
    assert rounds[-1] == 2


def test_a_run_is_resumed_by_either_engine(tmp_path, monkeypatch):
    folder, on_step = tmp_path / "run", Progress._on_step

    def interrupted(self):
        if self.num_timesteps > 2 * ROLLOUT:
            raise KeyboardInterrupt
        return on_step(self)

    monkeypatch.setattr(Progress, "_on_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, TINY, out=folder, runners=0)
    monkeypatch.undo()
    kept = checkpoint.load(folder)
    assert (kept["timesteps"], len(kept["pool"]["snapshots"])) == (2 * ROLLOUT, 2)
    assert (
        OnnxPolicy(folder / "policy.onnx").about["timesteps"] == 2 * ROLLOUT
    )  # a run that was cut off can be measured
    game = envs.game("mnk")
    run = ClusterRun(game, game.make_variant(m=3, n=3, k=3), kept["settings"], folder, kept)
    run.model._send()
    run.model._fetch()
    assert all((value == kept["policy"][name]).all() for name, value in run.policy.state_dict().items())
    moments = run.policy.optimizer.state_dict()["state"][0]["exp_avg"]
    assert (moments == kept["optimizer"]["state"][0]["exp_avg"]).all()
    assert moments.abs().sum() > 0
    sent = run.model.algorithm.env_runner.module.get_state()
    assert all((sent[f"net.{name}"] == value.numpy()).all() for name, value in kept["policy"].items())
    run.model.stop()
    content = distributed(RunPlan("mnk", out=folder, resume=True))
    assert (content["timesteps"], [row["timesteps"] for row in content["evaluations"]]) == (512, [256, 512])
    assert train(RunPlan("mnk", out=folder, resume=True, timesteps=600))["engine"] == {"name": "compiled"}


def test_a_learner_is_taught_first_and_then_learns_at_the_rate_of_the_settings(tmp_path):
    text = TINY.replace("anneal = true", "anneal = false") + '[taught.imitation]\nteacher = "easy"\ndecisions = 256\n'
    content = trained(tmp_path, text, runners=0, out=tmp_path / "run", preset="taught")
    assert (content["imitated"], content["timesteps"]) == (256, 512)
    kept = checkpoint.load(tmp_path / "run")
    assert [group["lr"] for group in kept["optimizer"]["param_groups"]] == [1e-3]


def test_the_weight_of_entropy_goes_where_the_settings_say(tmp_path, monkeypatch):
    weights, on_step = [], Progress._on_step

    def watched(self):
        learner = self.model.algorithm.learner_group._learner
        weights.append(float(learner.entropy_coeff_schedulers_per_module[DEFAULT_MODULE_ID].get_current_value()))
        return on_step(self)

    monkeypatch.setattr(Progress, "_on_step", watched)
    trained(
        tmp_path, TINY.replace("entropy = 0.01", "entropy = 0.01\nentropy_end = 0.002"), runners=0, out=tmp_path / "run"
    )
    assert weights == pytest.approx([0.008, 0.006, 0.004, 0.002])


def test_four_seats_and_a_critic_that_sees_them_all(tmp_path):
    text = FOUR_SEATS.replace('activation = "relu"', 'activation = "relu"\ncritic = "everything"')
    content = trained(tmp_path, text, game="daifugo", runners=0, out=tmp_path / "run")
    assert (content["timesteps"], content["results"][0]["errors"]) == (512, 0)


def test_advantages_are_those_of_the_definition():
    rng, steps, n, gamma, decay = np.random.default_rng(0), 6, 3, 0.9, 0.8
    values, rewards, last = rng.normal(size=(steps, n)), rng.normal(size=(steps, n)), rng.normal(size=n)
    ended = rng.random((steps, n)) < 0.3
    rollout = Rollout(steps, np.zeros((n, 2)), np.zeros((n, 2)))
    for step in range(steps):
        none = np.zeros(n)
        rollout.add(step, np.zeros((n, 2)), np.zeros((n, 2)), none, none, values[step], rewards[step], ended[step])
    rollout.finish(last, gamma, decay)
    for table in range(n):
        for step in range(steps):
            total, weight = 0.0, 1.0
            for t in range(step, steps):
                after = last[table] if t == steps - 1 else values[t + 1, table]
                total += weight * (rewards[t, table] + gamma * after * (not ended[t, table]) - values[t, table])
                weight *= gamma * decay
                if ended[t, table]:
                    break
            assert rollout.advantages[step, table] == pytest.approx(total, abs=1e-5)


def test_an_opponent_that_fails_is_told(tmp_path):
    text = TINY.replace("easy = 1", '"tests.agents.strange:Raising" = 1').replace("self = 1", "self = 0")
    with pytest.raises(RuntimeError, match="an environment runner failed"):
        trained(tmp_path, text, out=tmp_path / "run", runners=0, allow_code=["tests.agents.strange:Raising"])


def test_the_command_joins_a_cluster_and_its_policy_is_evaluated(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    address, out = ray.get_runtime_context().gcs_address, tmp_path / "run"
    given = ["--settings", str(tmp_path / "tiny.toml"), "--out", str(out), "--engine", "rllib"]
    given += ["--num-env-runners", "1", "--address", address, "--json"]
    command = [sys.executable, "-m", "kozyr.training.cli", "train", "mnk", *given]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["engine"]["env_runners"] == 1
    told = CliRunner().invoke(app, ["evaluate", str(out / "policy.onnx"), "--against", "random", "--deals", "4"])
    assert (told.exit_code, "random" in told.output) == (0, True)


def test_an_address_where_no_cluster_answers_is_named(tmp_path):
    given = ["--engine", "rllib", "--out", str(tmp_path / "run"), "--address", "127.0.0.1:1"]
    told = CliRunner().invoke(app, ["train", "mnk", *given])
    assert told.exit_code == 2
    assert "no Ray cluster answers at '127.0.0.1:1'" in told.output
    assert not (tmp_path / "run").exists()


def test_a_cluster_that_is_too_small_is_told():
    with pytest.raises(ValueError, match="10 environment runners need a core each and the cluster has 2"):
        require_cores(ray, 10)


def test_runners_without_a_table_are_refused(tmp_path):
    text = TINY.replace("num_tables = 8", "num_tables = 1").replace("batch_size = 64", "batch_size = 16")
    with pytest.raises(ValueError, match="2 environment runners share 1 tables"):
        trained(tmp_path, text, runners=2, out=tmp_path / "run")


@pytest.mark.parametrize("line", ['algorithm = "mmd"', 'advantage = "action_values"'])
def test_what_rllib_has_not_is_refused(tmp_path, line):
    path = tmp_path / "settings.toml"
    path.write_text(TINY.replace("clip = 0.2", f"clip = 0.2\n{line}"))
    with pytest.raises(ValueError, match="is not allowed with --engine rllib: leave the engine out"):
        distributed(RunPlan("mnk", out=tmp_path / "run", settings=path))


def test_a_sweep_tries_settings_and_tells_the_best_first(tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    given: dict[str, Any] = {"trials": 2, "out": tmp_path / "sweep", "settings": tmp_path / "tiny.toml"}
    found = sweep("mnk", **given)
    assert json.loads((tmp_path / "sweep" / "sweep.json").read_text()) == found
    one, two = found["trials"]
    assert one["score"] >= two["score"]
    assert one["settings"] != two["settings"]
    assert all(1e-3 / 4 <= trial["settings"]["learning_rate"] <= 1e-3 * 4 for trial in (one, two))
    assert 512 in (one["timesteps"], two["timesteps"])
    with pytest.raises(ValueError, match="there is a sweep in"):
        sweep("mnk", **given)
    with locked(tmp_path / "sweep", "sweep"), pytest.raises(ValueError, match=f"process, {os.getpid()} on .* sweep in"):
        sweep("mnk", **given)
    with pytest.raises(ValueError, match="trials=0 is not allowed"):
        sweep("mnk", trials=0, out=tmp_path / "none")


def test_a_run_may_be_given_minutes(tmp_path, monkeypatch):
    ticks = count(step=20.0)
    monkeypatch.setattr("kozyr.training.run.callbacks.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    places, update = [], TablesPPO.training_step
    monkeypatch.setattr(TablesPPO, "training_step", lambda it: places.append(it.place) or update(it))
    text = TINY.replace("every = 256", "every = 1_000_000").replace("timesteps = 512", "timesteps = 12_800")
    content = trained(tmp_path, text, out=tmp_path / "run", minutes=1.5)
    assert (content["timesteps"], content["seconds"]) == (4 * ROLLOUT, 80.0)
    assert places == [round(12_800 * spent / 90) for spent in (0, 20, 40, 60)]
