"""SuperSuit's wrappers: which of them leave masks as they are, as the page says. Run by `make test-supersuit`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.docs import pages, running
from tests.plugs.required import library

library("supersuit", "3.11")

import supersuit

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv

pytestmark = pytest.mark.filterwarnings("ignore")
PAGE = pages.ROOT / "docs" / "libraries" / "supersuit.md"
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 3, "deck": 36},
    {"name": "daifugo", "players": 4},
]
FORMS = "dict", "flat", "view"
DEALS = 10
Wrapper = Callable[[Any], Any]


def reshaped(env: Any) -> Any:
    """Give each view a second axis of length 1."""
    space = env.observation_space(env.possible_agents[0])
    return supersuit.reshape_v0(env, (*(space.shape or (1,)), 1))


WRAPPERS: dict[str, Wrapper] = {
    "action_lambda_v1": lambda env: supersuit.action_lambda_v1(env, lambda a, _: a, lambda space: space),
    "agent_indicator_v0": supersuit.agent_indicator_v0,
    "clip_actions_v0": supersuit.clip_actions_v0,
    "clip_reward_v0": supersuit.clip_reward_v0,
    "color_reduction_v0": supersuit.color_reduction_v0,
    "delay_observations_v0": lambda env: supersuit.delay_observations_v0(env, 1),
    "dtype_v0": lambda env: supersuit.dtype_v0(env, np.float64),
    "flatten_v0": supersuit.flatten_v0,
    "frame_skip_v0": lambda env: supersuit.frame_skip_v0(env, 2),
    "frame_stack_v1": lambda env: supersuit.frame_stack_v1(env, 2),
    "frame_stack_v2": lambda env: supersuit.frame_stack_v2(env, 2),
    "max_observation_v0": lambda env: supersuit.max_observation_v0(env, 2),
    "nan_noop_v0": lambda env: supersuit.nan_noop_v0(env, 0),
    "nan_random_v0": supersuit.nan_random_v0,
    "nan_zeros_v0": supersuit.nan_zeros_v0,
    "normalize_obs_v0": supersuit.normalize_obs_v0,
    "observation_lambda_v0": lambda env: supersuit.observation_lambda_v0(
        env, lambda seen, _: seen, lambda space: space
    ),
    "pad_action_space_v0": supersuit.pad_action_space_v0,
    "pad_observations_v0": supersuit.pad_observations_v0,
    "reshape_v0": reshaped,
    "resize_v1": lambda env: supersuit.resize_v1(env, 4, 4),
    "reward_lambda_v0": lambda env: supersuit.reward_lambda_v0(env, lambda reward: 2 * reward),
    "scale_actions_v0": lambda env: supersuit.scale_actions_v0(env, 1.0),
    "sticky_actions_v0": lambda env: supersuit.sticky_actions_v0(env, 0.5),
}


def table() -> dict[str, dict[str, str]]:
    """Return the page's table: of each wrapper, what it says of each form."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    rows = [row for row in rows if len(row) == 2 + len(FORMS)]
    return {row[0].strip("`"): dict(zip(FORMS, row[1:], strict=False)) for row in rows}


def outcome(wrap: Wrapper, form: str, name: str, **options: Any) -> str:
    """Play by the masks that a wrapped environment shows, and tell what becomes of them.

    Returns:
        "refused" if the wrapper does not take the environment; "yes" if each mask was the true one and each action was
        played; "no" otherwise.
    """
    raw = RawEnv(envs.game(name), observation=form, **options)
    actions = int(raw.action_space(raw.possible_agents[0]).n)
    try:
        env = wrap(raw)
        env.reset(seed=0)
        env.observation_space(env.possible_agents[0])
        env.last()
    except (AssertionError, AttributeError, TypeError, IndexError):
        return "refused"
    try:
        return "yes" if all(obeyed(env, raw, form, actions, deal) for deal in range(DEALS)) else "no"
    except (ValueError, KeyError, IndexError, AttributeError):
        return "no"


