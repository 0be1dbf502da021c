"""Measure kozyr itself: table loops, playouts, AEC loops, training samples and start-up."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from kozyr import agents, envs
from kozyr.envs import registry
from kozyr.envs.core.rng import generators
from kozyr.envs.environments.tables import Tables
from kozyr.envs.loops import tables as loops

from . import aec
from .timing import SECONDS, Row, measure

SEED = 1
TABLES = 1024
TAPE = 200  # steps of recorded legal actions that a round plays again and again
PLAYOUTS = 500
SEAT_ENVS = 8
ROLLOUT = 64
FURTHER: tuple[tuple[str, dict[str, Any]], ...] = (  # besides every game's default
    ("mnk", {"m": 3, "n": 3, "k": 3, "last_reply": False}),
    ("durak", {"deck": 36}),
    ("durak", {"players": 4, "deck": 36, "transfer": True, "pile_on": True, "open_trump": True}),
    ("daifugo", {"players": 4, "rounds": 4, "revolution": True, "eight_stop": True, "exchange": True}),
    ("draw_poker", {"episode": "tournament", "ranking": "standard"}),
    ("war", {"pickup": "choice"}),
)
STEP = "one action at one table, view and mask of the next seat written, resets inside"
FIRST_STEP = "from the start of Python to the first step"


def variants() -> list[tuple[str, dict[str, Any]]]:
    """Return every game's default variant and some more."""
    return [*((game, {}) for game in envs.games()), *FURTHER]


def steps(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure tables stepped from Python."""
    for game, variant in variants():
        yield _row(f"{_label(game, variant)} tables.step, N={TABLES}", tape(game, variant), STEP, seconds)


def playouts(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure random games inside one compiled call."""
    for game, variant in variants():
        counts = "one move: mask, random choice, play; deals inside"
        yield _row(
            f"{_label(game, variant)} compiled playout", random_games(game, variant), counts, seconds, views=False
        )


def loops_aec(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure PettingZoo's AEC loop."""
    for game in envs.games():
        module = registry.page(game)
        for maker in ("raw_env", "env"):
            yield _row(f"{game} {maker}", aec.games(getattr(module, maker)(), SEED), aec.COUNTS, seconds)


def _row(
    name: str, run: Callable[[], float], counts: str, seconds: float, views: bool = True, unit: str = "steps/s"
) -> Row:
    library = f"kozyr {version('kozyr')}"
    return measure(name, run, library=library, counts=counts, views=views, masks=True, unit=unit, seconds=seconds)


def _label(game: str, variant: dict[str, Any]) -> str:
    """Name a variant briefly."""
    return " ".join([game, *(f"{key}={value}" for key, value in variant.items())])


def tape(game: str, variant: dict[str, Any], n: int = TABLES) -> Callable[[], float]:
    """Return a function that steps N tables through recorded random legal actions, from the same start each time."""
    tables = Tables(envs.game(game), n, SEED, **variant)
    rngs = generators(SEED, 1)
    arrays = tables._states, tables._rngs, tables._masks
    start = [array.copy() for array in arrays]
    played = np.zeros((TAPE, n), np.int64)
    for actions in played:
        loops.random_actions(tables._masks, rngs, actions)
        tables.step(actions)

    def run() -> float:
        for array, begun in zip(arrays, start, strict=True):
            array[:] = begun
        for actions in played:
            tables.step(actions)
        return TAPE * n

    return run


def random_games(game: str, variant: dict[str, Any]) -> Callable[[], float]:
    """Return a function that plays random games inside one compiled call."""
    it = envs.game(game)
    v = it.make_variant(**variant)
    states, rngs, mask = np.zeros(1, it.layout(v)), generators(SEED, 1), np.zeros(it.actions(v), np.int8)
    return lambda: loops.playouts(v, states, rngs, mask, PLAYOUTS)


def training(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure samples per second of the training's VecEnv alone and under MaskablePPO, and over a DummyVecEnv."""
    try:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv

        from kozyr.training.learners.vec_env import TablesVecEnv
    except ModuleNotFoundError as missing:
        print(f"skipped training: {missing} (install the extra [train])", file=sys.stderr)
        return

    def vec(n: int) -> Any:
        return TablesVecEnv(envs.game("durak"), n, agents.load("durak:low", deck=36), seed=SEED, deck=36)

    counts = "one decision of the learner against `low`, random legal actions"
    yield _row("durak deck=36 SB3 VecEnv, N=256", _drive(vec(256)), counts, seconds, unit="samples/s")
    dummy = DummyVecEnv([lambda: envs.make_seat("durak", opponents="low", deck=36)] * SEAT_ENVS)
    for name, env, steps in (
        ("MaskablePPO over 256 tables", vec(256), ROLLOUT),
        (f"MaskablePPO over DummyVecEnv of {SEAT_ENVS} seats", dummy, ROLLOUT * 256 // SEAT_ENVS),
    ):
        model = MaskablePPO("MlpPolicy", env, n_steps=steps, batch_size=2048, n_epochs=4, seed=SEED)
        counts = f"one decision, rollout of {ROLLOUT * 256} and update (batch 2048, 4 epochs)"
        yield _row(f"durak deck=36 {name}", _learn(model), counts, seconds, unit="samples/s")


def _drive(env: Any) -> Callable[[], float]:
    """Return a function that steps a VecEnv with random legal actions."""
    rngs, actions = generators(SEED, 1), np.zeros(env.num_envs, np.int64)
    env.reset()

    def run() -> float:
        loops.random_actions(np.asarray(env.env_method("action_masks"), np.int8), rngs, actions)
        env.step(actions)
        return env.num_envs

    return run


def _learn(model: Any) -> Callable[[], float]:
    """Return a function that trains for one rollout."""

    def run() -> float:
        model.learn(ROLLOUT * 256, reset_num_timesteps=False)
        return ROLLOUT * 256

    return run


def starts(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure cold and warm starts in processes of their own, three of each, as where only kozyr is installed.

    Numba imports SciPy where it finds it, 0.2 s more, so it is hidden.
    """
    for game in envs.games():
        with tempfile.TemporaryDirectory() as cache:
            code = "import sys; sys.modules['scipy'] = None; from kozyr import envs; "
            code += f"t = envs.make_tables({game!r}, 2); t.step(t.masks.argmax(1))"
            cold = [_seconds(code, f"{cache}/{i}") for i in range(3)]
            warm = [_seconds(code, f"{cache}/0") for _ in range(3)]
        for name, times in (("cold", cold), ("warm", warm)):
            library, low, middle, high = f"kozyr {version('kozyr')}", *sorted(times)
            yield Row(f"{game} {name} start", library, FIRST_STEP, middle, low, high, True, True, "wall", "s")


def _seconds(code: str, cache: str) -> float:
    """Return how long a fresh interpreter takes to run `code` with its own cache folder."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "XDG_CACHE_HOME": cache}, check=True)
    return time.perf_counter() - begin
