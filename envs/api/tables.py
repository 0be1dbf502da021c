"""Many tables of one game with every seat played from outside."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.api import check
from kozyr.envs.api.illegal import require_legal
from kozyr.envs.core import tables
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators


class Tables:
    """N tables of one game, stepped at once; finished tables are dealt anew within the same step.

    The arrays are reused: a step overwrites them.

    Attributes:
        views: [N, view] what the seat to move knows at each table.
        masks: int8 [N, actions] its legal actions.
        turns: int32 [N] the seat to move.
        payoffs: float32 [N, seats] rewards of the last step: zeros but for games that it ended.
        ends: int8 [N] what the last step did: 0 went on, 1 ended the game, 2 truncated it.
        states: [N] the state records, hidden things too.

    Args:
        game: the game to play.
        num_tables: N.
        seed: table i depends on the seed and on i only, not on N.
        threads: how many threads share the tables; more than one pays only on idle cores.
        **options: fields of the game's variant.
    """

    def __init__(self, game: Game, num_tables: int, seed: int = 0, threads: int = 1, **options: Any) -> None:
        self.game, self.variant = game, game.make_variant(**options)
        n = self.num_tables = check.count("num_tables", num_tables)
        self.states = np.zeros(n, game.state)
        self.views = np.zeros((n, game.size(self.variant)), game.view_dtype)
        self.masks = np.zeros((n, game.actions(self.variant)), np.int8)
        self.turns = np.zeros(n, np.int32)
        self.payoffs = np.zeros((n, game.seats(self.variant)), np.float32)
        self.ends = np.zeros(n, np.int8)
        self._rows = np.arange(n)
        self._parts = split(n, check.count("threads", threads))
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Deal every table anew; the seed fixes all that follows but the actions."""
        self._rngs = generators(check.seed(seed), self.num_tables)
        self.payoffs[:], self.ends[:] = 0, 0
        tables.deal(self.variant, self.states, self._rngs, self.views, self.masks, self.turns)

    def step(self, actions: NDArray[np.int64]) -> int:
        """Play one action at every table and return how many games that ended.

        Args:
            actions: whole numbers [N], each legal at its table.

        Raises:
            ValueError: naming the first table with an illegal action; no table has moved then.
        """
        given = check.actions(actions, self.num_tables, self.masks.shape[1])
        require_legal(self.game, self.masks, self._rows, given, "", "No table has moved")
        if self._pool is None:
            return self._step_part(self._parts[0], given)
        return sum(self._pool.map(self._step_part, self._parts, repeat(given)))

    def _step_part(self, part: slice, actions: NDArray[np.int64]) -> int:
        return tables.step(
            self.variant,
            self.states[part],
            actions[part],
            self._rngs[part],
            self.views[part],
            self.masks[part],
            self.turns[part],
            self.payoffs[part],
            self.ends[part],
        )


def split(n: int, parts: int) -> list[slice]:
    """Cut `n` rows into at most `parts` runs of nearly equal length."""
    edges: list[int] = np.linspace(0, n, min(parts, n) + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]
