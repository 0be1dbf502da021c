"""Magnetic mirror descent and the critic of actions: what they compute, what they hold back, and what is kept."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from kozyr import envs
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import Run, train
from kozyr.training.settings import run_settings
from tests.training.tiny import TINY

MMD = 'algorithm = "mmd"\n'
CRITIC = 'advantage = "action_values"\n'


def run_of(folder: Path, more: str, mmd: str = "") -> Run:
    """Return a run of tiny settings with more keys, and a table `mmd`."""
    path = folder / "tiny.toml"
    path.write_text(
        TINY.replace("[default]\n", f'[default]\nengine = "sb3"\n{more}') + (f"[default.mmd]\n{mmd}" if mmd else "")
    )
    given = run_settings.load(envs.game("mnk"), path=path)
    game = envs.game("mnk")
    return Run(game, game.make_variant(**given["variant"]), given, folder / "run")


def played(run: Run) -> Any:
    """Return the learner after its first rollout, which it has not learned from."""
    model, done = run.model, list[int]()
    learn, model.train = model.train, lambda: done.append(1)
    model.learn(1)
    model.train = learn
    assert done == [1]
    model.lr_schedule = lambda _: 0.01
    return model


def reader(model: Any) -> Callable[[], torch.Tensor]:
    """Return what tells the logarithms of the policy's chances at the rollout's decisions, as it is then."""
    buffer = model.rollout_buffer  # puts its rows in another order when it is learned from
    views = torch.from_numpy(buffer.observations.reshape(-1, buffer.observations.shape[-1]).copy())
    masks = torch.from_numpy(buffer.action_masks.reshape(len(views), -1).copy())

    def logs() -> torch.Tensor:
        with torch.no_grad():
            chances = model.policy.get_distribution(views, masks.numpy()).distribution
            return chances.logits.masked_fill(masks == 0, -np.inf)

    return logs


def test_expected_sarsa_is_what_its_definition_says(tmp_path: Path) -> None:
    """The return of a decision is the reward, and then a mixture of the policy's expectation and the next return."""
    model = played(run_of(tmp_path, CRITIC))
    buffer, policy = model.rollout_buffer, model.policy
    model.gamma, decay = 0.9, model.gae_lambda
    rewards = np.random.default_rng(0).normal(size=buffer.rewards.shape).astype(np.float32)
    buffer.rewards = rewards
    model._expected_sarsa()

    def expected(views: Any, masks: Any) -> tuple[Any, Any]:
        with torch.no_grad():
            shown = torch.from_numpy(np.asarray(views)).float()
            latent = policy.mlp_extractor.forward_critic(policy.extract_features(shown, policy.vf_features_extractor))
            values = policy.action_values(latent).numpy()
            chances = policy.get_distribution(shown, np.asarray(masks)).distribution.probs.numpy()
        return values, (values * chances).sum(1)

    steps, tables = rewards.shape
    found = [expected(buffer.observations[t], buffer.action_masks[t]) for t in range(steps)]
    last = expected(model._last_obs, model.env.env_method("action_masks"))[1]
    for k in range(tables):
        after = 0.0
        for t in reversed(range(steps)):
            ends = buffer.episode_starts[t + 1, k] if t + 1 < steps else model._last_episode_starts[k]
            state = found[t + 1][1][k] if t + 1 < steps else last[k]
            mixed = state if t + 1 == steps else (1 - decay) * state + decay * after
            if (
                t + 1 < steps and not ends
            ):  # the trace bears the expectation in place of what the critic said of the action
                taken = found[t + 1][0][k, int(buffer.actions[t + 1, k, 0])]
                mixed = state + decay * (after - taken)
            after = float(rewards[t, k]) + (0.0 if ends else 0.9 * mixed)
            assert buffer.returns[t, k] == pytest.approx(after, abs=1e-5)
            assert buffer.advantages[t, k] == pytest.approx(after - found[t][1][k], abs=1e-5)


def test_the_critic_of_actions_learns_what_actions_are_worth(tmp_path: Path) -> None:
    run = run_of(tmp_path, CRITIC)
    model = played(run)
    before = model.policy.action_values.weight.detach().clone()
    model.train()
    assert not torch.equal(before, model.policy.action_values.weight)


