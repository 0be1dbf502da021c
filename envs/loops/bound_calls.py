"""Bound calls: the compiled functions that Python calls often, with variant and arrays bound to them.

A call from Python costs a microsecond more if a named tuple is among its arguments. So the variant goes as an array.
And it costs a third of one more if Numba looks at the arguments' types. So it looks at the first call only.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import entry, jit, merged, packed, unpacker
from kozyr.envs.loops import episodes, tables
from kozyr.envs.loops.episodes import Episodes, OpponentMix

Call = Callable[..., Any]


class Calls:
    """Functions of `tables` without the arguments that are the same at every call.

    The others must always be plain numbers, and arrays of just the types that came first.

    Attributes:
        deal_one: called with (seed, starter), for arrays (states, view, mask).
        step_one: called with (action), for the same arrays.
        look: called with (seat, view), for the same arrays.
        step: called with (actions, rngs), for arrays (states, views, masks, turns, payoffs, ends).
        learn_legal: called with (actions), for the arrays of `episode_arrays`.

    Args:
        variant: the game's options.
        *arrays: the tables.
    """

    deal_one: Call
    step_one: Call
    look: Call
    step: Call
    learn_legal: Call

    def __init__(self, variant: Any, *arrays: Any) -> None:
        self._arguments = variant, *arrays
        kind: Any = variant.__class__
        words = packed(variant)
        functions = _bound(kind, None if words is None else tuple(value.__class__ for value in variant))
        first = variant if words is None else words
        for name, function in functions.items():
            setattr(self, name, partial(self._begin, name, function, (first, *arrays)))

    def __reduce__(self) -> Any:
        return Calls, self._arguments

    def _begin(self, name: str, function: Call, bound: tuple[Any, ...], *args: Any) -> Any:
        """Call a function for the first time, and have it entered directly from now on."""
        call = partial(entry(function, *bound, *args), *bound)
        setattr(self, name, call)
        return call(*args)


@merged
def _as_it_is(variant: Any) -> Any:
    return variant


@cache
def _bound(kind: Any, fields: tuple[type, ...] | None) -> dict[str, Call]:
    """Return the functions for variants of a type, which take an array in their place if `fields` are its types."""
    unpack: Any = _as_it_is if fields is None else unpacker(kind, fields)

    def deal_one(v: Any, states: Any, view: Any, mask: Any, seed: int, starter: int) -> int:
        return tables.deal_one(unpack(v), states, seed, starter, view, mask)

    def step_one(v: Any, states: Any, view: Any, mask: Any, action: int) -> int:
        return tables.step_one(unpack(v), states, action, view, mask)

    def look(v: Any, states: Any, view: Any, mask: Any, seat: int, out: Any) -> None:
        tables.look(unpack(v), states, seat, out)

    def step(
        v: Any, states: Any, views: Any, masks: Any, turns: Any, payoffs: Any, ends: Any, actions: Any, rngs: Any
    ) -> int:
        return tables.step(unpack(v), states, actions, rngs, views, masks, turns, payoffs, ends)

    def learn_legal(
        v: Any,
        states: Any,
        deals: Any,
        rngs: Any,
        occupants: Any,
        seat: Any,
        acted: Any,
        waiting: Any,
        views: Any,
        masks: Any,
        rewards: Any,
        ends: Any,
        finals: Any,
        candidates: Any,
        odds: Any,
        how: Any,
        actions: Any,
    ) -> int:
        c = Episodes(states, deals, rngs, occupants, seat, acted, waiting, views, masks, rewards, ends, finals)
        mix = OpponentMix(how[0], how[1] != 0, candidates, odds, how[2], how[3])
        return episodes.learn_legal(unpack(v), c, mix, actions)

    functions = dict[str, Call]()
    for plain in (deal_one, step_one, look, step, learn_legal):
        plain.__module__ = kind.__module__  # the machine code belongs to the game
        functions[plain.__name__] = jit(plain)
    return functions


def episode_arrays(c: Episodes, mix: OpponentMix) -> tuple[NDArray[Any], ...]:
    """Return tables and their opponents as `learn_legal` takes them: arrays alone, which a call takes soonest."""
    how = np.array([mix.seat, mix.again, mix.opening, mix.only], np.int64)
    return (*c, mix.candidates, mix.odds, how)
