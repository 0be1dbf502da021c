"""The compiled learner: rollout, gradients and update are those of torch and sb3-contrib over the same decisions."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from kozyr import agents, envs
from kozyr.training.encoders import encoder
from kozyr.training.learners.compiled import ppo
from kozyr.training.learners.compiled.agent import CompiledAgent
from kozyr.training.learners.compiled.ppo import CompiledPPO
from kozyr.training.learners.engine import learner
from kozyr.training.learners.network import Logits
from kozyr.training.learners.ppo import RegularisedPPO, _frozen
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.settings import run_settings
from kozyr.training.settings.run_settings import Settings

N, STEPS = 8, 24
NET = {"trunk": [24, 16], "heads": [12], "activation": "relu"}
MMD = {"algorithm": "mmd", "mmd": {"magnet": "average", "decay": 0.9, "trust": 0.3}}
CRITIC = {"advantage": "action_values"}
CASES: dict[
    str, tuple[str, dict[str, Any], str, dict[str, Any], dict[str, Any]]
] = {  # variant, opponent, net, settings
    "plain": ("durak", {"players": 3, "deck": 20}, "low", {}, {}),
    "no heads": ("durak", {"deck": 20}, "low", {"heads": []}, {}),
    "tanh": ("mnk", {"m": 3, "n": 3, "k": 3}, "easy", {"activation": "tanh", "heads": [12, 8]}, {}),
    "silu": ("mnk", {"m": 3, "n": 3, "k": 3}, "easy", {"activation": "silu"}, {}),
    "turned": ("durak", {"deck": 36}, "low", {"turned": True}, MMD),
    "turned, everything": ("durak", {"deck": 36}, "low", {"turned": True, "critic": "everything"}, {}),
    "levels": ("daifugo", {"players": 4}, "low", {"levels": 11}, CRITIC),
    "composed": ("daifugo", {"rules": "uecda", "rounds": 2}, "low", {"composed": True, "unseen": ["total"]}, MMD),
    "cut off": ("war", {"deck": 52, "pickup": "choice", "max_turns": 12}, "random", {}, CRITIC | MMD),
    "uniform magnet": ("draw_poker", {"players": 3}, "priority", {}, {"algorithm": "mmd"}),
    "everything": ("draw_poker", {"players": 3}, "priority", {"critic": "everything"}, MMD),
}


def settings_for(case: str, **more: Any) -> Settings:
    name, options, _, net, own = CASES[case]
    settings = run_settings.load(envs.game(name), "default")
    given = {"num_tables": N, "n_steps": STEPS, "batch_size": 80, "n_epochs": 2, "threads": 1, "clip": 0.05}
    settings |= given | {"gamma": 0.97, "gae_lambda": 0.9, "entropy": 0.05} | own | more
    if "mmd" in own:
        settings["mmd"] = {**run_settings.MirrorDescent().model_dump(), **own["mmd"]}
    return settings | {"net": {**settings["net"], **NET, **net}, "variant": options}


def made(case: str, **more: Any) -> Any:
    """Return the learner of a case, at its tables."""
    name, options, opponent, _, _ = CASES[case]
    game, settings = envs.game(name), settings_for(case, **more)
    everything = settings["net"]["critic"] == "everything"
    how = {"seed": 9, "everything": everything, "threads": settings["threads"]}
    env = TablesVecEnv(game, N, agents.load(opponent, name, **options), **how, **options)
    model = learner(game, game.make_variant(**options), env, settings, lambda: 1.0)
    model.set_logger(Logger(None, []))
    model._setup_learn(10**9)
    return model


class Still(BaseCallback):
    """Hears of everything and says nothing."""

    def _on_step(self) -> bool:
        return True


class Played:
    """What a compiled learner saw and did in a rollout, written down beside it.

    Attributes:
        views: [steps, tables, view]; masks: int8 [steps, tables, actions]; actions: int64 [steps, tables].
        last: the views after the last step.
    """

    def __init__(self, model: Any, rollouts: int = 1) -> None:
        decide, seen = model._decide, list[Any]()

        def watched(first: int, rngs: Any) -> Any:
            views, masks = model.env.observations(), model.env.action_masks()
            answer = decide(first, rngs)
            seen.append((views, masks, answer[0].copy()))
            return answer

        model._decide = watched
        still = Still()
        still.init_callback(model)
        for _ in range(rollouts):
            seen.clear()
            model.collect_rollouts(model.env, still, None, STEPS)
        model._decide = decide
        self.views, self.masks, self.actions = (np.stack(part) for part in zip(*seen[:-1], strict=True))
        self.last = seen[-1][0]


class Batch:
    """A batch as SB3's buffer gives it, from picked decisions of a rollout."""

    def __init__(self, model: Any, played: Played, picks: NDArray[np.int64]) -> None:
        def picked(array: NDArray[Any]) -> torch.Tensor:
            return torch.from_numpy(array.reshape(N * STEPS, -1)[picks])

        it = model._rollout
        self.observations, self.action_masks = picked(played.views).float(), picked(played.masks)
        self.actions = picked(played.actions)
        self.advantages, self.returns = picked(it.advantages)[:, 0], picked(it.returns)[:, 0]
        self.old_log_prob = torch.from_numpy(it.choices.log[it.choices.choice[picks]])


