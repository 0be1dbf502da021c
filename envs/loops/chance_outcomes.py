"""Chance outcomes of a deal, an action or a scripted decision, one after the other. This file knows no rules.

The rules are compiled once more with another generator, an odometer: what is left of a number is what `rng` holds, and
a draw below n takes the number's last digit to the base n away. So the numbers from 0 on run through all sequences of
draws, and where every way through the rules multiplies its bases to the same product, they are equally likely.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import reaches, twin
from kozyr.envs.core import rng
from kozyr.envs.core.capabilities import canonical_deal
from kozyr.envs.core.dispatch import decide, play, rule_of, start

Run = Callable[[int, NDArray[Any], NDArray[np.uint64]], None]  # (first number, rows to be filled, what is left)
MOST = 1 << 20  # sequences of draws that are run through
_HIGH = 1 << 62  # a number that outlasts all draws but those of a whole deck


def _below(g: Any, n: int) -> Any:
    digit = np.int64(g.rng % np.uint64(n))
    g.rng = g.rng // np.uint64(n)
    return digit


def _shuffle(g: Any, items: NDArray[Any], n: int) -> None:
    for i in range(n - 1, 0, -1):
        j = np.int64(g.rng % np.uint64(i + 1))
        g.rng = g.rng // np.uint64(i + 1)
        items[i], items[j] = items[j], items[i]


def _unit(g: Any) -> float:
    raise ValueError("a fraction drawn at random has too many values to list")


def _starts(v: Any, states: NDArray[Any], first: int, starter: int, rest: NDArray[np.uint64]) -> None:
    for i in range(len(states)):
        s = states[i]
        start(v, s, first + i, starter)
        rest[i] = s.rng
        s.rng = np.uint64(0)


def _plays(v: Any, states: NDArray[Any], first: int, action: int, rest: NDArray[np.uint64]) -> None:
    for i in range(len(states)):
        s = states[i]
        s.rng = np.uint64(first + i)
        play(v, s, action)
        rest[i] = s.rng
        s.rng = np.uint64(0)


def _decides(
    v: Any,
    level: int,
    view: NDArray[Any],
    mask: NDArray[np.int8],
    first: int,
    rngs: NDArray[Any],
    actions: NDArray[Any],
) -> None:
    for i in range(len(actions)):
        rngs[i].rng = np.uint64(first + i)
        actions[i] = decide(v, level, view, mask, rngs[i])


class Chance:
    """Lists what chance can do in a game, with the chance of each.

    Args:
        variant: the game's options.
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
        return reaches(self._rule(play), (rng.bits, rng.below, rng.shuffle, rng.unit))

    def deals(self, starter: int = -1) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the states [k] that a game can start with, `rng` 0 in all, and their chances [k].

        Deals that differ in nothing that matters are one, where the game says so.
        """
        run = self._twin(_starts, start)

        def deal(first: int, states: NDArray[Any], rest: NDArray[np.uint64]) -> None:
            run(self.variant, states, first, starter, rest)

        states = self._all(deal, np.zeros(1, self._state))
        canonical_deal(self.variant, states)
        return distinct(states)

    def results(self, state: NDArray[Any], action: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the states [k] that an action in the state [1] can lead to, `rng` 0 in all, and their chances [k]."""
        run = self._twin(_plays, play)

        def act(first: int, states: NDArray[Any], rest: NDArray[np.uint64]) -> None:
            run(self.variant, states, first, action, rest)

        return distinct(self._all(act, state))

    def choices(self, level: int, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the chance of every action [actions] that the scripted player `level` ≥ 1 chooses it."""
        run = self._twin(_decides, decide)

        def choose(first: int, actions: NDArray[Any], rest: NDArray[np.uint64]) -> None:
            rngs = np.zeros(len(actions), rng.GENERATOR)
            run(self.variant, level, view, mask, first, rngs, actions)
            rest[:] = rngs["rng"]

        actions = self._all(choose, np.zeros(1, np.int64))
        return np.bincount(actions, minlength=len(mask)) / len(actions)

    def _twin(self, loop: Any, rule: Any) -> Any:
        """Return a loop compiled with the odometer."""
        if loop not in self._twins:
            exchanged = {
                rng.below: _below,
                rng.shuffle: _shuffle,
                rng.unit: _unit,
                rng.bits: _unit,
                rule: self._rule(rule),
            }
            self._twins[loop] = twin(loop, exchanged)
        return self._twins[loop]

    def _rule(self, function: Any) -> Any:
        """Return a rules function of the game."""
        return rule_of(function, self.variant.__class__)

    def _all(self, run: Run, like: NDArray[Any]) -> NDArray[Any]:
        """Return the outcomes of all sequences of draws, equally likely, from copies of an array's only row.

        A number beyond them loses the factor `count` whatever its digits are: that is tried for all of them.
        """
        rest = np.zeros(1, np.uint64)
        run(_HIGH, like.copy(), rest)
        count = _HIGH // int(rest[0]) if rest[0] else _HIGH
        if count > MOST:
            raise ValueError(f"chance can take more than {MOST:,} ways here, too many to list")
        rest, beyond = np.zeros(count, np.uint64), _HIGH // count - 1
        run(beyond * count, np.repeat(like, count), rest)
        if not (rest == beyond).all():
            raise ValueError("chance is not drawn in the same way in all cases, so that they cannot be listed")
        outcomes = np.repeat(like, count)
        run(0, outcomes, rest)
        return outcomes


def distinct(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return states, all equally likely, without repetitions, and their chances."""
    rows = np.ascontiguousarray(states).view(np.dtype((np.void, states.dtype.itemsize)))
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    return states[first], counts / len(states)
