"""Perfect information Monte Carlo with paired worlds.

Every candidate is played out in the same sampled worlds as the scripted player's own choice. The search departs from
that choice only if the paired difference is clear. Without that test the best of a few noisy means plays worse than the
scripted player does: it loses by "strategy fusion" (Frank and Basin, Artificial Intelligence 100, 1998) and by chance.
"""

from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets.condensed_loops import NONE, Net, answer
from kozyr.agents.search.determinization import MOST_PLIES, WORLD, Question, compare, question, scratch
from kozyr.agents.search.guided_rollouts import Rolls, compare_guided, rolls
from kozyr.agents.search.searcher import UNSOLVED, ActionValues, Partners, Searcher
from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks

WORLDS = 100
_PORTION = 20  # worlds between two looks at the candidates, and at the clock at most
_PLAYOUTS = 40  # between two looks at the clock, but at least those of one world
_FEWEST = 10  # worlds before a candidate is judged
_FIRST = 4  # playouts of the first compiled call
_HOPELESS = -1.5  # candidates whose paired difference has a lower z are dropped
_RNG = 2.05  # standard errors by which one time in fifty is better than the mean


class Pimc(Searcher):
    """Play the scripted player's action unless another one is clearly better in sampled worlds.

    If the game has a network for its options, the network's action takes the place of the scripted player's. The
    network also plays the first seat's later moves in the worlds. A guide's action takes the place of both.

    Attributes:
        net: that network, or NONE.
        z: how many standard errors a paired difference must lie above 0.

    Args:
        game: the game; variant: its options.
        level: the scripted player that is improved and that plays the seats of the worlds.
        budget: worlds a decision; seconds: time a decision instead.
        z: how many standard errors a paired difference must lie above 0.
        depth: plies for which a world is played; 0: to its end.
        name: the player's name in reports.
        rolls: whether the guide, if there is one, also plays the first seat's later moves in the worlds.
        guide, twins: as for `Searcher`.
    """

    rolling: ClassVar[bool] = True

    def __init__(
        self,
        game: Game,
        variant: Any,
        level: int,
        budget: int = WORLDS,
        seconds: float = 0.0,
        z: float = 1.5,
        depth: int = 0,
        name: str = "pimc",
        rolls: bool = False,
        **partners: Unpack[Partners],
    ) -> None:
        self.z, self._depth, self._rolls = z, argument_checks.count("depth", depth, 0, MOST_PLIES), rolls
        super().__init__(game, variant, level, budget, seconds, name, **partners)
        self.net = self.network()
        self._board = scratch(game, variant, self.net)

    def network(self) -> Net:
        """Return the network of the default action and the first seat's later moves; a game may have one."""
        return NONE

    def default_action(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the action of the guide, the network or the scripted player."""
        if self.guide is None and len(self.net.rows):
            return int(answer(self.net, view, mask))
        return super().default_action(view, mask, seed)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the solution, or the action with the best mean among those clearly better than the default one."""
        base = self.default_action(view, mask, seed)
        exact = self.solved(view, mask, base, seed)
        return self._compared(view, mask, base, seed) if exact == UNSOLVED else exact

    def candidates(self, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the actions worth a comparison: [actions], 1 or 0."""
        return mask.copy()

    def _compared(self, view: NDArray[Any], mask: NDArray[np.int8], base: int, seed: int) -> int:
        """Return `base`, or the action with the best mean among those clearly better in sampled worlds."""
        alive = self.candidates(view, mask)
        q = question(view, alive, base, seed, self.playing, self._depth)
        z, worlds = q.sums, np.zeros(len(mask), np.int64)
        pace, look, last = self.pace(_FIRST), self._fewest, 0
        for first, last in self.portions(lambda: self._portion(alive)):
            if self._rolls:
                compare_guided(self.variant, q, first, last, self.guide, self._board, self._lines, self.pace)
            else:
                while q.place[WORLD] < last:
                    pace.took(compare(self.variant, q, first, last, pace.steps, self._board))
            worlds[alive == 1] = last
            z = scores(q.sums, q.squares, last)
            if last < look:
                continue
            look = last + self._fewest
            alive[z < self._least(last)] = 0
            alive[base] = 1
            if alive.sum() == 1:
                break
        self.action_values = _action_values(q, worlds)
        if last < self._fewest:
            return base
        better = np.flatnonzero((alive == 1) & (z > self.z))
        return int(better[q.sums[better].argmax()]) if len(better) else base

    @property
    def _fewest(self) -> int:
        """Worlds between two looks at the candidates, if time may end a comparison after any world."""
        return _FEWEST if self.seconds > 0 else 0

    def _portion(self, alive: NDArray[np.int8]) -> int:
        """Return the number of worlds before the next look at the clock: few if many actions are compared."""
        if self.seconds <= 0 or self._rolls:
            return _PORTION
        return max(1, min(_PORTION, _PLAYOUTS // max(1, int(alive.sum()))))

    def _least(self, n: int) -> float:
        """Return the z after `n` worlds below which a candidate is dropped.

        Where the number of worlds is known, it is also the least z from which a candidate still ends above `z` in one
        of fifty cases.
        """
        if self.seconds > 0:
            return _HOPELESS
        worlds_left = max(self.budget - n, 0)
        return max(_HOPELESS, (self.z * self.budget**0.5 - _RNG * worlds_left**0.5) / n**0.5)

    @cached_property
    def _lines(self) -> Rolls:
        return rolls(self.game, self.variant, _PORTION, self.game.actions(self.variant))


def _action_values(q: Question, worlds: NDArray[np.int64]) -> ActionValues:
    """Return the mean result of each action, from the number of worlds [actions] that it was played in.

    Its difference to the default action is that of the worlds which both were played in, and so is the standard
    error; the default action has none.
    """
    actions = np.flatnonzero(worlds)
    n, sums, squares = worlds[actions], q.sums[actions], q.squares[actions]
    default = q.due[0] / max(worlds[q.base], 1)
    spread = np.maximum(squares - sums * sums / n, 0.0) / np.maximum(n - 1, 1)
    errors = np.where((actions == q.base) | (n < 2), np.nan, np.sqrt(spread / n))
    return ActionValues(actions, default + sums / n, errors)


def scores(sums: NDArray[np.float64], squares: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return z of the mean of `n` differences from their sums and sums of squares: [actions]."""
    if n < 2:
        return np.zeros_like(sums)
    variance = np.maximum(squares - sums * sums / n, 0.0) / (n - 1)
    return sums / np.sqrt(np.maximum(n * variance, 1e-12))
