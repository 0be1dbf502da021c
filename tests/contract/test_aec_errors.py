"""Bad input to the AEC environments: a sentence that helps, and a state that has not changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kozyr.envs.core.capabilities import stand_in
from kozyr.envs.environments.aec import RENDER_MODES, Env, RawEnv

from .table import content, loop
from .test_aec import to_the_end

NO_NUMBERS = [float("nan"), 1.0, float("inf"), "0", None, True, [0], np.array([0, 1]), np.float32(2)]


@pytest.fixture(params=[RawEnv, Env], ids=["raw_env", "env"])
def face(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param


def fresh(face: Callable[..., Any], game: Any, v: Any = None) -> Any:
    env = face(game, **({} if v is None else game.options(v)))
    env.reset(seed=2)
    loop(env, 3)
    if not env.agents or any(env.terminations.values()) or any(env.truncations.values()):  # a very short game
        env.reset(seed=2)
    return env


def everything(env: Any) -> tuple[Any, ...]:
    """Return all that a refused action must leave alone."""
    names = env.possible_agents
    return (
        content(env.state_record()),
        env.agent_selection,
        list(env.agents),
        *(dict(d) for d in (env.rewards, env._cumulative_rewards, env.terminations, env.truncations)),
        {name: dict(env.infos[name]) for name in names},
        [env.observe(name)["observation"].tobytes() for name in names],
    )


def illegal(env: Any) -> list[Any]:
    """Return whole numbers that are no legal action."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return [-1, len(mask), 10**30, np.int64(-5), *np.flatnonzero(mask == 0)[:2].tolist()]


def strict(drawn: list[Any]) -> list[Any]:
    """Return variants in which an illegal action counts as no other."""
    return [v for v in drawn if stand_in(v) is None][:5]


@pytest.mark.parametrize("action", NO_NUMBERS, ids=repr)
def test_an_action_that_is_no_whole_number_raises(game: Any, face: Callable[..., Any], action: Any) -> None:
    env = fresh(face, game)
    before = everything(env)
    with pytest.raises(ValueError, match="an action is a whole number"):
        env.step(action)
    assert everything(env) == before


def test_an_illegal_action_raises_with_the_position_in_words(game: Any, drawn: list[Any]) -> None:
    for v in strict(drawn):
        env = fresh(RawEnv, game, v)
        before = everything(env)
        for action in illegal(env):
            with pytest.raises(ValueError, match=r"Legal actions|not legal here") as caught:
                env.step(action)
            assert everything(env) == before
            message = str(caught.value)
            assert env.agent_selection in message
            assert game.text.write(env.variant, env.state_record()) in message
            v, s = env.variant, env.state_record()
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            assert all(game.text.say(v, s, int(a)) in message for a in legal[:20])  # of very many, some
        loop(env, 2)


def test_an_illegal_action_disqualifies(game: Any, drawn: list[Any]) -> None:
    for v in strict(drawn):
        for action in illegal(fresh(Env, game, v)):
            env = fresh(Env, game, v)
            loser, state = env.agent_selection, content(env.state_record())
            env.step(action)
            others = 1 / (len(env.possible_agents) - 1)
            assert env.rewards == {name: -1.0 if name == loser else others for name in env.possible_agents}
            assert env._cumulative_rewards == env.rewards
            assert {name: info["illegal_move"] for name, info in env.infos.items()} == {
                name: int(name == loser) for name in env.possible_agents
            }
            assert all(env.terminations.values())
            assert not any(env.truncations.values())
            assert content(env.state_record()) == state
            assert not any(env.observe(name)["action_mask"].any() for name in env.possible_agents)
            loop(env)
            assert env.agents == []
            env.reset(seed=2)
            assert not any(info["illegal_move"] for info in env.infos.values())
            loop(env)


def test_numpy_integers_are_actions(game: Any, face: Callable[..., Any]) -> None:
    for kind in (np.int8, np.int64, np.uint16, np.array):
        env = fresh(face, game)
        ply = int(env.state_record().ply)
        action = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])
        env.step(kind(action))
        assert env.state_record().ply == ply + 1


@pytest.mark.parametrize("call", ["step", "last", "observe", "render"])
def test_nothing_works_before_reset(game: Any, face: Callable[..., Any], call: str) -> None:
    env = face(game, "ansi")
    arguments = {"step": (0,), "observe": (env.possible_agents[0],)}.get(call, ())
    with pytest.raises((RuntimeError, AttributeError), match=r"reset\(\)"):
        getattr(env, call)(*arguments)


def test_after_the_end_only_none_can_be_played(game: Any, face: Callable[..., Any]) -> None:
    env = fresh(face, game)
    to_the_end(env)
    before = everything(env)
    for action in (0, 10**6, float("nan")):
        with pytest.raises(ValueError, match="only valid action is None"):
            env.step(action)
        assert everything(env) == before
    loop(env)
    for action in (0, None):
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            env.step(action)


def test_an_unknown_agent_is_named(game: Any, face: Callable[..., Any]) -> None:
    with pytest.raises((KeyError, ValueError), match="player_99"):
        fresh(face, game).observe("player_99")


@pytest.mark.parametrize("seed", [-1, 1.5, "1", 2**63, True, float("nan")], ids=repr)
def test_a_bad_seed_is_refused_and_the_game_goes_on(game: Any, face: Callable[..., Any], seed: Any) -> None:
    env = fresh(face, game)
    before = everything(env)
    with pytest.raises(ValueError, match=r"seed=.* is not allowed"):
        env.reset(seed=seed)
    assert everything(env) == before


@pytest.mark.parametrize("starter", [-1, 99, 0.0, "player_0", True], ids=repr)
def test_a_bad_starter_is_refused_and_the_game_goes_on(game: Any, face: Callable[..., Any], starter: Any) -> None:
    env = fresh(face, game)
    before = everything(env)
    with pytest.raises(ValueError, match=r"starter=.* is not allowed: a seat is a whole number from 0 to"):
        env.reset(options={"starter": starter})
    assert everything(env) == before


def test_an_unknown_render_mode_is_refused(game: Any, face: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="render_mode='cinema' is not allowed") as caught:
        face(game, "cinema")
    assert all(mode in str(caught.value) for mode in RENDER_MODES)


@pytest.mark.parametrize("seat", [-1, 99, 0.0, "player_0", True], ids=repr)
def test_a_bad_seat_to_render_is_refused(game: Any, face: Callable[..., Any], seat: Any) -> None:
    with pytest.raises(ValueError, match=r"render_seat=.* is not allowed: a seat is a whole number from 0 to"):
        face(game, render_seat=seat)


def test_another_option_of_reset_is_ignored_with_a_warning(game: Any) -> None:
    env = Env(game)
    with pytest.warns(UserWarning, match="'colour' is ignored"):
        env.reset(seed=1, options={"colour": 1})
