"""The tests that the ecosystem's libraries bring along."""

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from kozyr.envs.api.aec import Env, RawEnv
from pettingzoo.test import api_test, seed_test

from tests.contract import variants

FACES = pytest.mark.parametrize("face", [RawEnv, Env], ids=["raw_env", "env"])


@pytest.fixture
def four(game: Any) -> list[dict[str, Any]]:
    """The options of the default variant and of three more."""
    return [game.options(v) for v in variants.drawn(game, 4, seed=4)]


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """Collect warnings, of which a library's test gives several about its own ways."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        messages: list[str] = []
        yield messages
        messages += [str(warning.message) for warning in caught]


@FACES
def test_pettingzoo_api(game: Any, four: list[dict[str, Any]], face: Any, capsys: Any) -> None:
    for options in four:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "reset option 'options' is ignored")
            warnings.filterwarnings("ignore", "Observation is not NumPy array")  # it is a dictionary of them
            api_test(face(game, **options), num_cycles=1000)


@FACES
def test_pettingzoo_seeds(game: Any, four: list[dict[str, Any]], face: Any) -> None:
    for options in four:
        seed_test(lambda options=options: face(game, **options), num_cycles=100)


def seat(game: Any, options: dict[str, Any]) -> Any:
    return gymnasium.make(f"kozyr/{game.name.capitalize()}-v0", **options).unwrapped


class Guided(gymnasium.ActionWrapper):
    """Turns the checkers' random actions, which know no masks, into legal ones."""

    def action(self, action: Any) -> Any:
        legal = np.flatnonzero(self.unwrapped.action_masks())
        return legal[int(action) % len(legal)] if len(legal) else action


@pytest.mark.parametrize("wrap", [lambda env: env, lambda env: Guided(env).unwrapped], ids=["illegal", "legal"])
def test_gymnasium_checks(game: Any, four: list[dict[str, Any]], wrap: Any) -> None:
    for options in four:
        check_env(wrap(seat(game, options)), skip_render_check=False)


def test_stable_baselines_checks(game: Any, four: list[dict[str, Any]]) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for options in four:
        checker.check_env(seat(game, options))


def test_a_registered_environment_plays_through_the_wrappers_of_make(game: Any) -> None:
    env = Guided(gymnasium.make(f"kozyr/{game.name.capitalize()}-v0"))
    env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(np.int64(0))
        over = terminated or truncated
