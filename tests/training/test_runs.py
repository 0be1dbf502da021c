"""A whole small run, Ctrl-C and resume, checkpoints that are refused, and a frozen policy as the opponent."""

import json
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from kozyr import envs
from kozyr.training.learners.compiled.ppo import CompiledPPO
from kozyr.training.run import checkpoint, schedule
from kozyr.training.run.callbacks import Progress
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import Run, train
from tests.training.tiny import ROLLOUT, edited


def test_a_run_leaves_everything_behind(finished):
    kept = json.loads((finished / "run.json").read_text())
    assert (kept["timesteps"], kept["seed"], kept["game"]) == (512, 3, "mnk_v0")
    assert [row["timesteps"] for row in kept["evaluations"]] == [256, 512]
    assert [row["deals"] for row in kept["results"]] == [8]
    assert 0 <= kept["results"][0]["low"] <= kept["results"][0]["score"] <= kept["results"][0]["high"] <= 1
    assert kept["results"][0]["errors"] == 0
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert not list(finished.glob("*.part*"))
    assert kept["machine"]["processor"]


def test_tensorboard_can_read_a_run(finished):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    told: Any = EventAccumulator(str(finished / "tensorboard")).Reload()
    assert {"rollout/ep_rew_mean", "train/loss"} <= set(told.Tags()["scalars"])
    assert [event.step for event in told.Scalars("train/loss")][-1] == 512


def test_a_run_is_not_written_over(finished, tiny):
    before = (finished / "checkpoint.pt").read_bytes()
    with pytest.raises(ValueError, match=r"there is a run in .* already"):
        train(RunPlan("mnk", out=finished, settings=tiny))
    assert (finished / "checkpoint.pt").read_bytes() == before


