"""Tables on a GPU: steps a second by the number of tables, at random and against scripted players, beside Pgx."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from typing import Any

from kozyr import envs
from kozyr.envs import registry
from kozyr.envs.environments import argument_checks

from . import pgx
from .timing import Row, measure

TABLES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
STEPS = 10  # in one CUDA graph
LONGEST = 0.1  # seconds of a step; games whose players take longer are not played at more tables
SMALL = {"m": 3, "n": 3, "k": 3, "last_reply": False}
COPIED = 2**30  # bytes that are read, and written, to learn what the card's memory can do
STEP = "one random action at one table, view and mask of the next seat written, resets inside"
DECISION = "one decision of the learner, the scripted opponents' inside"
Made = tuple[Callable[[], float], str, float]  # what to measure, what it counts, what share of a copy's rate one is


def rows(seconds: float) -> Iterator[Row]:
    """Give rows for each game and number of tables that fits into the GPU's memory; none without a GPU."""
    try:
        argument_checks.device("cuda")
    except ValueError as missing:
        print(f"skipped gpu: {missing}", file=sys.stderr)
        return
    device: Any = import_module("kozyr.envs.compile.cuda")
    copy = _row(f"a copy of 1 GB on {device.name()}", _copy(device), "a byte read or written", seconds, "bytes/s")
    yield copy
    for name in envs.games():
        yield from _by_tables(f"{name} on {device.name()}", seconds, lambda n, game=name: _steps(game, n, copy.median))
    yield from _against_pgx(device, seconds, copy.median)
    for name in envs.games():
        who = registry.players(name).ladder[-1]
        called = f"{name} against {who} on {device.name()}"
        yield from _by_tables(called, seconds, lambda n, game=name, player=who: _learner(game, n, player))


def _by_tables(called: str, seconds: float, make: Callable[[int], Made]) -> Iterator[Row]:
    """Give a row for each number of tables."""
    for n in TABLES:
        try:
            yield (row := _told(f"{called}, N={n:,}", make(n), seconds))
        except MemoryError as error:
            print(f"skipped {called}, N={n:,}: {error}", file=sys.stderr)
            return
        if n / row.median > LONGEST:
            return


def _told(called: str, made: Made, seconds: float) -> Row:
    """Measure a row, and say in it how much of the memory's rate it reaches."""
    run, counts, share = made
    row = _row(called, run, counts, seconds)
    return replace(row, counts=f"{counts}; {row.median * share:.0%} of the rate of a copy") if share else row


def _against_pgx(device: Any, seconds: float, copy: float) -> Iterator[Row]:
    """Give the 3×3 game, Pgx's, and how many times faster ours is."""
    n = 1_000_000
    yield (mine := _told(f"mnk 3×3 on {device.name()}, N={n:,}", _steps("mnk", n, copy, **SMALL), seconds))
    try:
        for its in pgx.tic_tac_toe_on_gpu(seconds, n):
            yield its
            ratio = mine.median / its.median
            yield replace(mine, name="mnk 3×3 by tic_tac_toe", median=ratio, low=ratio, high=ratio, unit="times")
    except ModuleNotFoundError as missing:
        print(f"skipped pgx: {missing} (install the extra [bench])", file=sys.stderr)


def _row(name: str, run: Callable[[], float], counts: str, seconds: float, unit: str = "steps/s") -> Row:
    told: Any = {"library": f"kozyr {version('kozyr')}", "counts": counts, "views": True, "masks": True, "unit": unit}
    return measure(name, run, clock="wall", seconds=seconds, **told)


def _copy(device: Any) -> Callable[[], float]:
    one, other = (device.tensor((COPIED,), "uint8") for _ in range(2))

    def run() -> float:
        other.copy_(one)
        device.wait()
        return 2.0 * COPIED

    return run


def _steps(name: str, n: int, copy: float, /, **options: Any) -> Made:
    """Return a function that steps tables with random legal actions, chosen within the time, and counts the steps.

    With it goes what a step is, and the share of a copy's rate that one step a second moves.
    """
    tables = envs.make_tables(name, n, device="cuda", **options)
    shown = tables.states.stride(0) * 2 + tables.views.element_size() * tables.views.shape[1] + tables.masks.shape[1]
    return _replayed(n, lambda: tables.step(tables.decide(), check_now=False)), STEP, shown / copy


def _learner(name: str, n: int, opponent: str) -> Made:
    """Return a function that lets a learner take its first legal action against scripted opponents."""
    vec = envs.make_vec(name, n, opponent, device="cuda", copy=False)
    vec.reset(seed=1)
    return _replayed(n, lambda: vec.tables.step(vec.tables.masks.argmax(1), check_now=False)), DECISION, 0.0


def _replayed(n: int, step: Callable[[], None]) -> Callable[[], float]:
    """Return a function that makes STEPS steps of a CUDA graph and counts those of all tables."""
    device: Any = import_module("kozyr.envs.compile.cuda")
    graph = device.captured(step, STEPS)

    def run() -> float:
        graph.replay()
        device.wait()
        return float(STEPS * n)

    return run
