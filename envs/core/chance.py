"""Everything that chance can do, one outcome after the other. This file knows no rules.

The rules are compiled once more with another generator, an odometer: what is left of a number is what `rng` holds, and
a draw below n takes the number's last digit to the base n away. So the numbers from 0 on run through all sequences of
draws, and where every way through the rules multiplies its bases to the same product, they are equally likely.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import rng
from kozyr.envs.core.dispatch import decide, play, rule_of, start
from kozyr.envs.core.jit import reaches, twin

MOST = 1 << 20  # sequences of draws that are run through
_HIGH = 1 << 62  # a number that outlasts all draws but those of a whole deck


def _below(g: Any, n: int) -> Any:
    digit = np.int64(g.rng % np.uint64(n))
    g.rng = g.rng // np.uint64(n)
    return digit


def _unit(g: Any) -> float:
    raise ValueError("a fraction drawn at random has too many values to list")


def _starts(v: Any, states: NDArray[Any], first: int, starter: int, left: NDArray[np.uint64]) -> None:
    for i in range(len(states)):
        s = states[i]
        start(v, s, first + i, starter)
        left[i] = s.rng
        s.rng = np.uint64(0)


def _plays(v: Any, states: NDArray[Any], first: int, action: int, left: NDArray[np.uint64]) -> None:
    for i in range(len(states)):
        s = states[i]
        s.rng = np.uint64(first + i)
        play(v, s, action)
        left[i] = s.rng
        s.rng = np.uint64(0)


def _decides(
    v: Any, level: int, view: NDArray[Any], mask: NDArray[np.int8], first: int, luck: NDArray[Any], actions: NDArray[Any]
) -> None:
    for i in range(len(actions)):
        luck[i].rng = np.uint64(first + i)
        actions[i] = decide(v, level, view, mask, luck[i])


class Chance:
    """Lists what chance can do in a game, with the chance of each.

    Args:
        variant: as agreed.
        state: the record type of the game's states.

    Raises:
        ValueError: by its methods, if there is too much to list.
    """

    def __init__(self, variant: Any, state: np.dtype[Any]) -> None:
        self.variant, self._state = variant, state
        self._twins: dict[Any, Any] = {}

    @property
    def draws(self) -> bool:
        """Whether chance may move after the deal, in some variant of the game at least."""
        return reaches(rule_of(play, type(self.variant)), (rng.bits, rng.below, rng.unit))

    def deals(
        self, starter: int = -1, plain: Callable[[Any, NDArray[Any]], None] | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the states [k] that a game can start with, `rng` 0 in all, and their chances [k].

        `plain` may make deals equal that differ in nothing that matters.
        """
        run = self._twin(_starts, start)
        count = self._count(lambda first, states, left: run(self.variant, states, first, starter, left), None)
        states = np.zeros(count, self._state)
        run(self.variant, states, 0, starter, np.zeros(count, np.uint64))
        if plain is not None:
            plain(self.variant, states)
        return merged(states)

    def results(self, state: NDArray[Any], action: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the states [k] that an action in the state [1] can lead to, `rng` 0 in all, and their chances [k]."""
        run = self._twin(_plays, play)
        count = self._count(lambda first, states, left: run(self.variant, states, first, action, left), state)
        states = np.repeat(state, count)
        run(self.variant, states, 0, action, np.zeros(count, np.uint64))
        return merged(states)

    def choices(self, level: int, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the chance of every action [actions] that the scripted player `level` ≥ 1 chooses it."""
        run = self._twin(_decides, decide)

        def draw(first: int, some: NDArray[Any], left: NDArray[np.uint64]) -> None:
            luck = np.zeros(len(some), rng.GENERATOR)
            run(self.variant, level, view, mask, first, luck, some)
            left[:] = luck["rng"]

        count = self._count(draw, np.zeros(1, np.int64))
        actions = np.zeros(count, np.int64)
        draw(0, actions, np.zeros(count, np.uint64))
        return np.bincount(actions, minlength=len(mask)) / count

    def _twin(self, loop: Any, rule: Any) -> Any:
        """Return a loop compiled with the odometer."""
        if loop not in self._twins:
            exchanged = {rng.below: _below, rng.unit: _unit, rng.bits: _unit, rule: rule_of(rule, type(self.variant))}
            self._twins[loop] = twin(loop, exchanged)
        return self._twins[loop]

    def _count(self, run: Any, like: NDArray[Any] | None) -> int:
        """Return how many sequences of draws there are, all of them equally likely.

        A number beyond them loses the factor `count` whatever its digits are: that is tried for all of them.
        """
        several = np.zeros(1, self._state) if like is None else like.copy()
        left = np.zeros(1, np.uint64)
        run(_HIGH, several, left)
        count = _HIGH // int(left[0]) if left[0] else _HIGH
        if count > MOST:
            raise ValueError(f"chance can take more than {MOST:,} ways here, too many to list")
        several = np.zeros(count, self._state) if like is None else np.repeat(like, count)
        left, beyond = np.zeros(count, np.uint64), _HIGH // count - 1
        run(beyond * count, several, left)
        if not (left == beyond).all():
            raise ValueError("chance is not drawn in the same way in all cases, so that they cannot be listed")
        return count


def merged(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return states, all equally likely, without repetitions, and their chances."""
    rows = np.ascontiguousarray(states).view(np.dtype((np.void, states.dtype.itemsize)))
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    return states[first], counts / len(states)
