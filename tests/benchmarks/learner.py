"""The two engines of a run in this process, in turn: rollouts and updates of presets, with their opponents."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from kozyr import envs
from kozyr.training.learners.network import policy_of
from kozyr.training.run.train import Run, keep_memory
from kozyr.training.settings import run_settings

from .timing import ROUNDS, Row

ENGINES = ("sb3", "compiled")
PRESETS: tuple[tuple[str, str, int], ...] = (  # with threads; boards by patterns have one engine
    *((game, "demo", 1) for game in ("durak", "mnk", "daifugo", "draw_poker", "war")),
    ("durak", "demo", 2),
    ("durak", "strong", 2),
    ("daifugo", "strong", 2),
    ("daifugo", "strong_5", 2),
)
SEATS = 8
MEMORY = (("durak", "strong"), ("daifugo", "strong_uecda"))


class Still(BaseCallback):
    """Hears of everything and says nothing."""

    def _on_step(self) -> bool:
        return True


class Training:
    """A run whose rollouts and updates are timed.

    Args:
        game: its name; preset: of its settings; threads: instead of the settings' number; engine: what learns.
        folder: of the run, which stays empty.
    """

    def __init__(self, game: str, preset: str, threads: int, engine: str, folder: Path) -> None:
        its = envs.game(game)
        settings = run_settings.override(run_settings.load(its, preset), {"threads": threads, "engine": engine})
        self.threads = threads
        with self._torch():
            run = Run(its, its.make_variant(**settings["variant"]), settings, folder)
        self.model, self._still = run.model, Still()
        self.model.set_logger(Logger(None, []))
        self.model._setup_learn(2**40)
        self._still.init_callback(self.model)
        self.decisions = settings["num_tables"] * settings["n_steps"]

    @contextmanager
    def _torch(self) -> Generator[None]:
        """Set torch up as a run does."""
        torch.set_num_threads(self.threads)
        torch.distributions.Distribution.set_default_validate_args(False)
        yield
        torch.set_num_threads(1)

    def rate(self) -> float:
        """Play a rollout and learn from it; return decisions per second of wall time."""
        model, began = self.model, time.perf_counter()
        with self._torch():
            model.collect_rollouts(model.env, self._still, model.rollout_buffer, model.n_steps)
            model.train()
        return self.decisions / (time.perf_counter() - began)


def rows(seconds: float) -> Iterator[Row]:
    """Give decisions a second of both engines, how many times more the compiled one makes, and their memory.

    Args:
        seconds: rounds go on for so long, and there are five of each at least.
    """
    keep_memory()
    for game, preset, threads in PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            both = [Training(game, preset, threads, engine, Path(folder)) for engine in ENGINES]
            rates = _in_turn(both, seconds)
        name = f"{game} {preset}, {threads} thread{'s' * (threads > 1)}"
        for engine, own in zip(ENGINES, rates, strict=True):
            yield _row(f"{name}, {engine}", own, "decisions/s")
        yield _row(f"{name}, compiled / sb3", [new / old for old, new in zip(*rates, strict=True)], "times")
    yield _row(f"durak demo, MaskablePPO over DummyVecEnv of {SEATS} seats", [_over_seats()], "decisions/s")
    for game, preset in MEMORY:
        for engine in ENGINES:
            yield _row(f"{game} {preset}, memory, {engine}", [_peak(game, preset, engine)], "MiB")


def _in_turn(both: list[Training], seconds: float) -> list[list[float]]:
    """Return the rates of both engines in turn, after a first rollout of each."""
    for one in both:
        one.rate()
    rates: list[list[float]] = [[], []]
    began = time.perf_counter()
    while len(rates[0]) < ROUNDS or time.perf_counter() - began < seconds:
        for one, own in zip(both, rates, strict=True):
            own.append(one.rate())
    return rates


def _peak(game: str, preset: str, engine: str) -> float:
    """Return the most memory in MiB that a process takes for three rollouts, beyond what it takes before the first."""
    command = [sys.executable, "-m", "tests.benchmarks.learner", game, preset, engine]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _over_seats() -> float:
    """Return decisions per second of MaskablePPO with the settings of Durak's demo, over environments of one seat."""
    game = envs.game("durak")
    settings = run_settings.load(game, "demo")
    variant = game.make_variant(**settings["variant"])
    options, steps = game.options(variant), settings["num_tables"] * settings["n_steps"]
    env = DummyVecEnv([lambda: envs.make_seat("durak", opponents="low", **options)] * SEATS)
    policy, arguments = policy_of(game, variant, settings["net"])
    how = {name: settings[name] for name in ("batch_size", "n_epochs", "learning_rate")}
    model = MaskablePPO(policy, env, n_steps=steps // SEATS, device="cpu", policy_kwargs=arguments, **how)
    began = time.perf_counter()
    model.learn(steps)
    return steps / (time.perf_counter() - began)


def _row(name: str, values: list[float], unit: str) -> Row:
    counts = "decision of the learner" if unit == "decisions/s" else unit
    return Row(name, "kozyr", counts, median(values), min(values), max(values), True, True, "wall", unit)


def main() -> None:
    """Print the memory of one engine, for `_peak`."""
    game, preset, engine = sys.argv[1:]
    keep_memory()
    with tempfile.TemporaryDirectory() as folder:
        before = _taken()
        training = Training(game, preset, 1, engine, Path(folder))
        for _ in range(3):
            training.rate()
        print(_taken() - before)


def _taken() -> float:
    """Return the most memory that this process has taken so far in MiB, where Linux tells it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