def torch_gradients(model: Any, batch: Batch) -> tuple[dict[str, float], dict[str, NDArray[Any]]]:
    """Return the terms of the loss and the gradient of each parameter, by torch alone."""
    policy, rate = model.policy, model.max_grad_norm
    before = copy.deepcopy(policy.state_dict())
    model.max_grad_norm = float("inf")
    policy.optimizer.zero_grad()
    step, policy.optimizer.step = policy.optimizer.step, lambda: None
    with torch.enable_grad():
        terms = RegularisedPPO._update(model, batch)
    policy.optimizer.step, model.max_grad_norm = step, rate
    policy.load_state_dict(before)
    found = {name: p.grad.numpy().copy() for name, p in policy.named_parameters() if p.grad is not None}
    return terms, found


@pytest.mark.parametrize(("threads", "dense"), [(1, 1.0), (2, 1.0), (2, 0.0)], ids=["1", "2", "dense"])
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_torch(case: str, threads: int, dense: float, monkeypatch: Any) -> None:
    monkeypatch.setattr("kozyr.training.learners.compiled.network.DENSE", dense)
    model = made(case, threads=threads)
    assert type(model) is CompiledPPO
    Played(model)
    model.train()  # so that policies, magnets and ratios differ
    model._before = _frozen(model._actor)
    played, rng = Played(model), np.random.default_rng(1)
    for _ in range(2):
        picks = rng.permutation(N * STEPS)[:77]
        terms, theirs = torch_gradients(model, Batch(model, played, picks))
        with torch.no_grad():
            mine = model.loss_gradient(picks)
        assert mine["loss"] == pytest.approx(terms["loss"], abs=1e-5)
        assert mine["value_loss"] == pytest.approx(terms["value_loss"], abs=1e-5)
        assert mine["from_magnet"] == pytest.approx(terms["from_magnet"], abs=1e-5)
        if model._trust:
            assert mine["from_before"] == pytest.approx(terms["from_before"], abs=1e-5)
        assert len(theirs) > 5
        for name, p in model.policy.named_parameters():
            if name in theirs:
                own, most = model._passes[0].gradient(p).numpy(), max(1, np.abs(theirs[name]).max())
                np.testing.assert_allclose(own, theirs[name], atol=1e-5 * most, err_msg=name)
        with torch.no_grad():  # the policy moves away from the one that has played
            for p in filter(lambda p: p.requires_grad, model.policy.parameters()):
                p.add_(0.03 * torch.from_numpy(rng.standard_normal(p.shape).astype(np.float32)))
        model._refresh()


@pytest.mark.parametrize("case", CASES)
def test_chances_and_values_are_those_of_torch(case: str) -> None:
    model = made(case)
    played, it = Played(model, 2), model._rollout
    views, masks = played.views.reshape(N * STEPS, -1), played.masks.reshape(N * STEPS, -1)
    legal = [np.flatnonzero(mask) for mask in masks]
    with torch.no_grad():
        tensor, about = torch.from_numpy(views).float(), torch.from_numpy(masks)
        logs = Logits(model.policy)(tensor).masked_fill(about == 0, -1e9).log_softmax(1).numpy()
        values = model.policy.predict_values(tensor)[:, 0].numpy()
    for i in range(N * STEPS):
        mine = slice(it.choices.start[i], it.choices.start[i + 1])
        np.testing.assert_array_equal(it.choices.action[mine], legal[i])
        np.testing.assert_allclose(it.choices.log[mine], logs[i, legal[i]], atol=1e-5)
    assert all(mask[action] for mask, action in zip(masks, played.actions.ravel(), strict=True))
    if model._action_values:
        with torch.no_grad():
            values, means = model._valued(views, masks)
        np.testing.assert_allclose(it.means.ravel(), means, atol=1e-5)
        values = np.take_along_axis(values, played.actions.reshape(-1, 1), 1)[:, 0]
    np.testing.assert_allclose(it.values.ravel(), values, atol=1e-5)


