"""Stable-Baselines3 and sb3-contrib over tables and over a single seat."""

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from kozyr import agents, envs
from kozyr.envs.environments.observations import WORDS, Form
from kozyr.training.learners.network import policy_of
from kozyr.training.learners.vec_env import TablesVecEnv
from tests.contract import variants
from tests.plugs.outsider import score_legally

VARIANTS = [
    ("durak", {"deck": 36}),
    ("durak", {"players": 3, "deck": 36, "transfer": True, "pile_on": True, "max_rounds": 5}),
    ("durak", {"players": 4, "deck": 52, "open_trump": True}),
    ("mnk", {"m": 3, "n": 3, "k": 3}),
    ("mnk", {"m": 9, "n": 9, "k": 5, "obstacles": 0.1}),
]
SMALL: dict[str, Any] = {"m": 3, "n": 3, "k": 3}


def tables_of(name, options, n=8, seed=1, **more):
    game = envs.game(name)
    return TablesVecEnv(game, n, agents.load("random", game=name, **options), seed=seed, **more, **options)


def draw(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_random_play_keeps_the_vec_env_contract(name, options):
    env, rng = tables_of(name, options), np.random.default_rng(0)
    views, ended = np.asarray(env.reset()), 0
    lengths = np.zeros(env.num_envs, int)
    for _ in range(200):
        masks = get_action_masks(env)
        assert masks.shape == (env.num_envs, env.tables.masks.shape[1])
        assert masks.any(1).all()
        kept = views.copy()
        after, rewards, dones, infos = env.step(draw(masks, rng))
        np.testing.assert_array_equal(views, kept)  # what was returned is not written to again
        views = np.asarray(after)
        lengths += 1
        assert all(env.observation_space.contains(view) for view in views)
        assert (rewards.dtype, dones.dtype) == (np.float32, np.bool_)
        for i, info in enumerate(infos):
            assert bool(info) == dones[i]
            if dones[i]:
                ended += 1
                assert env.observation_space.contains(info["terminal_observation"])
                assert info["episode"]["r"] == rewards[i]
                assert info["episode"]["l"] == lengths[i]
                lengths[i] = 0
            else:
                assert rewards[i] == 0
    assert ended > 0


def rows(observations, i):
    """Return an observation of one table."""
    return {key: its[i] for key, its in observations.items()} if isinstance(observations, dict) else observations[i]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(("name", "options"), VARIANTS[:2])
def test_every_form_shows_the_views_and_masks_of_the_tables(name, options, word):
    env, plain = tables_of(name, options, observation=word), tables_of(name, options)
    game = envs.game(name)
    variant = game.make_variant(**options)
    form, none = Form(word, game, variant), np.zeros(game.actions(variant), np.int8)
    seen, views = env.reset(), np.asarray(plain.reset())
    rng, ended = np.random.default_rng(0), 0
    for _ in range(100):
        np.testing.assert_equal(seen, form.show(views, env.action_masks()))
        assert all(env.observation_space.contains(rows(seen, i)) for i in range(env.num_envs))
        actions = draw(env.action_masks(), rng)
        seen, _, dones, infos = env.step(actions)
        after, _, _, usual = plain.step(actions)
        views = np.asarray(after)
        for i in np.flatnonzero(dones):
            ended += 1
            last = infos[i]["terminal_observation"]
            np.testing.assert_equal(last, form.show(usual[i]["terminal_observation"], none))
    assert ended > 0


def test_a_form_is_refused_where_it_cannot_be():
    with pytest.raises(ValueError, match="observation"):
        tables_of("mnk", SMALL, observation="pixels")
    with pytest.raises(ValueError, match="everything"):
        tables_of("mnk", SMALL, observation="flat", everything=True)


def test_a_truncated_game_says_so():
    env, rng = tables_of("durak", {"deck": 36, "max_rounds": 1}), np.random.default_rng(0)
    env.reset()
    said = [info for _ in range(40) for info in env.step(draw(env.action_masks(), rng))[3] if info]
    assert said
    assert all(info["TimeLimit.truncated"] for info in said)


def test_the_same_seed_gives_the_same_bytes():
    one, two = tables_of("durak", {"deck": 36}), tables_of("durak", {"deck": 36}, seed=2)
    one.seed(5)
    two.seed(5)
    np.testing.assert_array_equal(one.reset(), two.reset())
    for _ in range(50):
        actions = one.action_masks().argmax(1)
        for left, right in zip(one.step(actions)[:3], two.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(left, right)
    assert not np.array_equal(one.reset(), tables_of("durak", {"deck": 36}, seed=5).reset())  # no deal comes back


def test_masks_and_attributes_of_some_tables():
    env = tables_of("mnk", SMALL)
    env.reset()
    assert is_masking_supported(env)
    assert len(env.env_method("action_masks", indices=[1, 3])) == 2
    assert env.get_attr("render_mode", indices=0) == [None]
    assert env.get_attr("seat") == env.tables.seats.tolist()
    assert env.env_is_wrapped(Monitor) == [True] * 8
    assert env.env_is_wrapped(DummyVecEnv) == [False] * 8
    assert not env.has_attr("hands")
    with pytest.raises(AttributeError, match="no attribute 'hands'"):
        env.get_attr("hands")
    with pytest.raises(AttributeError, match="no method 'shuffle'"):
        env.env_method("shuffle")
    with pytest.raises(AttributeError, match="cannot be set"):
        env.set_attr("seat", 1)


def test_an_illegal_action_is_refused_and_nothing_moves():
    env = tables_of("durak", {"deck": 36})
    views = env.reset()
    with pytest.raises(ValueError, match="illegal at table 0"):
        env.step(env.action_masks().argmin(1))
    np.testing.assert_array_equal(env.tables.views, views)


def test_maskable_ppo_learns_over_tables():
    env = tables_of("mnk", SMALL, n=64)
    net = {"trunk": [64], "heads": [], "activation": "relu"}
    policy, arguments = policy_of(envs.game("mnk"), env.tables.variant, net)
    model = MaskablePPO(
        policy,
        env,
        n_steps=32,
        batch_size=512,
        gamma=1.0,
        learning_rate=2e-3,
        policy_kwargs=arguments,
        seed=0,
        device="cpu",
    )
    early = episodes(model.learn(64 * 32))
    late = episodes(model.learn(64 * 32 * 8))
    assert np.mean([one["r"] for one in late]) > np.mean([one["r"] for one in early]) + 0.2
    assert all(one["l"] <= 5 for one in late)


def episodes(model):
    """Return the last hundred episodes as SB3 has noted them."""
    return list(model.ep_info_buffer or ())


@pytest.mark.parametrize("name", envs.games())
@pytest.mark.parametrize("word", WORDS)
def test_a_seat_passes_the_checker(name, word):
    game = envs.game(name)
    for variant in variants.drawn(game, 6, seed=4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it would have boards as images
            check_env(envs.make_seat(name, observation=word, **game.options(variant)))


@pytest.mark.parametrize(("word", "policy"), [("dict", "MultiInputPolicy"), ("flat", "MlpPolicy")])
def test_forms_with_the_mask_train_without_an_illegal_move(word, policy):
    seat = Monitor(envs.make_seat("durak", observation=word, players=3, deck=36), info_keywords=("illegal_move",))
    model = MaskablePPO(policy, seat, n_steps=64, batch_size=64, n_epochs=1, seed=0)
    model.learn(256)
    assert model.ep_info_buffer
    assert not any(episode["illegal_move"] for episode in model.ep_info_buffer)


def many_seats(name, options):
    """Return tables of four seats and more, with the library's own network."""
    return MaskablePPO("MlpPolicy", tables_of(name, options), n_steps=64, batch_size=128, n_epochs=2, seed=0)


def one_seat(name, options):
    return MaskablePPO("MlpPolicy", envs.make_seat(name, **options), n_steps=128, batch_size=64, n_epochs=1, seed=0)


@pytest.mark.parametrize("made", [many_seats, one_seat])
@pytest.mark.parametrize(
    ("name", "options"), [("mnk", SMALL), ("durak", {"players": 4, "deck": 36}), ("daifugo", {"players": 5})]
)
def test_what_maskable_ppo_has_trained_plays_in_our_arena(name, options, made):
    model = made(name, options)
    before = [weights.clone() for weights in model.policy.parameters()]
    model.learn(512)
    assert model.num_timesteps >= 512
    assert any(not torch.equal(old, new) for old, new in zip(before, model.policy.parameters(), strict=True))

    def decide(views, masks):
        return model.predict(views, action_masks=masks.astype(bool), deterministic=True)[0]

    score_legally(name, decide, **options)
