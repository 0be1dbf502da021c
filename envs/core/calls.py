"""Compiled functions of `tables` that Python calls often, with the variant bound to them.

A call from Python costs a microsecond more if a named tuple is among its arguments. So the variant goes as an array.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from kozyr.envs.core import tables
from kozyr.envs.core.compile import jit, packed, unpacker

Call = Callable[..., Any]
_NAMES = ("deal_one", "step_one", "look", "step_legal")


class Calls:
    """The functions of `tables` by their names, without their first argument.

    Args:
        variant: that argument.
    """

    deal_one: Call
    step_one: Call
    look: Call
    step_legal: Call

    def __init__(self, variant: Any) -> None:
        self._variant = variant
        kind: Any = variant.__class__
        fields, words = tuple(value.__class__ for value in variant), packed(variant)
        for name in _NAMES:
            if words is None:
                setattr(self, name, partial(getattr(tables, name), variant))
            else:
                setattr(self, name, partial(_bound(kind, fields)[name], words))

    def __reduce__(self) -> Any:
        return Calls, (self._variant,)


@cache
def _bound(kind: Any, fields: tuple[type, ...]) -> dict[str, Call]:
    """Return the functions for variants of a type, which take an array in their place."""
    unpack: Any = unpacker(kind, fields)

    def deal_one(words: Any, states: Any, seed: int, starter: int, view: Any, mask: Any) -> int:
        return tables.deal_one(unpack(words), states, seed, starter, view, mask)

    def step_one(words: Any, states: Any, action: int, view: Any, mask: Any) -> int:
        return tables.step_one(unpack(words), states, action, view, mask)

    def look(words: Any, states: Any, seat: int, view: Any) -> None:
        tables.look(unpack(words), states, seat, view)

    def step_legal(
        words: Any, states: Any, actions: Any, rngs: Any, views: Any, masks: Any, turns: Any, payoffs: Any, ends: Any
    ) -> int:
        return tables.step_legal(unpack(words), states, actions, rngs, views, masks, turns, payoffs, ends)

    found = dict[str, Call]()
    for plain in (deal_one, step_one, look, step_legal):
        plain.__module__ = kind.__module__  # what is compiled belongs to the game
        found[plain.__name__] = jit(plain)
    return found
