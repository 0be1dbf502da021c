"""Environments that show themselves in a window, drawn into nothing; and films of them."""

import copy
import os
import pickle
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pettingzoo.test
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test.render_test import render_test
from pettingzoo.utils.wrappers import RecordVideo

from kozyr import envs
from kozyr.envs.core import install_hint
from kozyr.envs.environments.render import Window

from .contract import variants

pygame = pytest.importorskip("pygame")
MOVIES = find_spec("moviepy") is not None


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def quick(env: Any) -> Any:
    """Return an environment whose window waits for nothing."""
    env.metadata = {**env.metadata, "render_fps": 1000}
    return env


def screen() -> Any:
    """Return the pixels of the window: [H, W, 3]."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def played(env: Any, rng: np.random.Generator, most: int = 10_000) -> None:
    """Play at random until the game is over, or for some steps."""
    for _ in env.agent_iter(most):
        seen, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))


@pytest.mark.parametrize("name", envs.games())
def test_each_step_of_a_game_is_in_the_window(name: str) -> None:
    env = quick(envs.make(name, render_mode="human"))
    env.reset(seed=1)
    assert pygame.display.get_caption()[0] == env.game.title
    before = screen()
    assert before.std() > 0
    played(env, np.random.default_rng(1), 3)
    assert (screen() != before).any()
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init()
    env.close()


@pytest.mark.parametrize("name", envs.games())
def test_a_seat_is_shown_too(name: str) -> None:
    env = quick(envs.make_seat(name, render_mode="human"))
    env.reset(seed=1)
    before = screen()
    assert env.render() is None
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert (screen() != before).any()
    env.close()
    assert not pygame.display.get_init()


def test_the_window_has_the_shape_of_the_drawing() -> None:
    env = quick(envs.make("durak", render_mode="human"))
    env.reset(seed=1)
    wide, high = pygame.display.get_surface().get_size()
    picture = envs.make("durak", render_mode="rgb_array")
    picture.reset(seed=1)
    rows, columns, _ = cast(Any, picture.render()).shape
    assert wide / high == pytest.approx(columns / rows, rel=0.01)
    env.close()


def test_a_drawing_stays_for_its_time() -> None:
    env = envs.make("war", render_mode="human")
    env.metadata["render_fps"] = 20
    env.reset(seed=1)
    waited = env._window._next
    played(env, np.random.default_rng(1), 1)
    assert env._window._next >= waited + 1 / 20
    env.render()
    env.render()
    assert env._window._next < waited + 100  # the same drawing is not waited for
    env.close()


def test_who_closes_the_window_lets_the_game_go_on() -> None:
    env = quick(envs.make("war", render_mode="human"))
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    played(env, np.random.default_rng(1))
    assert env._window.closed
    assert not pygame.display.get_init()
    env.reset(seed=2)
    assert not pygame.display.get_init()


def test_two_environments_share_the_window_and_the_last_closes_it() -> None:
    one, other = (quick(envs.make(name, render_mode="human")) for name in ("war", "mnk"))
    one.reset(seed=1)
    other.reset(seed=1)
    one.close()
    assert pygame.display.get_init()
    other.close()
    assert not pygame.display.get_init()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_has_no_window(copied: Any) -> None:
    env = quick(envs.make("war", render_mode="human"))
    env.reset(seed=1)
    shown = screen()
    played(copied(env), np.random.default_rng(1), 3)
    assert (screen() == shown).all()
    env.close()


def test_a_machine_without_a_screen_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    monkeypatch.setenv("SDL_VIDEODRIVER", "")
    env = envs.make("war", render_mode="human")
    with pytest.raises(RuntimeError, match="cannot open a window"):
        env.reset(seed=1)


def test_without_pygame_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=re.escape(install_hint.command("window"))):
        Window("x").show("<svg/>", 1)


@pytest.mark.parametrize("name", envs.games())
@pytest.mark.parametrize("make", [envs.make, envs.make_seat])
def test_without_pygame_an_environment_names_the_extra_and_another_mode_works(
    make: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = make(name, render_mode="human")
    with pytest.raises(
        ImportError, match=re.escape(f"render_mode='human' needs pygame: {install_hint.command('window')}") + "$"
    ):
        env.reset(seed=1)
    env.close()
    drawn = make(name, render_mode="rgb_array")
    drawn.reset(seed=1)
    assert drawn.render().ndim == 3


def test_nothing_loads_pygame_unless_it_is_asked_for() -> None:
    code = (
        "import sys; from kozyr import envs; env = envs.make('war', render_mode='rgb_array'); env.reset(seed=1); "
        "env.render(); envs.make_seat('war').close(); assert 'pygame' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checks_of_pettingzoo_and_gymnasium_pass_with_a_window() -> None:
    pettingzoo.test.api_test(quick(envs.make("mnk", render_mode="human", m=3, n=3, k=3)), num_cycles=20)
    env = quick(envs.make_seat("mnk", render_mode="human", m=3, n=3, k=3))
    check_env(env)
    env.close()


@pytest.mark.parametrize(("name", "kind"), [*((name, "env") for name in envs.games()), ("mnk", "raw_env")])
def test_pettingzoos_render_test_passes(name: str, kind: str) -> None:
    module = import_module(f"kozyr.envs.{envs.game(name).id}")
    shown: list[tuple[int, int]] = []

    def make(**options: Any) -> Any:
        env = quick(getattr(module, kind)(**options))
        if options["render_mode"] == "human":
            reset = env.reset
            env.reset = lambda **given: (reset(**given), shown.append(pygame.display.get_window_size()))
        return env

    render_test(make, {"svg": lambda drawn: drawn.startswith("<svg"), "ansi": lambda text: len(text) > 20})
    assert shown
    assert all(min(size) > 100 for size in shown)
    assert not pygame.display.get_init()


@pytest.mark.parametrize("name", envs.games())
def test_all_frames_of_an_episode_have_one_size(name: str) -> None:
    game, rng = envs.game(name), np.random.default_rng(4)
    for v in variants.drawn(game, 4):
        env = envs.make(name, render_mode="svg", **game.options(v))
        env.reset(seed=2)
        heads = {str(env.render()).partition(">")[0]}
        for _ in env.agent_iter(150):
            seen, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            heads.add(str(env.render()).partition(">")[0])
        assert len(heads) == 1


@pytest.mark.skipif(not MOVIES, reason="films need moviepy")
def test_films_of_episodes(tmp_path: Path) -> None:
    env: Any = RecordVideo(envs.make("mnk", render_mode="rgb_array", m=3, n=3, k=3), str(tmp_path / "aec"))
    env.reset(seed=1)
    played(env, np.random.default_rng(1))
    env.close()
    seat = envs.make_seat("mnk", render_mode="rgb_array", m=3, n=3, k=3)
    film: Any = gymnasium.wrappers.RecordVideo(seat, str(tmp_path / "seat"))
    film.reset(seed=1)
    over = False
    while not over:
        over = film.step(int(np.flatnonzero(film.unwrapped.action_masks())[0]))[2]
    film.close()
    assert all(file.stat().st_size > 1000 for file in tmp_path.rglob("*.mp4"))
    assert len(list(tmp_path.rglob("*.mp4"))) == 2
