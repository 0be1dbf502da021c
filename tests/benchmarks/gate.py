"""Measure what the check of views and masks costs a scripted player that answers a batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from statistics import median
from typing import Any

from kozyr import agents, envs
from kozyr.agents.input_checks import Gate
from kozyr.envs.environments.tables import Tables

from .players import SEED, TABLES, VARIANTS
from .timing import ROUNDS, SECONDS, Row

_DEPTH = 12  # plies before the position that is asked about


def rows(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure each player with the arrays of `Tables`, which are known to be right, and with copies, which are read."""
    for game in envs.games():
        tables = Tables(envs.game(game), TABLES, SEED, **VARIANTS.get(game, {}))
        random = agents.load("random", game, **VARIANTS.get(game, {}))
        for _ in range(_DEPTH):
            tables.step(random.act_batch(tables.views, tables.masks))
        copies = tables.views.copy(), tables.masks.copy()
        for name in agents.names(game)[1:]:
            player = agents.load(name, game, **VARIANTS.get(game, {}))
            yield _row(f"{game} {name}, the tables' arrays", player, (tables.views, tables.masks), copies, seconds)
            yield _row(f"{game} {name}, copies", player, copies, copies, seconds)


def _row(name: str, player: Any, given: Any, plain: Any, seconds: float) -> Row:
    """Return how much longer an answer takes with the check than without, in turn, in percent."""
    gate = Gate(player.game, player.variant)
    checked, unchecked = _asking(player, gate, given), _asking(player, _Open(), plain)
    ratios = list[float]()
    for _ in range(ROUNDS):
        pairs = [(checked(), unchecked()) for _ in range(max(9, int(seconds / ROUNDS / (2 * unchecked()))))]
        ratios.append(100 * (median(a for a, _ in pairs) / median(b for _, b in pairs) - 1))
    counts, library = "what the check adds to a batch of 1,024", f"kozyr {version('kozyr')}"
    low, middle, high = min(ratios), median(ratios), max(ratios)
    return Row(name, library, counts, middle, low, high, views=True, masks=True, clock="wall", unit="%")


class _Open:
    """A gate through which everything goes."""

    def many(self, views: Any, masks: Any) -> tuple[Any, Any]:
        return views, masks


def _asking(player: Any, gate: Any, given: tuple[Any, Any]) -> Callable[[], float]:
    """Return a function that asks once, from the same luck each time, and tells how many seconds it took."""
    player.reset(-1, SEED)
    player.act_batch(*given)
    rngs = player._rngs.copy()

    def once() -> float:
        player._rngs, player._gate = rngs.copy(), gate
        began = time.perf_counter()
        player.act_batch(*given)
        return time.perf_counter() - began

    return once
