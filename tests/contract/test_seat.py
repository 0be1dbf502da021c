"""One seat of a game as a Gymnasium environment."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv
from kozyr.envs.environments.render import RENDER_MODES

from . import variants
from .table import Hashed, content
from .words import SAME_GAME, assert_same_mask, assert_same_view

PLAYER = Hashed()
NO_NUMBERS = [float("nan"), 0.0, None, "0", True, [0]]


def test_it_is_the_loop_of_the_aec_environment(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:5]:
        for seat in range(game.seats(v)):
            env = envs.make_seat(game.name, Hashed(), seat=seat, **game.options(v))
            view, info = env.reset(seed=21)
            aec = RawEnv(game, **game.options(v))
            aec.reset(seed=21)
            me, reward, over, terminated, truncated = f"player_{seat}", 0.0, False, False, False
            while True:
                others_move(aec, me)
                if aec.terminations[me] or aec.truncations[me]:
                    break
                assert_same(env, aec, me, view)
                assert_same_mask(("info", info["action_mask"]), ("action_masks()", env.action_masks()), SAME_GAME)
                assert info["seat"] == seat
                assert not over
                assert reward == 0
                action = PLAYER.act(view, info["action_mask"])
                aec.step(action)
                view, reward, terminated, truncated, info = env.step(action)
                over = terminated or truncated
            if aec.state_record().ply and over:
                assert reward == pytest.approx(aec.rewards[me])
                assert (terminated, truncated) == (aec.terminations[me], aec.truncations[me])
                assert_same(env, aec, me, view)
                assert not env.action_masks().any()


def assert_same(env: Any, aec: Any, me: str, view: Any) -> None:
    """Fail unless a seat sees and may do what the agent of the AEC environment does."""
    observation, names = aec.observe(me), ("the seat's environment", "the AEC environment")
    views = (names[0], view), (names[1], observation["observation"])
    assert_same_view(aec.game, aec.variant, *views, SAME_GAME, seat=int(me.removeprefix("player_")))
    assert_same_mask((names[0], env.action_masks()), (names[1], observation["action_mask"]), SAME_GAME)


def others_move(aec: Any, me: str) -> None:
    """Let the others play up to my next decision or the end."""
    while aec.agent_selection != me and not aec.terminations[me] and not aec.truncations[me]:
        observation = aec.observe(aec.agent_selection)
        aec.step(PLAYER.act(observation["observation"], observation["action_mask"]))


def test_a_drawn_seat_is_each_of_them(game: Any) -> None:
    seats = game.seats(game.make_variant())
    tables = envs.make_vec(game.name, 100 * seats).tables  # that one of them is missed has odds of e^-100
    assert set(tables.seats.tolist()) == set(range(seats))


def test_a_seed_fixes_the_episodes_that_follow(game: Any) -> None:
    runs = []
    for _ in range(2):
        env = envs.make_seat(game.name)
        runs.append([env.reset(seed=5)[0].tobytes(), *(env.reset()[0].tobytes() for _ in range(4))])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 1


def test_an_illegal_action_ends_the_episode(game: Any) -> None:
    env = envs.make_seat(game.name)
    env.reset(seed=1)
    for illegal in (-1, 10**9, *np.flatnonzero(~env.action_masks())[:1]):
        env.reset(seed=1)
        view, reward, terminated, truncated, info = env.step(illegal)
        assert (reward, terminated, truncated, info["illegal_move"]) == (-1.0, True, False, 1)
        assert env.observation_space.contains(view)
        assert not env.action_masks().any()
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            env.step(0)


@pytest.mark.parametrize("action", NO_NUMBERS, ids=repr)
def test_an_action_that_is_no_whole_number_raises(game: Any, action: Any) -> None:
    env = envs.make_seat(game.name)
    env.reset(seed=1)
    before = content(env._table.states)
    with pytest.raises(ValueError, match="an action is a whole number"):
        env.step(action)
    assert content(env._table.states) == before
    assert env.action_masks().any()


def test_every_mode_and_every_error_show_what_the_seat_knows(game: Any) -> None:
    for i, v in enumerate(variants.drawn(game, 3)):
        for seat in range(game.seats(v)):
            env = envs.make_seat(game.name, seat=seat, render_mode="ansi", **game.options(v))
            env.reset(seed=i)
            for _ in range(4):
                s = env._table.states[0]
                assert env.render() == game.text.write(v, s, seat)
                env.render_mode = "svg"
                assert env.render() == env._repr_svg_() == game.draw(v, s, seat)
                env.render_mode = "ansi"
                if not env.action_masks().any():
                    break
                with pytest.raises(ValueError, match="an action is a whole number") as caught:
                    env.step(0.5)
                words = str(caught.value)
                assert words.endswith(game.text.write(v, s, seat))
                legal = np.flatnonzero(env.action_masks())[:20].tolist()
                assert all(f"{a} ({game.text.say(v, s, a, seat)})" in words for a in legal)
                env.step(legal[0])


def test_nothing_works_before_reset(game: Any) -> None:
    env = envs.make_seat(game.name)
    assert not env.action_masks().any()
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        env.step(0)
    for mode in RENDER_MODES:
        env.render_mode = mode
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            env.render()


@pytest.mark.parametrize(("argument", "value"), [("seed", -1), ("seed", 0.5), ("starter", 77)])
def test_bad_arguments_of_reset_are_refused(game: Any, argument: str, value: Any) -> None:
    env = envs.make_seat(game.name)
    call: Any = {"options": {"starter": value}} if argument == "starter" else {"seed": value}
    with pytest.raises(ValueError, match=f"{argument}={value!r} is not allowed"):
        env.reset(**call)
