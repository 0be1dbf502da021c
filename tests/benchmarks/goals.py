"""The figures that kozyr has set itself goals for, each beside its goal; on one core."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.envs import registry
from kozyr.envs.core.rng import generators
from kozyr.envs.loops import tables as loops

from . import aec, ours, pgx, wasm
from .timing import Row, measure

SMALL = {"m": 3, "n": 3, "k": 3, "last_reply": False}
LONG = {"players": 4, "deck": 36, "transfer": True, "pile_on": True, "open_trump": True}
STEPS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("mnk", {}, 17e6),
    ("durak", {}, 12e6),
    ("durak", {"deck": 36}, 12e6),
    ("durak", LONG, 8e6),
    ("daifugo", {}, 10e6),
    ("daifugo", {"rules": "uecda"}, 2e6),
    ("draw_poker", {}, 9e6),
    ("war", {}, 23e6),
)
PLAYOUTS: tuple[tuple[str, float], ...] = (("mnk", 30e6), ("durak", 12e6), ("draw_poker", 12e6))
AEC = {"mnk": 400e3, "durak": 400e3, "draw_poker": 250e3}
PGX, NODE = 2.0, 0.5e6  # times as fast as Pgx's tic_tac_toe; plies a second


def rows(seconds: float) -> Iterator[Row]:
    """Give a row for every goal."""
    for game, variant, goal in STEPS:
        yield _ours(f"{_name(game, variant)} tables, N=1024", ours.tape(game, variant), goal, seconds)
    for game, variant in (("mnk", {}), ("durak", {})):
        yield _ours(f"{game} tables, N=64", ours.tape(game, variant, 64), None, seconds)
    for game, goal in PLAYOUTS:
        yield _ours(f"{game} playouts", ours.random_games(game, {}), goal, seconds, views=False)
    for game, goal in AEC.items():
        yield _ours(f"{game} env()", aec.games(_env(game), ours.SEED), goal, seconds)
    yield from against_pgx(seconds)
    for row in wasm.rows(seconds):
        yield replace(row, counts=_goal(NODE)) if row.unit == "plies/s" else row


def against_pgx(seconds: float) -> Iterator[Row]:
    """Give the 3×3 game and Pgx's, both with random choices inside compiled code, and how many times faster ours is."""
    mine = _ours("mnk 3×3 with random choices, N=1024", _chosen(SMALL), None, seconds)
    yield mine
    try:
        its = list(pgx.tic_tac_toe(seconds))[-1]  # the compiled scan
    except ModuleNotFoundError as missing:
        print(f"skipped pgx: {missing} (install the extra [bench])", file=sys.stderr)
        return
    yield its
    low, high = mine.low / its.high, mine.high / its.low
    yield replace(
        mine, name="mnk 3×3 : Pgx", counts=_goal(PGX), median=mine.median / its.median, low=low, high=high, unit="times"
    )


def _chosen(variant: dict[str, Any]) -> Callable[[], float]:
    """Return a function that steps tables and chooses at random, both in compiled code."""
    tables = envs.make_tables("mnk", ours.TABLES, ours.SEED, **variant)
    rngs, actions = generators(ours.SEED, 1), np.zeros(ours.TABLES, np.int64)

    def run() -> float:
        for _ in range(ours.TAPE):
            loops.random_actions(tables._masks, rngs, actions)
            tables.step(actions)
        return ours.TAPE * ours.TABLES

    return run


def _ours(name: str, run: Callable[[], float], goal: float | None, seconds: float, views: bool = True) -> Row:
    counts = "no goal" if goal is None else _goal(goal)
    return measure(
        name, run, library=f"kozyr {version('kozyr')}", counts=counts, views=views, masks=True, seconds=seconds
    )


def _env(game: str) -> Any:
    page: Any = registry.page(game)
    return page.env()


def _goal(goal: float) -> str:
    return f"goal: {goal:,.4g}" if goal < 1000 else f"goal: {goal:,.0f}"


def _name(game: str, variant: dict[str, Any]) -> str:
    return " ".join([game, *(f"{key}={value}" for key, value in variant.items())])
