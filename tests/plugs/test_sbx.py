"""SBX's PPO in JAX over tables and single seats, with an actor that masks its logits. Run by `make test-sbx`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("sbx-rl", "0.28", "sbx")

import jax
import jax.numpy as jnp
import tensorflow_probability.substrates.jax as tfp
from sbx import DQN, PPO
from sbx.ppo.policies import Actor
from stable_baselines3.common.monitor import Monitor

from kozyr import agents, envs
from kozyr.envs.environments.observations import Form
from kozyr.training.learners.vec_env import TablesVecEnv
from tests.plugs.outsider import score_legally

TABLES = 8
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")
SIZES: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "gamma": 1.0, "seed": 0}


class MaskedActor(Actor):  # pyright: ignore[reportUntypedBaseClass]
    """SBX's own network, whose illegal actions have no chance."""

    def __call__(self, x: Any) -> Any:
        logits = super().__call__(x).logits
        return tfp.distributions.Categorical(logits=jnp.where(envs.mask_of(x, self.action_dim) == 0, -1e9, logits))


MASKED = {"policy_kwargs": {"actor_class": MaskedActor}}


def tables(name: str, **options: Any) -> TablesVecEnv:
    """Return tables that raise on an illegal action, with masks in their observations."""
    random = agents.load("random", game=name, **options)
    return TablesVecEnv(envs.game(name), TABLES, random, seed=1, observation="flat", **options)


def weights(model: Any) -> list[Any]:
    both = model.policy.actor_state.params, model.policy.vf_state.params
    return [np.asarray(its) for its in jax.tree_util.tree_leaves(both)]


def score(model: Any, name: str, **options: Any) -> float:
    """Play the model in our arena; always as many positions at a time, or JAX would compile for each number."""
    game = envs.game(name)
    form = Form("flat", game, game.make_variant(**options))

    def decide(views: Any, masks: Any) -> Any:
        rows = np.zeros((-len(views) % 64 + len(views), form.space.shape[0]), np.float32)
        rows[: len(views)] = form.show(views, masks)
        both = [model.predict(part, deterministic=True)[0] for part in rows.reshape(-1, 64, rows.shape[1])]
        return np.concatenate(both)[: len(views)]

    return score_legally(name, decide, **options)


@EACH
def test_masked_ppo_trains_and_plays_in_our_arena(options: dict[str, Any], tmp_path: Path) -> None:
    model = PPO("MlpPolicy", tables(**options), **SIZES, **MASKED)
    before = weights(model)
    model.learn(512)
    after = weights(model)
    assert all(np.isfinite(its).all() for its in after)
    assert all((old != new).any() for old, new in zip(before, after, strict=True))
    share = score(model, **options)
    model.save(tmp_path / "model.zip")
    assert score(PPO.load(tmp_path / "model.zip"), **options) == share


@EACH
def test_illegal_actions_have_no_chance(options: dict[str, Any]) -> None:
    env = tables(**options)
    model = PPO("MlpPolicy", env, **SIZES, **MASKED)
    seen = env.reset()
    for _ in range(10):
        masks = env.action_masks()
        chances = model.policy.actor_state.apply_fn(model.policy.actor_state.params, seen)
        probabilities = np.asarray(chances.probs_parameter())
        assert (probabilities[masks == 0] == 0).all()
        np.testing.assert_allclose(probabilities.sum(1), 1, atol=1e-5)
        assert np.isfinite(chances.entropy()).all()
        seen, *_ = env.step(model.predict(seen)[0])


def test_a_single_seat_trains_without_an_illegal_move() -> None:
    seat = Monitor(envs.make_seat("durak", observation="flat", players=3, deck=36), info_keywords=("illegal_move",))
    model = PPO("MlpPolicy", seat, **{**SIZES, "batch_size": 16}, **MASKED).learn(128)
    assert model.ep_info_buffer
    assert not any(episode["illegal_move"] for episode in model.ep_info_buffer)


@pytest.mark.parametrize("kind", [PPO, DQN])
def test_without_a_masked_actor_the_tables_refuse_an_illegal_action(kind: Any) -> None:
    """DQN has no place for a mask: it explores with any action."""
    model = kind("MlpPolicy", tables(**GAMES[1]), seed=0)
    with pytest.raises(ValueError, match="illegal"):
        model.learn(512)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("sbx")
