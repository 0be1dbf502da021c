"""The AEC environment of every game."""

import copy
import functools
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.utils import seeding

from kozyr import envs
from kozyr.envs import registry
from kozyr.envs.environments.aec import Env, RawEnv

from .table import ACT, Plain, content, loop, played_out
from .words import SAME_GAME, assert_same_mask, assert_same_view


def to_the_end(env: Any) -> None:
    """Play the last move of the game, but let no agent leave yet."""
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        loop(env, 1)


@pytest.fixture(params=[RawEnv, Env], ids=["raw_env", "env"])
def face(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param


@pytest.fixture
def environments(game: Any, drawn: list[Any], face: Callable[..., Any]) -> list[Any]:
    """Environments of the drawn variants, each with a game dealt."""
    found = [face(game, **game.options(v)) for v in drawn[:5]]
    for i, env in enumerate(found):
        env.reset(seed=i)
    return found


def test_it_plays_the_game_of_the_five_functions(environments: list[Any]) -> None:
    for i, env in enumerate(environments):
        table = Plain(env.game, env.variant, i)
        while not table.over:
            assert env.agent_selection == f"player_{table.turn}"
            assert content(env.state_record()) == table.bytes
            for seat, name in enumerate(env.possible_agents):
                observation = env.observe(name)
                views = ("the environment", observation["observation"]), ("the five functions", table.view(seat))
                assert_same_view(env.game, env.variant, *views, SAME_GAME, table, seat)
                due = table.mask() if seat == table.turn else np.zeros_like(table.mask())
                masks = ("the environment", observation["action_mask"]), ("the five functions", due)
                assert_same_mask(*masks, SAME_GAME, table)
                assert env.observation_space(name).contains(observation)
            action = ACT(seen_by_mover(env)["observation"], seen_by_mover(env)["action_mask"])
            env.step(action)
            table.play(action)
        assert [env.rewards[name] for name in env.possible_agents] == pytest.approx(table.payoffs)
        for seat, name in enumerate(env.possible_agents):
            views = ("the environment", env.observe(name)["observation"]), ("the five functions", table.view(seat))
            assert_same_view(env.game, env.variant, *views, SAME_GAME, table, seat)
            assert not env.observe(name)["action_mask"].any()


def seen_by_mover(env: Any) -> dict[str, Any]:
    return env.observe(env.agent_selection)


def test_all_agents_end_on_the_same_step_in_the_same_way(environments: list[Any]) -> None:
    for env in environments:
        to_the_end(env)
        assert env.agents == env.possible_agents
        ended = env.truncations if env.state_record().truncated else env.terminations
        spared = env.terminations if env.state_record().truncated else env.truncations
        assert all(ended[name] for name in env.agents)
        assert not any(spared[name] for name in env.agents)
        assert {name: env._cumulative_rewards[name] for name in env.agents} == env.rewards
        loop(env)
        assert env.agents == []


def test_rewards_are_zero_before_the_end_and_sum_up_there(environments: list[Any]) -> None:
    for env in environments:
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            assert not any(env.rewards.values())
            assert not any(env._cumulative_rewards.values())
            loop(env, 1)
        assert sum(env.rewards.values()) == pytest.approx(env.game.payoff_sum, abs=1e-5)


def test_spaces_are_the_same_objects_for_every_agent_and_call(environments: list[Any]) -> None:
    for env in environments:
        assert len({id(env.observation_space(name)) for name in env.possible_agents * 2}) == 1
        assert len({id(env.action_space(name)) for name in env.possible_agents * 2}) == 1


def test_agents_and_metadata_are_named_as_the_ecosystem_expects(environments: list[Any]) -> None:
    for env in environments:
        assert env.possible_agents == [f"player_{k}" for k in range(len(env.possible_agents))]
        assert env.metadata["name"] == env.game.id
        assert env.metadata["is_parallelizable"] is False
        assert {"render_modes", "render_fps"} <= set(env.metadata)


def test_infos_hold_numbers_under_constant_keys(environments: list[Any]) -> None:
    for env in environments:
        keys = set(env.infos[env.possible_agents[0]])
        while env.agents:
            for name in env.agents:
                assert set(env.infos[name]) == keys
                assert all(isinstance(value, (int, float)) for value in env.infos[name].values())
            loop(env, 1)


def test_observations_are_copies(environments: list[Any]) -> None:
    for env in environments:
        observation = env.observe(env.agent_selection)
        before = copy.deepcopy(observation)
        loop(env, 3)
        views, masks = (
            (("then", before[key]), ("the same array later", observation[key]))
            for key in ("observation", "action_mask")
        )
        assert_same_view(env.game, env.variant, *views, "an observation is a copy")
        assert_same_mask(*masks, "an observation is a copy")


def test_nobody_changes_what_is_legal_through_an_observation(environments: list[Any]) -> None:
    for env in environments:
        before, state = env.observe(env.agent_selection), content(env.state_record())
        observation, last = env.observe(env.agent_selection), env.last()[0]
        for array in (*observation.values(), *last.values(), env.state()):
            array[:] = 1
        env.state_record().turn = 1 - env._s.turn
        assert_same_mask(
            ("before", before["action_mask"]),
            ("after", env.observe(env.agent_selection)["action_mask"]),
            "an observation is a copy",
        )
        assert content(env.state_record()) == state


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_made_in_mid_game_goes_on_alone(environments: list[Any], copied: Callable[[Any], Any]) -> None:
    for env in environments:
        loop(env, 5)
        before, twin = content(env.state_record()), copied(env)
        loop(twin)
        assert content(env.state_record()) == before
        loop(env)
        assert content(env.state_record()) == content(twin.state_record())
        for one in (env, twin):
            one.reset()
        assert content(env.state_record()) == content(twin.state_record())


@pytest.fixture(scope="module")
def spawned() -> Iterator[ProcessPoolExecutor]:
    """A process that inherits nothing, for all games."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_an_environment_can_be_sent_to_a_spawned_process(game: Any, spawned: ProcessPoolExecutor) -> None:
    env = Env(game)
    env.reset(seed=3)
    loop(env, 5)
    theirs = spawned.submit(played_out, env).result()
    assert played_out(env) == theirs


def test_a_seed_fixes_the_episodes_that_follow(environments: list[Any]) -> None:
    for env in environments:
        runs = []
        for _ in range(2):
            env.reset(seed=11)
            states = [content(env.state_record())]
            for _ in range(3):
                env.reset()
                states.append(content(env.state_record()))
            runs.append(states)
        assert runs[0] == runs[1]


def test_the_seeds_of_episodes_are_drawn_as_if_one_by_one(game: Any) -> None:
    env, other, rng = Env(game), Env(game), seeding.np_random(9)[0]
    env.reset(seed=9)
    for _ in range(70):
        env.reset()
        other.reset(seed=int(rng.integers(2**63)))
        assert content(env.state_record()) == content(other.state_record())


def test_without_a_seed_games_differ(game: Any) -> None:
    env = Env(game)
    states = []
    for _ in range(2):
        env.reset()
        states.append(content(env.state_record()))
    assert states[0] != states[1]


def test_the_starter_can_be_chosen(environments: list[Any]) -> None:
    for env in environments:
        for seat, name in enumerate(env.possible_agents):
            env.reset(seed=4, options={"starter": seat})
            assert env.agent_selection == name


def test_every_way_to_make_it_gives_the_same_environment(game: Any) -> None:
    environments: list[Any] = [envs.make(game.name)]
    if hasattr(pettingzoo, "make"):  # from 1.27 on
        environments.append(pettingzoo.make("aec", registry.pettingzoo_id(game.name)))
    kinds = [Env] * len(environments)
    page = registry.page(game.name)
    if page is not None:
        environments += [page.env(), page.raw_env()]
        kinds += [Env, RawEnv]
    for env in environments:
        env.reset(seed=9)
    assert len({content(env.state_record()) for env in environments}) == 1
    assert [type(env) for env in environments] == kinds


def test_it_shows_everything_or_what_one_seat_knows(game: Any) -> None:
    page, v = registry.page(game.name), game.make_variant()
    ways: list[Any] = [functools.partial(envs.make, game.name), *((page.env, page.raw_env) if page else ())]
    for seat in (None, *range(game.seats(v))):
        for make in ways:
            env = make(render_mode="ansi", render_seat=seat)
            env.reset(seed=3)
            s = env.state_record()
            assert env.render() == game.text.write(v, s, seat)
            env.render_mode = "svg"
            assert env.render() == env._repr_svg_() == game.draw(v, s, seat)


def test_it_is_drawn_in_every_mode(game: Any) -> None:
    for mode, kind in (("ansi", str), ("svg", str), ("rgb_array", np.ndarray), (None, type(None))):
        env = Env(game, mode)
        env.reset(seed=1)
        picture = env.render()
        assert isinstance(picture, kind)
        if isinstance(picture, np.ndarray):
            assert picture.dtype == np.uint8
            assert picture.ndim == 3
            assert picture.shape[2] == 3