def pushed(run: Run) -> Any:
    """Return a learner that has nothing to learn from its rollout, with another policy than the one that played it."""
    model = played(run)
    model.rollout_buffer.advantages[:] = 0.0
    model.vf_coef, model.n_epochs, model.ent_coef = 0.0, 40, 1.0
    with torch.no_grad():
        model.policy.action_net.weight += torch.randn_like(model.policy.action_net.weight)
    return model


def divergence(now: torch.Tensor, other: torch.Tensor) -> float:
    return float(torch.where(torch.isfinite(now), now.exp() * (now - other), 0.0).sum(1).mean())


@pytest.mark.parametrize("magnet", ["uniform", "average"])
def test_a_magnet_pulls_a_policy_back(tmp_path: Path, magnet: str) -> None:
    run = run_of(tmp_path, MMD, f'magnet = "{magnet}"\ndecay = 1.0\ntrust = 0.0\n')
    kept = copy.deepcopy(run.model.policy.action_net)
    model = pushed(run)
    logs = reader(model)
    before = logs()
    if magnet == "average":
        now, model.policy.action_net = model.policy.action_net, kept
        magnet_at = logs()
        model.policy.action_net = now
    else:
        legal = torch.isfinite(before)
        magnet_at = torch.where(legal, -legal.sum(1, keepdim=True).float().log(), -torch.inf)
    model.train()
    assert divergence(before, magnet_at) > 0.1
    assert divergence(logs(), magnet_at) < 0.2 * divergence(before, magnet_at)


def test_trust_keeps_a_policy_near_the_one_that_played(tmp_path: Path) -> None:
    moved = list[float]()
    for trust in (0.0, 10.0):
        torch.manual_seed(1)
        model = pushed(run_of(tmp_path, MMD, f"trust = {trust}\n"))
        logs = reader(model)
        before = logs()
        model.train()
        moved.append(divergence(logs(), before))
    free, held = moved
    assert 0 < held < 0.2 * free


def test_a_run_goes_on_with_its_magnet_and_its_critic(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.replace("[default]\n", f"[default]\n{MMD}{CRITIC}") + '[default.mmd]\nmagnet = "average"\n')
    train(RunPlan("mnk", out=tmp_path / "run", settings=path, timesteps=256))
    kept = checkpoint.load(tmp_path / "run")["policy"]
    assert not torch.equal(kept["magnet.head.weight"], kept["action_net.weight"])
    assert kept["action_values.weight"].shape == (9, 8)
    found = train(RunPlan("mnk", out=tmp_path / "run", settings=path, timesteps=512, resume=True))
    assert found["timesteps"] == 512
    now = checkpoint.load(tmp_path / "run")["policy"]
    assert not torch.equal(kept["magnet.head.weight"], now["magnet.head.weight"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("clip = 0.2", 'clip = 0.2\nalgorithm = "dqn"', "algorithm is one of 'ppo', 'mmd'"),
        ("clip = 0.2", 'clip = 0.2\nmmd = {magnet = "north"}', "magnet is one of 'uniform', 'average'"),
        ("clip = 0.2", "clip = 0.2\nmmd = {decay = 2}", "decay is a number from 0 to 1"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.replace(old, new))
    with pytest.raises(ValueError, match=words):
        run_settings.load(envs.game("mnk"), path=path)


def test_usual_settings_are_maskable_ppo_as_it_is(tmp_path: Path) -> None:
    assert type(run_of(tmp_path, "").model) is MaskablePPO


def test_without_bootstrap_a_capped_game_counts_as_what_it_pays() -> None:
    game, short = envs.game("durak"), {"deck": 36, "max_rounds": 1}
    for bootstrap in (True, False):
        random = envs.players(game, "random", short)
        tables = TablesVecEnv(game, 4, random, bootstrap=bootstrap, deck=36, max_rounds=1)
        tables.reset()
        said = list[dict[str, Any]]()
        for _ in range(40):
            tables.step_async(tables.action_masks().argmax(1))
            _, rewards, _, infos = tables.step_wait()
            assert not rewards.any()
            said += [info for info in infos if info]
        assert len(said) > 4
        assert {info["TimeLimit.truncated"] for info in said} == {bootstrap}