def obeyed(env: Any, raw: RawEnv, form: str, actions: int, seed: int) -> bool:
    """Play a game by the masks that are shown; tell whether all of them were true."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        mask = shown(seen, info, form, actions)
        if agent != raw.agent_selection or not np.array_equal(mask, raw.knowledge()[1] != 0):
            return False
        env.step(int(rng.choice(np.flatnonzero(mask))))
    return True


def shown(seen: Any, info: dict[str, Any], form: str, actions: int) -> Any:
    """Return the mask that a learner sees."""
    if form == "view":
        return info["action_mask"] != 0
    return (seen["action_mask"] if form == "dict" else np.asarray(seen).ravel()[-actions:]) != 0


@pytest.mark.parametrize("options", GAMES, ids=lambda one: one["name"])
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_treats_masks_as_the_page_says(name: str, options: dict[str, Any]) -> None:
    assert {form: outcome(WRAPPERS[name], form, **options) for form in FORMS} == table()[name]


def test_the_table_has_every_wrapper_of_the_library() -> None:
    exported = {name for name in dir(supersuit) if "_v" in name and callable(getattr(supersuit, name))}
    vectors = {"vectorize_aec_env_v0", "pettingzoo_env_to_vec_env_v1", "concat_vec_envs_v1"}
    others = {"gym_vec_env_v0", "stable_baselines3_vec_env_v0", "stable_baselines_vec_env_v0", "black_death_v3"}
    assert exported - vectors - others == set(WRAPPERS) == set(table())
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in vectors)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", GAMES, ids=lambda one: one["name"])
def test_a_vector_of_tables_shows_true_masks_to_who_is_to_move(form: str, options: dict[str, Any]) -> None:
    named = {key: value for key, value in options.items() if key != "name"}
    raw = RawEnv(envs.game(options["name"]), observation=form, **named)
    actions, tables = int(raw.action_space("player_0").n), 3
    vector, rng, decisions = supersuit.vectorize_aec_env_v0(raw, tables), np.random.default_rng(0), 0
    vector.reset(seed=1)
    for _ in range(1000):
        seen, _, terminated, truncated, _, _, passes, infos = vector.last()
        chosen = [0] * tables
        for i in range(tables):
            if not (passes[i] or terminated[i] or truncated[i]):
                mask = shown(seen[i], infos[i], form, actions)
                np.testing.assert_array_equal(mask, vector.envs[i].unwrapped.knowledge()[1] != 0)
                chosen[i] = int(rng.choice(np.flatnonzero(mask)))
                decisions += 1
        vector.step(chosen)
    assert decisions > 500


@pytest.mark.parametrize("options", GAMES, ids=lambda one: one["name"])
def test_seats_of_parallel_tables_act_by_their_masks(options: dict[str, Any]) -> None:
    parallel = envs.make_parallel(observation="flat", **options)
    seats, actions = len(parallel.possible_agents), int(parallel.action_space("player_0").n)
    vector = supersuit.concat_vec_envs_v1(supersuit.pettingzoo_env_to_vec_env_v1(parallel), 2)
    seen, _ = vector.reset(seed=1)
    assert seen.shape[0] == 2 * seats
    rng, ends, payoffs = np.random.default_rng(0), 0, 0.0
    for _ in range(600):
        masks = seen[:, -actions:] != 0
        assert masks.any(1).all()
        assert (masks[:, :-1].any(1).reshape(2, seats).sum(1) <= 1).all()  # one seat of a table is to move
        seen, rewards, terminations, truncations, infos = vector.step(
            np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        )
        assert not any(info["illegal_move"] for info in infos)
        ends += int((terminations | truncations).sum())
        payoffs += float(np.abs(rewards).sum())
    assert ends >= seats
    assert payoffs > 0


@pytest.mark.parametrize("name", ["nan_noop_v0", "nan_random_v0", "nan_zeros_v0"])
def test_an_action_that_is_no_number_becomes_an_illegal_one(name: str) -> None:
    raw = RawEnv(envs.game("durak"), players=3)
    env = WRAPPERS[name](raw)
    with pytest.raises(ValueError, match="action"):
        play_no_numbers(env)


def play_no_numbers(env: Any) -> None:
    """Play some games with NaN for every action."""
    for seed in range(20):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            *_, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else float("nan"))


def test_the_page_of_the_documentation_runs() -> None:
    running.library("supersuit")
