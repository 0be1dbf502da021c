"""Measure players: scripted ones in a batch, search players, and the nodes of the alpha-beta search."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents, envs
from kozyr.envs.core.rng import generators
from kozyr.envs.environments.tables import Tables
from kozyr.envs.loops import tables as loops

from .timing import SECONDS, Clock, Row, measure

SEED = 1
TABLES = 1024
CORES = os.cpu_count() or 1
SPREAD = 40  # plies over which the positions are taken
SEARCHED = 6  # positions that a search player decides
VARIANTS: dict[str, dict[str, Any]] = {
    "daifugo": {"revolution": True, "eight_stop": True},
    "war": {"pickup": "choice"},
    "mnk": {"obstacles": 0.05},
}


def rows(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure every player of every game, and the search of the m,n,k-game by its nodes."""
    for game in envs.games():
        variant = VARIANTS.get(game, {})
        views, masks = positions(game, variant)
        for name in agents.names(game)[1:]:
            counts = "one decision of a batch, positions of random games"
            yield _row(game, name, _batch(agents.load(name, game, **variant), views, masks), counts, seconds)
            shared = agents.load(name, game, threads=CORES, **variant)
            yield _row(game, f"{name}, {CORES} threads", _batch(shared, views, masks), counts, seconds, clock="wall")
        for name in agents.searchers(game):
            run = _batch(agents.load(name, game, **variant), views[:SEARCHED], masks[:SEARCHED])
            yield _row(game, name, run, "one decision, positions of random games", seconds)
    for name in ("shapes", "search"):
        yield _row("mnk", name, _nodes(name), "one position entered by alpha-beta", seconds, "nodes/s")


def positions(game: str, variant: dict[str, Any]) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return views [N, view] and masks [N, actions] of decisions with a choice, as random games come to them."""
    tables = Tables(envs.game(game), TABLES, SEED, **variant)
    rngs, actions = generators(SEED, 1), np.zeros(TABLES, np.int64)
    views, masks = list[NDArray[Any]](), list[NDArray[np.int8]]()
    for _ in range(SPREAD):
        choice = np.flatnonzero(tables.masks.sum(1) > 1)[:: SPREAD // 4]
        views.append(tables.views[choice].copy())
        masks.append(tables.masks[choice].copy())
        loops.random_actions(tables._masks, rngs, actions)
        tables.step(actions)
    order = np.random.default_rng(SEED).permutation(sum(map(len, masks)))
    return np.concatenate(views)[order], np.concatenate(masks)[order]


def _row(
    game: str,
    name: str,
    run: Callable[[], float],
    counts: str,
    seconds: float,
    unit: str = "decisions/s",
    clock: Clock = "process CPU",
) -> Row:
    given: dict[str, Any] = {"library": f"kozyr {version('kozyr')}", "counts": counts, "unit": unit, "clock": clock}
    return measure(f"{game} {name}", run, views=True, masks=True, seconds=seconds, **given)


def _batch(player: Any, views: NDArray[Any], masks: NDArray[np.int8]) -> Callable[[], float]:
    """Return a function that lets a player decide all positions."""
    player.reset(-1, SEED)
    player.act_batch(views[:1], masks[:1])  # compiles

    def run() -> float:
        player.act_batch(views, masks)
        return len(views)

    return run


def _nodes(name: str) -> Callable[[], float]:
    """Return a function that lets a player search positions of games between good players and counts its nodes."""
    variant = VARIANTS["mnk"]
    player: Any = agents.load(f"mnk:{name}@100000", **variant)
    hard, game = agents.load("mnk:hard", **variant), envs.game("mnk")
    tables = Tables(game, 8, SEED, **variant)
    for _ in range(12):
        tables.step(hard.act_batch(tables.views, tables.masks))
    views, masks, which = tables.views.copy(), tables.masks.copy(), [0]

    def run() -> float:
        i = which[0] = (which[0] + 1) % len(views)
        player.act(views[i], masks[i])
        return player.nodes

    return run
