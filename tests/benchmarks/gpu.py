"""Tables on a GPU: steps a second by the number of tables, with random actions, against scripted players, and PPO."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

from kozyr import envs
from kozyr.envs import registry
from kozyr.envs.api import check

from .timing import Row, measure

TABLES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
STEPS = 20  # between two looks at the clock
STEP = "one random action at one table, view and mask of the next seat written, resets inside"
DECISION = "one decision of the learner, the scripted opponents' inside"


def rows(seconds: float) -> Iterator[Row]:
    """Give rows for each game and number of tables that fits into the GPU's memory; none without a GPU."""
    try:
        check.device("cuda")
    except ValueError as missing:
        print(f"skipped gpu: {missing}", file=sys.stderr)
        return
    device: Any = import_module("kozyr.envs.core.compile.cuda")
    for name in envs.games():
        for n in TABLES:
            try:
                yield _row(f"{name} on {device.name()}, N={n:,}", _steps(name, n, device.wait), STEP, seconds)
                scripted = registry.players(name).ladder[-1]
                run = _learner(name, n, scripted, device.wait)
                yield _row(f"{name} against {scripted} on {device.name()}, N={n:,}", run, DECISION, seconds)
            except MemoryError as error:
                print(f"skipped {name}, N={n:,}: {error}", file=sys.stderr)
                break


def _row(name: str, run: Callable[[], float], counts: str, seconds: float) -> Row:
    library = f"kozyr {version('kozyr')}"
    return measure(name, run, library=library, counts=counts, views=True, masks=True, clock="wall", seconds=seconds)


def _steps(name: str, n: int, wait: Callable[[], None]) -> Callable[[], float]:
    """Return a function that steps tables with random legal actions, chosen within the time, and counts the steps."""
    tables = envs.make_tables(name, n, device="cuda")

    def run() -> float:
        for _ in range(STEPS):
            tables.step(tables.decide(), check_now=False)
        wait()
        return STEPS * n

    return run


def _learner(name: str, n: int, opponent: str, wait: Callable[[], None]) -> Callable[[], float]:
    """Return a function that lets a learner take its first legal action against scripted opponents."""
    vec = envs.make_vec(name, n, opponent, device="cuda", copy=False)
    vec.reset(seed=1)

    def run() -> float:
        for _ in range(STEPS):
            vec.tables.step(vec.tables.masks.argmax(1), check_now=False)
        wait()
        return STEPS * n

    return run
