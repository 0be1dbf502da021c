"""Imitation: the learner takes after its teacher, in threads too."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.imitation.imitation import Imitation
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.training.tiny import TINY

LESSONS = """
[default.imitation]
teacher = "easy"
decisions = 3_000
learning_rate = 5e-3
epochs = 4
memory = 1_000
"""


def test_a_learner_takes_after_its_teacher(tmp_path, tiny):
    tiny.write_text(TINY.replace("[wide.variant]", LESSONS + "[wide.variant]"))
    content = train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, imitation={"own": 0.25}))
    assert content["imitated"] >= 3_000
    assert content["timesteps"] == 0
    assert content["seconds"] > 0
    taught, easy = OnnxPolicy(tmp_path / "run" / "policy.onnx"), agents.load("mnk:easy", m=3, n=3, k=3)
    tables = envs.make_tables("mnk", 64, seed=5, m=3, n=3, k=3)
    agreed = []
    for _ in range(4):
        answers = easy.act_batch(tables.views, tables.masks)
        agreed.append((answers == taught.act_batch(tables.views, tables.masks)).mean())
        tables.step(answers)
    assert np.mean(agreed) > 0.4  # a guess among the free cells agrees less than one time in six
    trained = train(RunPlan("mnk", out=tmp_path / "run", resume=True, timesteps=256))
    assert trained["timesteps"] == 256
    assert trained["imitated"] == content["imitated"]
    assert trained["seconds"] >= content["seconds"]  # which are rounded


def test_lessons_that_were_stopped_go_on(tmp_path, tiny, monkeypatch):
    lessons = {"teacher": "easy", "decisions": 1_000}
    learn = Imitation._round

    def stopped(it: Imitation) -> float:
        if it.run.imitated:
            raise KeyboardInterrupt
        return learn(it)

    with monkeypatch.context() as patched:
        patched.setattr(Imitation, "_round", stopped)
        with pytest.raises(KeyboardInterrupt):
            train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, imitation=lessons))
    assert 0 < checkpoint.load(tmp_path / "run")["imitated"] < 1_000
    content = train(RunPlan("mnk", out=tmp_path / "run", resume=True, imitation=lessons))
    assert content["imitated"] >= 1_000
    assert content["timesteps"] == 0


def test_a_teacher_who_looks_ahead_answers_the_same_in_threads(tmp_path, tiny):
    def taught(folder: str, threads: int) -> Any:
        lessons = {"teacher": "pimc@4", "decisions": 128}
        train(RunPlan("mnk", out=tmp_path / folder, settings=tiny, imitation=lessons, threads=threads))
        return checkpoint.load(tmp_path / folder)["policy"]

    alone, shared = taught("alone", 1), taught("shared", 2)
    assert all(torch.allclose(alone[name], shared[name], atol=1e-6) for name in alone)


@pytest.mark.parametrize(
    ("lessons", "words"),
    [
        ({"decisions": 10}, "imitation: teacher is missing"),
        ({"teacher": "nobody", "decisions": 10}, "imitation: teacher: unknown agent 'nobody' of mnk"),
        ({"teacher": "easy", "decisions": 0}, "decisions=0 is not allowed: decisions is a whole number from 1"),
        ({"teacher": "easy", "decisions": 9, "own": 2}, "own=2 is not allowed"),
        ({"teacher": "easy", "decisions": 9, "epoch": 2}, "unknown key 'epoch'. Did you mean 'epochs'"),
    ],
)
def test_wrong_lessons_are_named(tmp_path, tiny, lessons, words):
    with pytest.raises(ValueError, match=words):
        train(RunPlan("mnk", out=tmp_path / "run", settings=tiny, imitation=lessons))
    assert not (tmp_path / "run" / "checkpoint.pt").exists()
