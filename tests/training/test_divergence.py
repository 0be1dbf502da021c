"""A training that diverges: settings that would make NaN are refused, and NaN is never saved."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.training import ppo_single_file
from kozyr.training.export.condense import condense
from kozyr.training.imitation.imitation import Imitation
from kozyr.training.learners.compiled.parameters import Parameters
from kozyr.training.learners.compiled.ppo import CompiledPPO
from kozyr.training.learners.ppo import RegularisedPPO
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import Run, train
from kozyr.training.settings import run_settings
from tests.test_cli import run
from tests.training.tiny import ROLLOUT, TINY

MMD = ("clip = 0.2", 'clip = 0.2\nalgorithm = "mmd"')


def written(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    path, text = tmp_path / "tiny.toml", TINY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return path


@pytest.mark.parametrize("algorithm", ["ppo", "mmd"])
@pytest.mark.parametrize(
    ("tables", "steps", "batch", "instead"), [(13, 5, 64, 65), (13, 5, 2, 3), (3, 3, 8, 9), (3, 3, 4, 5), (9, 1, 2, 3)]
)
def test_a_minibatch_of_one_is_refused_with_one_that_would_do(
    tmp_path: Path, tables: int, steps: int, batch: int, instead: int, algorithm: str
) -> None:
    sizes = [("num_tables = 8", f"num_tables = {tables}"), ("n_steps = 16", f"n_steps = {steps}")]
    clip = ("clip = 0.2", f'clip = 0.2\nalgorithm = "{algorithm}"')
    path = written(tmp_path, *sizes, clip, ("batch_size = 64", f"batch_size = {batch}"))
    words = rf"batch_size={batch} is not allowed: .* = {tables * steps} decisions, .* take batch_size={instead}, or"
    with pytest.raises(ValueError, match=words):
        run_settings.load(envs.game("mnk"), path=path)
    path.write_text(path.read_text().replace(f"batch_size = {batch}", f"batch_size = {instead}"))
    assert run_settings.load(envs.game("mnk"), path=path)["batch_size"] == instead


def test_every_other_rest_is_allowed_and_leaves_finite_weights(tmp_path: Path) -> None:
    for batch in (63, 62, 126, 128):
        path = written(tmp_path, ("batch_size = 64", f"batch_size = {batch}"))
        game, given = envs.game("mnk"), run_settings.load(envs.game("mnk"), path=path)
        its = Run(game, game.make_variant(**given["variant"]), given, tmp_path)
        its.model.learn(ROLLOUT)
        assert not any(one.isnan().any() for one in its.model.policy.parameters()), batch


def test_no_preset_leaves_a_minibatch_of_one() -> None:
    for name in envs.games():
        for preset in run_settings.presets.read(name, None)[1]:
            given = run_settings.load(envs.game(name), preset)
            assert given["num_tables"] * given["n_steps"] % given["batch_size"] != 1, (name, preset)


def test_the_regularised_learner_takes_one_decision_as_it_is() -> None:
    options: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
    env = TablesVecEnv(envs.game("mnk"), 13, agents.load("random", "mnk", **options), seed=1, **options)
    model = RegularisedPPO("MlpPolicy", env, n_steps=5, batch_size=64, n_epochs=1, device="cpu", seed=1)
    model.learn(130)
    assert all(bool(one.isfinite().all()) for one in model.policy.parameters())


def spoil(monkeypatch: pytest.MonkeyPatch, value: float, after: int) -> None:
    """Let the optimizer of either engine make a weight NaN or infinite at an update."""
    done = [0]

    def spoiled(step: Any, weights: Any) -> Any:
        def stepped(self: Any, *given: Any) -> Any:
            done[0] += 1
            result = step(self, *given)
            if done[0] == after:
                weights(self)[3] = value
            return result

        return stepped

    by_torch = spoiled(torch.optim.Adam.step, lambda self: self.param_groups[0]["params"][0].data.view(-1))
    monkeypatch.setattr(torch.optim.Adam, "step", by_torch)
    monkeypatch.setattr(Parameters, "step", spoiled(Parameters.step, lambda self: self.numbers))


@pytest.mark.parametrize("engine", ["compiled", "sb3"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("change", [("seed = 3", "seed = 3"), MMD], ids=["ppo", "mmd"])
def test_a_run_stops_at_the_first_nan_with_its_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], value: float, engine: str
) -> None:
    path, out = written(tmp_path, change, ("timesteps = 512", f"timesteps = {4 * ROLLOUT}")), tmp_path / "run"
    batches = ROLLOUT // 64
    spoil(monkeypatch, value, 2 * batches + 1)
    with pytest.raises(RuntimeError, match=r"has diverged: .* is NaN or infinite. Its last good checkpoint is kept"):
        train(RunPlan("mnk", out=out, settings=path, engine=engine))
    assert checkpoint.load(out)["timesteps"] == 2 * ROLLOUT
    assert not (out / "policy.onnx").exists()
    found = train(RunPlan("mnk", out=out, resume=True, seed=4))
    assert found["timesteps"] == 4 * ROLLOUT


def test_a_run_stops_at_a_loss_that_is_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_learning(self: Any) -> None:
        self.logger.record("train/loss", math.nan)

    monkeypatch.setattr("sb3_contrib.MaskablePPO.train", no_learning)
    monkeypatch.setattr(CompiledPPO, "train", no_learning)
    with pytest.raises(RuntimeError, match=r"has diverged: the loss is NaN or infinite. Nothing was saved"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=written(tmp_path)))
    assert not (tmp_path / "run" / "checkpoint.pt").exists()


def test_the_command_line_says_it_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, math.nan, 1)
    path = written(tmp_path)
    ended = run("train", "mnk", "--settings", str(path), "--out", str(tmp_path / "run"), code=1)
    assert "has diverged" in ended.stderr
    assert "Traceback" not in ended.output


def test_lessons_that_diverge_are_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = Imitation._learn

    def spoiled(self: Any, rows: Any) -> None:
        learn(self, rows)
        if self.run.imitated > ROLLOUT:
            next(iter(self.run.model.policy.parameters())).data.fill_(math.nan)

    monkeypatch.setattr(Imitation, "_learn", spoiled)
    lessons = {"teacher": "easy", "decisions": 3 * ROLLOUT}
    with pytest.raises(RuntimeError, match=r"policy\..* is NaN or infinite. Its last good checkpoint is kept"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=written(tmp_path), imitation=lessons))
    assert checkpoint.load(tmp_path / "run")["imitated"] == ROLLOUT


def test_no_policy_is_exported_with_nan(tmp_path: Path) -> None:
    made = ppo_single_file.Settings("mnk", deals=1, variant={"m": 3, "n": 3, "k": 3}, width=8)
    net = ppo_single_file.Net(np.ones(envs.game("mnk").size(envs.game("mnk").make_variant(m=3, n=3, k=3))), 9, 8)
    net.actor.weight.data[0, 0] = math.inf
    with pytest.raises(ValueError, match="cannot be exported: it has weights that are NaN or infinite"):
        ppo_single_file.export(net, made, tmp_path / "policy.onnx")
    assert list(tmp_path.iterdir()) == []


def test_ppo_in_one_file_stops_where_the_loss_is_no_number() -> None:
    made = ppo_single_file.Settings("mnk", opponent="random", decisions=4096, tables=4, steps=8, learning_rate=1e30)
    with pytest.raises(RuntimeError, match=r"the loss is \w+ after \d+ rollouts: take a lower learning_rate"):
        ppo_single_file.train(made, say=lambda _: None)


def test_weights_too_large_for_a_small_policy_are_refused(tmp_path: Path) -> None:
    train(RunPlan("mnk", out=tmp_path / "run", settings=written(tmp_path)))
    kept = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)
    kept["policy"]["action_net.weight"][0, 0] = 1e6
    torch.save(kept, tmp_path / "run" / "checkpoint.pt")
    with pytest.raises(ValueError, match="cannot be condensed: outer has weights beyond 65,504"):
        condense(tmp_path / "run", tmp_path / "small.npz")
    assert not (tmp_path / "small.npz").exists()
