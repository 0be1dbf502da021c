"""Many tables of one game with every seat played from outside."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.illegal import refuse, require_legal
from kozyr.envs.environments.readonly_arrays import own_copy, read_only, show_together
from kozyr.envs.environments.threads import Exclusive, Pool, exclusive
from kozyr.envs.loops import tables
from kozyr.envs.loops.bound_calls import Calls


class Tables(Exclusive):
    """N tables of one game, stepped at once; finished tables are dealt anew within the same step.

    Attributes (read-only arrays, overwritten by each step):
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
        n = self.num_tables = argument_checks.count("num_tables", num_tables)
        self._states = np.zeros(n, game.layout(self.variant))
        self._views = np.zeros((n, game.size(self.variant)), game.view_dtype)
        self._masks = np.zeros((n, game.actions(self.variant)), np.int8)
        self._turns = np.zeros(n, np.int32)
        self._payoffs = np.zeros((n, game.seats(self.variant)), np.float32)
        self._ends = np.zeros(n, np.int8)
        self._rows = np.arange(n)
        self._parts = split(n, argument_checks.count("threads", threads))
        self._pool = Pool(len(self._parts))
        self._show()
        self.reset(seed)

    def _show(self) -> None:
        """Make the arrays that everybody sees, and the calls that change them."""
        self.states, self.views, self.masks = read_only(self._states), read_only(self._views), read_only(self._masks)
        self.turns, self.payoffs, self.ends = read_only(self._turns), read_only(self._payoffs), read_only(self._ends)
        show_together(self.views, self.masks, self.game, self.variant)
        self._calls = Calls(
            self.variant, self._states, self._views, self._masks, self._turns, self._payoffs, self._ends
        )

    def __getstate__(self) -> dict[str, Any]:
        derived = ("states", "views", "masks", "turns", "payoffs", "ends", "_calls")
        return {name: value for name, value in vars(self).items() if name not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: own_copy(value) for name, value in state.items()})
        self._show()

    @exclusive
    def reset(self, seed: int) -> None:
        """Deal every table anew; the seed fixes all that follows but the actions."""
        self._rngs = generators(argument_checks.seed(seed), self.num_tables)
        self._payoffs[:], self._ends[:] = 0, 0
        tables.deal(self.variant, self._states, self._rngs, self._views, self._masks, self._turns)

    @exclusive
    def step(self, actions: NDArray[np.int64]) -> int:
        """Play one action at every table and return how many games that ended.

        Args:
            actions: whole numbers [N], each legal at its table.

        Raises:
            ValueError: naming the first table with an illegal action; no table has moved then.
            RuntimeError: if another thread is at it.
        """
        numbers = argument_checks.actions(actions, self.num_tables, self._masks.shape[1])
        if len(self._parts) == 1:
            ended = self._calls.step(numbers, self._rngs)
            if ended < 0:
                refuse(self.game, self._masks, -1 - ended, numbers, "", "No table has moved")
            return ended
        require_legal(self.game, self._masks, self._rows, numbers, "", "No table has moved")
        return sum(self._pool.share(partial(self._step_part, numbers), self._parts))

    def close(self) -> None:
        """End the threads, if there are some; a later step starts others."""
        self._pool.close()

    def _step_part(self, actions: NDArray[np.int64], part: slice) -> int:
        return tables.step(
            self.variant,
            self._states[part],
            actions[part],
            self._rngs[part],
            self._views[part],
            self._masks[part],
            self._turns[part],
            self._payoffs[part],
            self._ends[part],
        )


def split(n: int, parts: int) -> list[slice]:
    """Cut `n` rows into at most `parts` runs of nearly equal length."""
    edges: list[int] = np.linspace(0, n, min(parts, n) + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]
