"""mctx's Gumbel MuZero policy over our games. Run by `make test-mctx`."""

from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("mctx", "0.0.71")

import jax
import jax.numpy as jnp
import mctx

from kozyr import envs
from kozyr.envs.bridges.mctx_model import MctxModel
from kozyr.envs.environments.aec import RawEnv
from tests.plugs.outsider import score_legally

SMALL: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
PLAIN: dict[str, Any] = {**SMALL, "last_reply": False}  # a line wins at once
GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("mnk", SMALL, 1),
    ("durak", {"deck": 20}, 4),
    ("durak", {"players": 4, "deck": 36, "transfer": True}, 4),
    ("daifugo", {"players": 3}, 4),
]
EACH = pytest.mark.parametrize(("name", "options", "worlds"), GAMES, ids=["mnk-2", "durak-2", "durak-4", "daifugo-3"])


def planner(model: MctxModel, simulations: int, policy: Any = mctx.gumbel_muzero_policy, **more: Any) -> Any:
    """Return a compiled search: (parameters, key, root, invalid actions) → what mctx tells."""
    return jax.jit(
        lambda params, key, root, invalid: policy(
            params, key, root, model.recurrent_fn, simulations, invalid_actions=invalid, **more
        )
    )


def mean_weights(model: MctxModel, weights: Any) -> Any:
    """Return the mean over the worlds of each view [N, actions]."""
    return np.asarray(weights).reshape(-1, model.worlds, model.forward.actions).mean(1)


def after(actions: list[int]) -> RawEnv:
    env = RawEnv(envs.game("mnk"), **PLAIN)
    env.reset(seed=1)
    for action in actions:
        env.step(action)
    return env


@EACH
def test_the_model_says_what_the_game_does(name: str, options: dict[str, Any], worlds: int) -> None:
    """Along a random game from the true state: rewards and signs for the mover, and the legal actions."""
    model, env, rng = MctxModel(name, worlds, **options), RawEnv(envs.game(name), **options), np.random.default_rng(5)
    env.reset(seed=3)
    states, seats, over = jnp.asarray(env.state()[None]), env.possible_agents, False
    while not over:
        mover = env.agent_selection
        action = int(rng.choice(np.flatnonzero(env.observe(mover)["action_mask"])))
        env.step(action)
        out, states = model.recurrent_fn(None, jax.random.key(1), jnp.array([action]), states)
        over = any(env.terminations.values())
        np.testing.assert_array_equal(states[0], env.state())
        ours = mover == seats[0]
        if over:
            due = env.rewards[seats[0]] * (1 if ours else -1)
            assert (out.reward[0], out.discount[0], out.value[0]) == (pytest.approx(due), 0, 0)
            if len(seats) == 2:
                assert out.reward[0] == pytest.approx(env.rewards[mover])
        else:
            assert out.reward[0] == 0
            assert out.discount[0] == (1 if ours == (env.agent_selection == seats[0]) else -1)
            legal = env.observe(env.agent_selection)["action_mask"] == 1
            np.testing.assert_array_equal(out.prior_logits[0] > jnp.finfo(jnp.float32).min, legal)
    last, still = model.recurrent_fn(None, jax.random.key(1), jnp.array([0]), states)
    assert (last.reward[0], last.discount[0], last.value[0]) == (0, 0, 0)
    np.testing.assert_array_equal(still, states)


@pytest.mark.parametrize("policy", [mctx.gumbel_muzero_policy, mctx.muzero_policy], ids=["gumbel", "muzero"])
@pytest.mark.parametrize(("played", "best"), [([0, 3, 1, 4], 2), ([4, 0, 1], 7)], ids=["wins", "blocks"])
def test_the_search_finds_what_must_be_played(policy: Any, played: list[int], best: int) -> None:
    env, model = after(played), MctxModel("mnk", playouts=4, **PLAIN)
    own = env.observe(env.agent_selection)
    root, invalid = model.root(own["observation"], seed=2)
    told = planner(model, 100, policy)(None, jax.random.key(4), root, invalid)
    weights = np.asarray(told.action_weights[0])
    assert weights[own["action_mask"] == 0].max() < 1e-6
    assert weights.sum() == pytest.approx(1, abs=1e-3)
    assert weights.argmax() == best