@pytest.mark.parametrize("case", ["plain", "cut off", "everything", "levels"])
def test_a_whole_update_is_that_of_the_other_engine(case: str) -> None:
    """The same rollout in its buffer, the same weights, whole minibatches: the same weights, twice."""
    own = {"batch_size": N * STEPS, "n_epochs": 3, "max_grad_norm": 0.2}
    model, other = made(case, **own), made(case, **own, engine="sb3")
    assert type(other) is not CompiledPPO
    other.policy.load_state_dict(model.policy.state_dict())
    for _ in range(2):
        played, it, buffer = Played(model), model._rollout, other.rollout_buffer
        buffer.reset()
        for t in range(STEPS):
            logs = it.choices.log[it.choices.choice[t * N : (t + 1) * N]]
            buffer.add(
                played.views[t],
                played.actions[t][:, None],
                it.rewards[t],
                it.starts[t],
                torch.from_numpy(it.values[t]),
                torch.from_numpy(logs),
                action_masks=played.masks[t],
            )
        with torch.no_grad():
            last = other.policy.predict_values(torch.from_numpy(played.last))
        buffer.compute_returns_and_advantage(last, model._starts)
        other._last_obs, other._last_episode_starts = played.last, model._starts
        other.env.action_masks = model.env.action_masks  # for what is worked out from the values of actions
        if not model._action_values:  # those are worked out anew
            np.testing.assert_allclose(it.returns, buffer.returns, atol=1e-5)
            np.testing.assert_allclose(it.advantages, buffer.advantages, atol=1e-5)
        model.train()
        other.train()
        mine, theirs = model.policy.state_dict(), other.policy.state_dict()
        for name, weights in mine.items():
            np.testing.assert_allclose(weights.numpy(), theirs[name].numpy(), atol=1e-5, err_msg=name)


@pytest.mark.parametrize("case", ["turned", "levels", "everything"])
def test_bfloat16_stays_near(case: str, monkeypatch: Any) -> None:
    """Products of eight bits: the loss agrees to a hundredth, and the gradient points the same way."""
    monkeypatch.setattr(encoder, "BFLOAT16", True)
    name, options, opponent, net, more = CASES[case]
    monkeypatch.setitem(CASES, "half", (name, options, opponent, {**net, "bfloat16": True}, more))
    monkeypatch.setattr("kozyr.training.learners.compiled.network.BFLOAT16", True)
    model, exact = made("half"), made(case)
    exact.policy.load_state_dict(model.policy.state_dict())
    Played(model)
    Played(exact)
    picks = np.arange(N * STEPS)
    with torch.no_grad():
        exact._refresh()
        exact._rollout.advantages[:], exact._rollout.returns[:] = model._rollout.advantages, model._rollout.returns
        one, other = model.loss_gradient(picks), exact.loss_gradient(picks)
    assert one["value_loss"] == pytest.approx(other["value_loss"], rel=0.05, abs=0.01)


def test_a_network_in_another_seat_answers_as_it_does_in_torch() -> None:
    model = made("turned")
    played = Played(model)
    agent = CompiledAgent(Logits(model.policy), "self", model.action_space.n)
    views, masks = played.views.reshape(N * STEPS, -1)[:50], played.masks.reshape(N * STEPS, -1)[:50]
    agent.reset(-1, 3)
    counts = np.zeros(masks.shape)
    for _ in range(400):
        counts[np.arange(50), agent.act_batch(views, masks)] += 1
    with torch.no_grad():
        logits = Logits(model.policy)(torch.from_numpy(views)).masked_fill(torch.from_numpy(masks) == 0, -1e9)
        chances = logits.softmax(1).numpy()
    assert not counts[masks == 0].any()
    assert np.abs(counts / 400 - chances).max() < 0.12
    agent.reset(-1, 3)
    first = [agent.act(view, mask) for view, mask in zip(views, masks, strict=True)]
    agent.reset(-1, 3)
    assert first == [agent.act(view, mask) for view, mask in zip(views, masks, strict=True)]


def test_one_seed_gives_the_same_bytes() -> None:
    weights = []
    for _ in range(2):
        model = made("turned", threads=2)
        for _ in range(2):
            Played(model)
            model.train()
        weights.append(np.concatenate([p.detach().numpy().ravel() for p in model.policy.parameters()]))
    np.testing.assert_array_equal(*weights)


def test_the_learners_luck_is_not_that_of_its_tables(monkeypatch: Any) -> None:
    """Draws of actions must not follow the deals: a common beginning once cost four points in War."""
    made_of = list[NDArray[Any]]()
    generators = ppo.generators

    def watched(seed: int, n: int) -> Any:
        made_of.append(generators(seed, n))
        return made_of[-1].copy()

    model = made("plain")
    monkeypatch.setattr(ppo, "generators", watched)
    tables = model.env.tables._episodes
    others = {*tables.deals["seed"].tolist(), *tables.rngs["seed"].tolist()}
    Played(model, 2)
    assert len(made_of) == 2
    mine = [int(seed) for rngs in made_of for seed in rngs["seed"]]
    assert len(set(mine)) == 2 * N
    assert not others & set(mine)


@pytest.mark.parametrize(
    ("net", "complaint"),
    [
        ({"patterns": 8, "trunk": [8]}, "the network reads views in a way of its own"),
        ({"trunk": []}, "net[.]trunk names no layer"),
    ],
)
def test_what_cannot_be_compiled_is_learned_by_the_other_engine(
    net: dict[str, Any], complaint: str, monkeypatch: Any
) -> None:
    monkeypatch.setitem(CASES, "other", ("mnk", {"m": 5, "n": 5, "k": 4}, "easy", net, {}))
    assert type(made("other")) is not CompiledPPO
    with pytest.raises(ValueError, match=f"engine='compiled' is not allowed: {complaint}; take engine='sb3'"):
        made("other", engine="compiled")
