"""Gymnasium's vector interface: its registry, its own vector classes, its wrappers and its tools over our tables."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector as wrappers

from kozyr import envs
from kozyr.envs.registry import gymnasium_id

pytestmark = pytest.mark.filterwarnings("ignore:.*is not within the observation space:UserWarning")
N = 6
STEPS = 120
SEATS: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36, "transfer": True},
    {"name": "daifugo", "players": 5},
    {"name": "draw_poker"},
]
IDS = [f"{one['name']}-{one.get('players', '')}" for one in SEATS]
EACH = pytest.mark.parametrize("options", SEATS, ids=IDS)


def registered(name: str) -> str:
    return gymnasium_id(name)


def made(options: dict[str, Any], **more: Any) -> Any:
    variant = {key: value for key, value in options.items() if key != "name"}
    return gymnasium.make_vec(registered(options["name"]), N, **variant, **more)


def legal(masks: Any, rng: np.random.Generator) -> Any:
    """Return an action drawn from each mask; idle tables of an autoreset step have none and get 0."""
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


@pytest.mark.parametrize("name", envs.games())
def test_the_registry_makes_our_tables(name: str) -> None:
    env: Any = made({"name": name}, seed=3)
    assert VectorEnv in type(env).mro()
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.spec.id == registered(name)
    single: Any = gymnasium.make(registered(name))
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    env.close()


def test_libraries_that_ask_for_the_direct_bases_find_gymnasiums() -> None:
    """As skrl 2.1.1 does in `wrap_env`."""
    for env in (envs.make_vec("mnk", 2), envs.make_seats("mnk", 2), envs.make_seat("mnk")):
        assert any(base.__module__.startswith("gymnasium.") for base in type(env).__bases__)


@EACH
def test_flat_views_and_masks_in_infos_are_those_of_make_vec(options: dict[str, Any]) -> None:
    flat, whole = made(options), envs.make_vec(num_envs=N, **options)
    (views, infos), (observation, _) = flat.reset(seed=5), whole.reset(seed=5)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(STEPS):
        assert flat.observation_space.contains(views)
        np.testing.assert_array_equal(views, observation["observation"])
        np.testing.assert_array_equal(infos["action_mask"], observation["action_mask"])
        np.testing.assert_array_equal(infos["seat"], whole.tables.seats)
        actions = legal(infos["action_mask"], rng)
        views, *signals, infos = flat.step(actions)
        observation, *others, said = whole.step(actions)
        for mine, due in zip(signals, others, strict=True):
            np.testing.assert_array_equal(mine, due)
        for i in np.flatnonzero(signals[1] | signals[2]):
            ended += 1
            np.testing.assert_array_equal(infos["final_obs"][i], said["final_obs"][i]["observation"])
    assert ended > 0


@EACH
@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv], ids=["sync", "async"])
def test_gymnasiums_own_vectors_of_seats_play_without_an_illegal_move(options: dict[str, Any], kind: Any) -> None:
    """What Gymnasium stacks tells the same keys as our tables do."""
    env: Any = kind([lambda: envs.make_seat(**options)] * 2, autoreset_mode=AutoresetMode.SAME_STEP)
    ours = made(options)
    views, infos = env.reset(seed=1)
    assert set(ours.reset(seed=1)[1]) <= set(infos)
    rng, ended = np.random.default_rng(1), 0
    for _ in range(STEPS):
        views, _, terminated, truncated, infos = env.step(legal(infos["action_mask"], rng))
        assert not infos["illegal_move"].any()
        assert env.observation_space.contains(views)
        assert infos["action_mask"].any(1).all()
        ended += int((terminated | truncated).sum())
    assert ended > 0
    env.close()


@EACH
def test_the_next_step_mode_idles_with_an_empty_mask(options: dict[str, Any]) -> None:
    """In Gymnasium's usual mode the step after an end takes any action, and only then."""
    env: Any = made(options, vectorization_mode="sync")
    _, infos = env.reset(seed=2)
    rng, over, idle = np.random.default_rng(2), np.zeros(N, bool), 0
    for _ in range(STEPS):
        np.testing.assert_array_equal(infos["action_mask"].any(1), ~over)
        idle += int(over.sum())
        _, _, terminated, truncated, infos = env.step(legal(infos["action_mask"], rng))
        over = terminated | truncated
        assert not infos["illegal_move"].any()
    assert idle > 0


def played(env: Any, masks: Any) -> tuple[Any, dict[str, Any], float]:
    """Play with the masks that `masks` finds; return the last observation, infos of ends and the sum of rewards."""
    observation, infos = env.reset(seed=4)
    rng, ends, total = np.random.default_rng(4), {}, 0.0
    for _ in range(STEPS):
        observation, rewards, terminated, truncated, infos = env.step(legal(masks(observation, infos), rng))
        total += float(rewards.sum())
        if (terminated | truncated).any():
            ends = infos
    return observation, ends, total


@EACH
def test_statistics_of_episodes(options: dict[str, Any]) -> None:
    env = wrappers.RecordEpisodeStatistics(made(options), buffer_length=STEPS * N)
    _, ends, total = played(env, lambda _, infos: infos["action_mask"])
    assert ends["episode"]["r"].shape == (N,)
    assert (ends["episode"]["l"][ends["_episode"]] > 0).all()
    assert env.episode_count > 0
    assert total == pytest.approx(sum(env.return_queue), abs=1e-3)  # a reward comes with the end of its episode


@EACH
def test_wrappers_of_rewards_and_arrays(options: dict[str, Any]) -> None:
    plain = played(made(options), lambda _, infos: infos["action_mask"])
    doubled = wrappers.TransformReward(made(options), lambda rewards: 2 * rewards)
    views, ends, total = played(doubled, lambda _, infos: infos["action_mask"])
    np.testing.assert_array_equal(views, plain[0])
    np.testing.assert_array_equal(ends["_final_obs"], plain[1]["_final_obs"])
    assert total == pytest.approx(2 * plain[2])
    assert np.isfinite(played(wrappers.NormalizeReward(made(options)), lambda _, infos: infos["action_mask"])[2])


@EACH
def test_wrappers_of_observations_take_gymnasiums_own_vectors(options: dict[str, Any]) -> None:
    """They take no vector that resets in the same step, as ours do; `vectorization_mode="sync"` gives one."""
    high = made(options).single_observation_space.high.astype(np.float32)
    space = gymnasium.spaces.Box(0, 1, (N, len(high)), np.float32)
    env: Any = made(options, vectorization_mode="sync")
    scaled = wrappers.TransformObservation(env, lambda views: np.float32(views / np.maximum(high, 1)), None, space)
    views, _, _ = played(scaled, lambda _, infos: infos["action_mask"])
    assert space.contains(views)


def test_a_wrong_variant_is_named_by_the_registry_too() -> None:
    with pytest.raises(ValueError, match="did you mean 'players'"):
        made({"name": "durak", "player": 3})
    env = made({"name": "durak"})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="illegal at table"):
        env.step(np.full(N, -1))