@EACH
def test_it_plays_in_our_arena(name: str, options: dict[str, Any], worlds: int) -> None:
    """An illegal action anywhere in a tree would raise."""
    model = MctxModel(name, worlds, playouts=2, **options)
    searched, calls = planner(model, 12), iter(range(10**6))

    def decide(views: Any, masks: Any) -> Any:
        actions = []
        for view, mask in zip(views, masks, strict=True):
            root, invalid = model.root(view, seed=next(calls))
            np.testing.assert_array_equal(~np.asarray(invalid), np.repeat(mask[None] == 1, worlds, 0))
            weights = searched(None, jax.random.key(next(calls)), root, invalid).action_weights
            actions.append(np.where(mask, mean_weights(model, weights)[0], -1).argmax())
        return np.array(actions)

    score_legally(name, decide, deals=4, **options)


def network(params: Any, views: Any) -> tuple[Any, Any]:
    hidden = jnp.tanh(views @ params["first"])
    return hidden @ params["policy"], jnp.tanh(hidden @ params["value"])[:, 0]


@pytest.mark.parametrize(("name", "options", "worlds"), GAMES[:2], ids=["mnk-2", "durak-2"])
def test_a_network_learns_from_what_the_search_finds(name: str, options: dict[str, Any], worlds: int) -> None:
    model, tables = MctxModel(name, worlds, network=network, **options), envs.make_tables(name, 8, seed=4, **options)
    keys = jax.random.split(jax.random.key(3), 100)
    size, actions = tables.views.shape[1], model.forward.actions
    shapes = {"first": (size, 32), "policy": (32, actions), "value": (32, 1)}
    params = {part: jax.random.normal(keys[i], shape) * 0.1 for i, (part, shape) in enumerate(shapes.items())}
    high = np.maximum(model.forward.game.high(model.forward.variant), 1)
    searched = planner(model, 12)

    @jax.jit
    def loss(params: Any, views: Any, masks: Any, weights: Any, values: Any) -> Any:
        logits, judged = network(params, views)
        chances = jax.nn.log_softmax(jnp.where(masks == 1, logits, -1e9))
        return -(weights * jnp.where(masks == 1, chances, 0)).sum(1).mean() + ((judged - values) ** 2).mean()

    losses, first, rng = [], params, np.random.default_rng(6)
    for step in range(12):
        root, invalid = model.root(tables.views, params, seed=step)
        told = searched(params, keys[step], root, invalid)
        weights = mean_weights(model, told.action_weights)
        values = np.asarray(told.search_tree.summary().value).reshape(-1, worlds).mean(1)
        seen = (tables.views / high).astype(np.float32), tables.masks.copy(), weights, values
        before = loss(params, *seen)
        params = jax.tree.map(lambda old, slope: old - 0.05 * slope, params, jax.grad(loss)(params, *seen))
        losses.append((before, loss(params, *seen)))
        chances = np.where(tables.masks == 1, weights, 0).astype(np.float64)
        tables.step(
            np.array([rng.choice(actions, p=one / one.sum()) for one in chances])
        )  # raises on an illegal action
    assert np.isfinite(losses).all()
    assert all(new < old for old, new in losses)
    assert all(np.isfinite(its).all() and not np.array_equal(its, first[part]) for part, its in params.items())

    def decide(views: Any, masks: Any) -> Any:
        logits, _ = network(params, (views / high).astype(np.float32))
        return np.where(masks == 1, np.asarray(logits), -np.inf).argmax(1)

    score_legally(name, decide, **options)


def test_a_network_cannot_value_three_seats() -> None:
    with pytest.raises(ValueError, match="two seats only, not of 3"):
        MctxModel("durak", network=network, players=3)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("mctx")
