"""The tests that the ecosystem's libraries bring along."""

import warnings
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from kozyr.envs.environments.aec import Env, RawEnv
from kozyr.envs.registry import gymnasium_id

from . import variants

ADVICE = (  # of api_test, whatever a classic environment does: its own ones get it too
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Observation is not a NumPy array",
    "reset option 'options' is ignored",
)
FACES = pytest.mark.parametrize("face", [RawEnv, Env], ids=["raw_env", "env"])


@pytest.fixture
def six(game: Any) -> list[dict[str, Any]]:
    """The options of the default variant and of five more."""
    return [game.options(v) for v in variants.drawn(game, 6, seed=4)]


@FACES
def test_pettingzoo_api(game: Any, six: list[dict[str, Any]], face: Any) -> None:
    for options in six:
        with warnings.catch_warnings():
            for known in ADVICE:
                warnings.filterwarnings("ignore", known)
            api_test(face(game, **options), num_cycles=1000)


@FACES
def test_pettingzoo_seeds(game: Any, six: list[dict[str, Any]], face: Any) -> None:
    for options in six:
        seed_test(lambda options=options: face(game, **options), num_cycles=100)


def seat(game: Any, options: dict[str, Any]) -> Any:
    return gymnasium.make(gymnasium_id(game.name), **options).unwrapped


class Guided(gymnasium.ActionWrapper):
    """Turn any action into a legal one."""

    def action(self, action: Any) -> Any:
        seat: Any = self.unwrapped
        legal = np.flatnonzero(seat.action_masks())
        return legal[int(action) % len(legal)] if len(legal) else action


def test_gymnasium_checks(game: Any, six: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window is one of the modes
    for options in six:
        if not is_cut_off_at_once(seat(game, options)):
            check_env(seat(game, options), skip_render_check=find_spec("pygame") is None)


def is_cut_off_at_once(env: Any) -> bool:
    """Return True if a cap ends the game in the first step of Gymnasium's checks, which they take for a mistake."""
    env.action_space.seed(123)
    action = env.action_space.sample()
    env.reset(seed=123)
    return bool(env.step(action)[3])


def test_a_registered_environment_plays_through_the_wrappers_of_make(game: Any) -> None:
    env = Guided(gymnasium.make(gymnasium_id(game.name)))
    env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(np.int64(0))
        over = terminated or truncated
