"""The forward model: the game of the tables, for planners that keep their positions themselves."""

from typing import Any

import numpy as np
import pytest

from kozyr.envs.environments.aec import RawEnv
from kozyr.envs.environments.forward_model import ForwardModel

from .table import Hashed

PLAYER = Hashed()


def test_a_line_of_play_is_that_of_the_environment(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:3]:
        model, env = ForwardModel(game, **game.options(v)), RawEnv(game, **game.options(v))
        env.reset(seed=11)
        states = np.repeat(env.state()[None], 3, axis=0)
        while True:
            before, own = states.copy(), env.observe(env.agent_selection)
            view, mask = own["observation"], own["action_mask"]
            assert (model.views(states) == view).all()
            action = PLAYER.act(view, mask)
            env.step(action)
            after = model.step(states, np.full(3, action))
            assert (states == before).all()
            assert (after.states == env.state()).all()
            over = any(env.terminations.values()) or any(env.truncations.values())
            turn = -1 if over else env.possible_agents.index(env.agent_selection)
            assert after.turns.tolist() == [turn] * 3
            assert (after.payoffs == [list(env.rewards.values())] * 3).all()
            states = after.states
            if over:
                break
            assert (after.masks == env.observe(env.agent_selection)["action_mask"]).all()
        assert not after.masks.any()
        again = model.step(states, np.array([0, -5, 10**6]))  # over: nothing is played, whatever is said
        assert (again.states == states).all()
        assert (model.random_values(states, 3, seed=1) == after.payoffs).all()


def test_what_is_imagined_fits_what_the_seat_knows(game: Any, drawn: list[Any]) -> None:
    for v in drawn[:3]:
        model, env = ForwardModel(game, **game.options(v)), RawEnv(game, **game.options(v))
        env.reset(seed=4)
        own = env.observe(env.agent_selection)
        worlds = model.imagine(own["observation"], 6, seed=9)
        assert not worlds.turns.any()
        assert (worlds.masks == own["action_mask"]).all()
        assert (model.views(worlds.states) == own["observation"]).all()
        same = model.imagine(own["observation"], 6, seed=9)
        assert (worlds.states == same.states).all()
        values = model.random_values(worlds.states, 8, seed=2)
        assert values.sum(1) == pytest.approx(np.zeros(6), abs=1e-5)
        assert (model.random_values(worlds.states, 8, seed=2) == values).all()
        assert (worlds.states == same.states).all()


def test_an_illegal_action_is_refused(game: Any) -> None:
    model, env = ForwardModel(game), RawEnv(game)
    env.reset(seed=1)
    states = np.repeat(env.state()[None], 2, axis=0)
    legal = int(env.observe(env.agent_selection)["action_mask"].argmax())
    for action in (-1, model.actions):
        with pytest.raises(ValueError, match=f"action {action} is illegal at table 1; legal there: "):
            model.step(states, np.array([legal, action]))
