"""Forms of observations: the same view and mask, wherever a library looks for them."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.test import api_test, seed_test

from kozyr import envs
from kozyr.envs.environments.aec import Env, RawEnv
from kozyr.envs.environments.observations import DICT, FLAT, FLOAT32, VIEW, WORDS, Form
from kozyr.envs.registry import gymnasium_id

from .test_ecosystem import ADVICE

EACH = pytest.mark.parametrize("word", WORDS)


def due(form: Form, view: Any, mask: Any) -> Any:
    """Return an observation by the words of the documentation."""
    scaled = (view / np.maximum(form.high, 1)).astype(np.float32)
    return {
        VIEW: view,
        DICT: {"observation": view, "action_mask": mask},
        FLOAT32: {"observation": scaled, "action_mask": mask},
        FLAT: np.concatenate([scaled, mask.astype(np.float32)], -1),
    }[form.word]


def same(observation: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert set(observation) == set(expected)
        for key, value in expected.items():
            same(observation[key], value)
    else:
        assert observation.dtype == expected.dtype
        np.testing.assert_array_equal(observation, expected)


@EACH
def test_gymnasiums_check_of_a_seat(game: Any, drawn: list[Any], word: str) -> None:
    for v in drawn[:3]:
        seat = gymnasium.make(gymnasium_id(game.name), observation=word, **game.options(v)).unwrapped
        check_env(seat, skip_render_check=True)


@EACH
def test_pettingzoos_tests(game: Any, drawn: list[Any], word: str) -> None:
    for v in drawn[:3]:
        options = game.options(v)
        with warnings.catch_warnings():
            for known in ADVICE:
                warnings.filterwarnings("ignore", known)
            api_test(RawEnv(game, observation=word, **options), num_cycles=300)
        seed_test(lambda options=options: Env(game, observation=word, **options), num_cycles=100)


@EACH
def test_a_seat_shows_its_view_and_mask(game: Any, drawn: list[Any], word: str) -> None:
    for v in drawn[:4]:
        options = game.options(v)
        plain, env = (envs.make_seat(game.name, observation=one, **options) for one in (VIEW, word))
        form, over, rng = Form(word, game, v), False, np.random.default_rng(1)
        (view, _), (observation, info) = plain.reset(seed=3), env.reset(seed=3)
        while not over:
            same(observation, due(form, view, info["action_mask"]))
            assert env.observation_space.contains(observation)
            if word != VIEW:
                same(np.asarray(envs.mask_of(observation, game.actions(v)), np.int8), info["action_mask"])
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            view, *_ = plain.step(action)
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        same(observation, due(form, view, np.zeros(game.actions(v), np.int8)))
        assert env.observation_space.contains(observation)


@EACH
@pytest.mark.parametrize("make", [envs.make_vec, envs.make_seats])
def test_vectors_show_views_and_masks(game: Any, drawn: list[Any], word: str, make: Any) -> None:
    for v in drawn[:3]:
        env = make(game.name, 4, observation=word, copy=False, **game.options(v))
        form, rng, ended = Form(word, game, v), np.random.default_rng(1), 0
        observation, infos = env.reset(seed=3)
        for _ in range(80):
            same(observation, due(form, env.tables.views, env.tables.masks))
            assert env.observation_space.contains(observation)
            if make is envs.make_seats or word == VIEW:
                same(infos["action_mask"], env.tables.masks)
            seats = env.tables.seats.copy()
            actions = [rng.choice(np.flatnonzero(mask)) for mask in env.tables.masks]
            observation, _, terminated, truncated, infos = env.step(np.array(actions))
            for i in np.flatnonzero(terminated | truncated):
                ended += 1
                last = due(form, env.tables.finals[i], np.zeros(game.actions(v), np.int8))
                same(infos["final_obs"][i], last)
                assert env.single_observation_space.contains(infos["final_obs"][i])
                assert infos["final_info"]["seat"][i] == seats[i]
        assert ended or game.bound(v) > 80


def test_aec_infos_have_the_mask_where_the_observation_has_no_key_for_it(game: Any) -> None:
    for word in WORDS:
        env = Env(game, observation=word)
        env.reset(seed=1)
        for _ in range(10):
            if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
                break
            legal = env.knowledge()[1]
            for name in env.agents:
                mask = legal if name == env.agent_selection else np.zeros_like(legal)
                if word in (VIEW, FLAT):
                    same(env.infos[name]["action_mask"], mask)
                if word != VIEW:
                    same(np.asarray(envs.mask_of(env.observe(name), len(mask)), np.int8), mask)
            env.step(int(legal.argmax()))


@pytest.mark.parametrize("seat", [None, 1])
def test_a_list_of_seeds_and_the_last_infos_are_those_of_gymnasiums_own_vector(game: Any, seat: int | None) -> None:
    """A table by itself and a seat by itself play the same first episode, and tell the same of its end."""
    seeds = [5, 0, 2**62, 7]
    ours = envs.make_seats(game.name, len(seeds), seat=seat)
    makers = [lambda: envs.make_seat(game.name, seat=seat)] * len(seeds)
    theirs: Any = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
    over = np.zeros(len(seeds), bool)
    (views, infos), (others, said) = ours.reset(seed=seeds), theirs.reset(seed=seeds)
    for _ in range(game.bound(ours.tables.variant)):
        same(views[~over], others[~over])
        same(infos["action_mask"][~over], said["action_mask"][~over])
        assert (infos["seat"] == said["seat"])[~over].all()
        mine, its = (one["action_mask"].argmax(1) for one in (infos, said))
        views, rewards, terminated, truncated, infos = ours.step(mine)
        others, paid, *ends, said = theirs.step(its)
        for i in np.flatnonzero((terminated | truncated) & ~over):
            assert (terminated[i], truncated[i], rewards[i]) == (ends[0][i], ends[1][i], pytest.approx(paid[i]))
            same(infos["final_obs"][i], said["final_obs"][i])
            assert set(infos["final_info"]) == set(said["final_info"])
            for key, value in said["final_info"].items():
                np.testing.assert_array_equal(infos["final_info"][key][i], value[i])
                assert infos["final_info"][key].dtype == value.dtype
            over[i] = True
        if over.all():
            return
    pytest.fail("not every table has ended its first episode")


def test_seeds_that_are_no_seeds_are_refused(game: Any) -> None:
    env = envs.make_vec(game.name, 3)
    for seeds, words in (([1, 2], "2 seeds for 3 tables"), ([1, -1, 2], "seed=-1 is not allowed")):
        with pytest.raises(ValueError, match=words):
            env.reset(seed=seeds)


def test_a_seed_may_be_any_whole_number_of_numpy(game: Any) -> None:
    name = game.name
    kinds: list[Any] = [np.array(3), np.int32(3), np.uint64(3)]
    for seed in kinds:
        tables, vector = (make(name, 2, seed=seed) for make in (envs.make_tables, envs.make_vec))
        np.testing.assert_array_equal(tables.views, envs.make_tables(name, 2, seed=3).views)
        same = envs.make_vec(name, 2, seed=3)
        for face in (vector, same):
            face.step(face.tables.masks.argmax(1))
        np.testing.assert_array_equal(vector.tables.views, same.tables.views)
        seats = [envs.make_seat(name).reset(seed=one)[0] for one in (seed, 3)]
        np.testing.assert_array_equal(*seats)
        pair = [envs.make(name) for _ in range(2)]
        for env, one in zip(pair, (seed, 3), strict=True):
            env.reset(seed=one)
        np.testing.assert_array_equal(*(env.observe(env.agent_selection)["observation"] for env in pair))


def test_a_seed_may_be_drawn_for_some_tables(game: Any) -> None:
    """Gymnasium's own vectors take None for a table, too."""
    one, other = (envs.make_vec(game.name, 3, seed=4) for _ in range(2))
    for env in (one, other):
        env.reset(seed=8)
    seen = [env.reset(seed=np.array([5, 6, 7]) if i else [5, None, 7])[0] for i, env in enumerate((one, other))]
    for row in (0, 2):
        same(*(one["observation"][row] for one in seen))
    again = one.reset(seed=[5, 6, 7])[0]
    same(again, seen[1])


@pytest.mark.parametrize("make", [envs.make, envs.make_parallel, envs.make_seat])
def test_another_word_is_refused_with_the_right_ones(make: Any) -> None:
    with pytest.raises(ValueError, match=r"observation='mask' is not allowed: choose one of 'view', 'dict'"):
        make("mnk", observation="mask")
    with pytest.raises(ValueError, match="observation='mask' is not allowed"):
        envs.make_vec("mnk", 2, observation="mask")
