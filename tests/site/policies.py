"""Condensed policies for tests: positions to answer, and a network of random numbers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets.condensed import ABOUT, GAME, OPTIONS, VIEW
from kozyr.envs.table.table import Table
from tests.site import node

OTHERWISE = 0.3  # of the moves are random


def positions(policy: Any, games: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return views and masks with a choice, from games that the policy plays, with some random moves."""
    views, masks = list[Any](), list[Any]()
    for seed in range(games):
        table, rng = Table(policy.game, policy.variant, seed), np.random.default_rng(seed)
        while not table.over:
            view, mask = table.view(table.turn).copy(), table.mask.copy()
            if mask.sum() > 1:
                views.append(view)
                masks.append(mask)
            free = rng.random() < OTHERWISE
            table.play(int(rng.choice(np.flatnonzero(mask))) if free else policy.act(view, mask))
    return np.array(views), np.array(masks)


def answered(script: Path, views: NDArray[Any], masks: NDArray[np.int8], kind: str = "policy") -> dict[str, Any]:
    """Return what `answers.mjs` tells of positions; the seed of each is its number."""
    asked, together = script.with_suffix(".json"), enumerate(zip(views, masks, strict=True))
    asked.write_text(json.dumps([[view.tolist(), mask.tolist(), seed] for seed, (view, mask) in together]))
    return json.loads(node.run(node.HERE / "answers.mjs", script, asked, kind))


def write_random(path: Path, game: Any, v: Any) -> None:
    """Write a network of random numbers, some of which are no halves."""
    rng, high, wide, narrow = np.random.default_rng(1), game.high(v), 12, 8
    starts = np.cumsum([0, *(high + 1)])[:-1]
    arrays: dict[str, Any] = {
        "rows": rng.normal(size=(int((high + 1).sum()) + 3, wide)).astype(np.float32),
        "first": np.array([*starts, int((high + 1).sum())], np.int32),
        "sums": np.array([[0, 1]], np.int32),
        "start": rng.normal(size=wide).astype(np.float16),
        "inner": rng.normal(size=(narrow, wide)).astype(np.float16),
        "middle": rng.normal(size=narrow).astype(np.float16),
        "outer": rng.normal(size=(game.actions(v), narrow)).astype(np.float16),
        "end": np.full(game.actions(v), 2.0**-20, np.float16),  # too small for a usual half
    }
    about = {GAME: game.id, OPTIONS: game.options(v), VIEW: game.declaration(v)}
    arrays[ABOUT] = np.array(json.dumps(about))
    np.savez(path, **arrays)
