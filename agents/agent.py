"""Agents that answer batches, and scripted players."""

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents import interruptible
from kozyr.agents.input_checks import FITS, Gate, forbidden
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import Act, Agent, Solo, as_agent
from kozyr.envs.environments.tables import split
from kozyr.envs.environments.threads import Exclusive, Pool
from kozyr.envs.loops import single_table, tables
from kozyr.envs.loops.chance_outcomes import Chance

_FIRST = 16  # portions of the first compiled call

__all__ = ["Act", "Agent", "Scripted", "Solo", "as_agent", "workers"]


class Scripted(Exclusive):
    """A scripted player; inside compiled loops its `level` stands for it.

    Args:
        game: the game it plays; variant: its options.
        level: its place in the game's ladder; 0 plays at random.
        name: the player's name in reports.
        threads: number of threads that share a batch, which changes no action; more than one pays only on idle cores.
    """

    def __init__(self, game: Game, variant: Any, level: int, name: str, threads: int = 1) -> None:
        self.game, self.variant, self.level, self.name = game, variant, level, name
        self.threads, self._gate = argument_checks.count("threads", threads), Gate(game, variant)
        registry.seat_bots(game)
        self.reset(-1, 0)

    def __repr__(self) -> str:
        return f"{self.game.name}:{self.name}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        registry.seat_bots(self.game)  # in another process nobody has yet

    def reset(self, seat: int, seed: int) -> None:
        """Seed the player's random choices."""
        self._seed, self._rngs = seed, generators(seed, 1)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the player's action for one view."""
        return int(self.act_batch(np.asarray(view)[None], np.asarray(mask)[None])[0])

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the player's actions for many views.

        Raises:
            ValueError: for views and masks of another game or variant, and masks without a legal action.
            RuntimeError: if another thread is asking it.
        """
        if self.in_use:
            self.refuse_second()
        self.in_use = True
        try:
            return self._actions(*self._gate.many(views, masks))
        finally:
            self.in_use = False

    def _actions(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the actions for views that have been checked."""
        actions, portions = np.zeros(len(views), np.int64), -(-len(views) // tables.PORTION)
        if portions > len(self._rngs):
            more = generators(self._seed, portions)
            more[: len(self._rngs)] = self._rngs
            self._rngs = more
        if portions <= (_FIRST if self.threads == 1 else 1):
            self._choose(views, masks, self._rngs, actions, 0)
            return actions
        if self.threads == 1:
            self._decide(views, masks, actions, slice(0, portions))
            return actions
        workers(self.threads).share(partial(self._decide, views, masks, actions), split(portions, self.threads))
        return actions

    def _decide(self, views: NDArray[Any], masks: NDArray[np.int8], actions: NDArray[np.int64], part: slice) -> None:
        """Write the actions for some portions."""
        for run in interruptible.cut(part.stop - part.start, _FIRST):
            first, last = part.start + run.start, part.start + run.stop
            rows, rngs = slice(first * tables.PORTION, last * tables.PORTION), self._rngs[first:last]
            self._choose(views[rows], masks[rows], rngs, actions[rows], rows.start)

    def _choose(
        self, views: NDArray[Any], masks: NDArray[np.int8], rngs: NDArray[Any], actions: NDArray[np.int64], first: int
    ) -> None:
        """Write the actions for some rows, the first of which has a number, in one compiled call."""
        wrong = tables.choose_batch(self.variant, self.level, views, masks, rngs, actions)
        if wrong != FITS:
            raise ValueError(forbidden(self, first + wrong, int(actions[wrong])))

    def chances(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the exact probability of each action: [n, actions]."""
        if self.level == single_table.RANDOM:
            return masks / masks.sum(1, keepdims=True)
        chance, chances = Chance(self.variant, self.game.layout(self.variant)), np.zeros(masks.shape)
        for i in range(len(views)):
            before = self._rngs.copy()
            action = self.act(views[i], masks[i])
            if (self._rngs == before).all():
                chances[i, action] = 1.0
            else:
                chances[i] = chance.choices(self.level, views[i], masks[i])
        return chances


@cache
def workers(threads: int) -> Pool:
    """Return the threads that all players of the process share, the caller's among them."""
    return Pool(threads)