def test_ctrl_c_loses_the_current_rollout_only(tmp_path, tiny, monkeypatch):
    on_step = Progress._on_step

    def interrupted(self):
        if self.num_timesteps >= 2 * ROLLOUT + 24:
            raise KeyboardInterrupt
        return on_step(self)

    monkeypatch.setattr(Progress, "_on_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(RunPlan("mnk", out=tmp_path / "run", settings=tiny))
    monkeypatch.undo()
    kept = checkpoint.load(tmp_path / "run")
    assert kept["timesteps"] == 2 * ROLLOUT
    assert len(kept["pool"]["snapshots"]) == 2
    weights = kept["policy"]
    run = Run(envs.game("mnk"), envs.game("mnk").make_variant(m=3, n=3, k=3), kept["settings"], tmp_path / "run", kept)
    assert all(torch.equal(value, weights[name]) for name, value in run.model.policy.state_dict().items())
    moments = run.model.policy.optimizer.state_dict()["state"]
    assert torch.equal(moments[0]["exp_avg"], kept["optimizer"]["state"][0]["exp_avg"])
    content = train(RunPlan("mnk", out=tmp_path / "run", resume=True))
    assert content["timesteps"] == 512
    assert [row["timesteps"] for row in content["evaluations"]] == [256, 512]
    assert train(RunPlan("mnk", out=tmp_path / "run", resume=True, timesteps=600))["timesteps"] == 5 * ROLLOUT


@pytest.mark.parametrize(("end", "weights"), [("", [0.01] * 4), ("entropy_end = 0.002", [0.008, 0.006, 0.004, 0.002])])
def test_the_weight_of_entropy_may_change_over_a_run(tmp_path, tiny, monkeypatch, end, weights):
    seen, update = [], CompiledPPO.train
    monkeypatch.setattr(CompiledPPO, "train", lambda learner: (seen.append(learner.ent_coef), update(learner)))
    train(RunPlan("mnk", out=tmp_path / "run", settings=edited(tiny, "entropy = 0.01", f"entropy = 0.01\n{end}")))
    assert seen == pytest.approx(weights)


def test_a_run_may_be_given_minutes(tmp_path, tiny, monkeypatch):
    ticks, rates, update = count(step=20.0), [], CompiledPPO.train
    monkeypatch.setattr("kozyr.training.run.callbacks.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    monkeypatch.setattr(CompiledPPO, "train", lambda learner: (rates.append(learner.lr_schedule(1.0)), update(learner)))
    settings = edited(tiny, "every = 256", "every = 1_000_000")
    content = train(RunPlan("mnk", out=tmp_path / "run", settings=settings, timesteps=100 * ROLLOUT, minutes=1.5))
    assert (content["timesteps"], content["seconds"], content["settings"]["minutes"]) == (4 * ROLLOUT, 80.0, 1.5)
    assert rates == pytest.approx([1e-3 * left / 90 for left in (90, 70, 50, 30)])
    assert train(RunPlan("mnk", out=tmp_path / "run", resume=True))["timesteps"] == 4 * ROLLOUT  # no time for a fifth
    later = train(RunPlan("mnk", out=tmp_path / "run", resume=True, timesteps=6 * ROLLOUT, minutes=0))
    assert later["timesteps"] == 6 * ROLLOUT


@pytest.mark.parametrize(("every", "rollouts", "evaluated"), [(1, 3, [1, 2]), (3, 5, [])])
def test_an_evaluation_is_left_out_where_it_would_last_too_long(
    tmp_path, tiny, monkeypatch, every, rollouts, evaluated
):
    ticks = count(step=20.0)
    monkeypatch.setattr("kozyr.training.run.callbacks.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    settings = edited(tiny, "every = 256", f"every = {every * ROLLOUT}")
    content = train(RunPlan("mnk", out=tmp_path / "run", settings=settings, timesteps=100 * ROLLOUT, minutes=1.7))
    assert (content["timesteps"], content["seconds"]) == (rollouts * ROLLOUT, 100.0)
    assert [row["timesteps"] for row in content["evaluations"][:-1]] == [one * ROLLOUT for one in evaluated]


def test_lessons_count_as_time_but_leave_the_rate_whole():
    settings = {"minutes": 10.0}
    assert schedule.time_left(settings, 240.0, 240.0) == 1.0
    assert schedule.time_left(settings, 510.0, 240.0) == 0.25
    assert schedule.time_left(settings, 610.0, 240.0) == 0.0
    assert schedule.time_left(settings, 700.0, 700.0) == 0.0
    assert schedule.time_left({"minutes": 0.0}, 1e6, 0.0) == 1.0


def test_the_same_seed_trains_the_same_policy(tmp_path, tiny):
    for name in ("one", "two"):
        train(RunPlan("mnk", out=tmp_path / name, settings=tiny, timesteps=ROLLOUT))
    one, two = (checkpoint.load(tmp_path / name)["policy"] for name in ("one", "two"))
    assert all(torch.equal(value, two[name]) for name, value in one.items())


def test_foreign_checkpoints_are_refused(finished, tmp_path):
    content = checkpoint.load(finished)
    path = finished / "checkpoint.pt"
    with pytest.raises(ValueError, match="trains mnk_v0, not durak_v0"):
        train(RunPlan("durak", out=finished, resume=True))
    with pytest.raises(ValueError, match="another variant: m=3, not 4"):
        train(RunPlan("mnk", out=finished, resume=True, options={"m": 4}))
    torch.save({**content, "game": "mnk_v7"}, path)
    with pytest.raises(ValueError, match="trains mnk_v7, not mnk_v0"):
        train(RunPlan("mnk", out=finished, resume=True))
    torch.save({**content, "view": [*content["view"][:-1], ["old", 0, 1, 1]]}, path)
    with pytest.raises(ValueError, match="another view of mnk_v0"):
        train(RunPlan("mnk", out=finished, resume=True))
    torch.save({"weights": 1}, path)
    with pytest.raises(ValueError, match="is no checkpoint"):
        train(RunPlan("mnk", out=finished, resume=True))
    path.write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match="cannot be read"):
        train(RunPlan("mnk", out=finished, resume=True))
    with pytest.raises(ValueError, match="there is no run to resume"):
        train(RunPlan("mnk", out=tmp_path / "nowhere", resume=True))


def test_a_frozen_policy_is_played_against(finished, tmp_path, tiny):
    policy = str(finished / "policy.onnx")
    content = train(RunPlan("mnk", out=tmp_path / "exploit", settings=tiny, against=policy))
    assert content["settings"]["opponents"] == {policy: 1.0}
    assert [row["against"] for row in content["results"]] == [policy]


def test_who_plays_against_a_policy_may_have_learned_from_it_first(finished, tmp_path, tiny):
    policy = str(finished / "policy.onnx")
    lessons = {"teacher": policy, "decisions": 2 * ROLLOUT}
    content = train(RunPlan("mnk", out=tmp_path / "exploit", settings=tiny, against=policy, imitation=lessons))
    assert (content["imitated"], content["timesteps"]) == (2 * ROLLOUT, 512)


def test_settings_tell_the_variant_that_was_asked_for(tmp_path, tiny):
    content = train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, options={"last_reply": False}))
    assert content["settings"]["variant"]["last_reply"] is False
    assert content["options"]["last_reply"] is False
