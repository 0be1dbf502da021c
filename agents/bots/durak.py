"""Scripted Durak players, from the document's own to better ones: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.jit import jit
from kozyr.envs.durak.rules import RANK, SUIT, SUITS, Variant
from kozyr.envs.durak.view import Parts, parts

LADDER = ("random", "document", "low")
DOCUMENT = 1
NOTHING = -1
_TRUMP_COST = 13  # a trump is dearer than any card of another suit


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    at = parts(v)
    trump = suit_of_trump(view, at)
    if level == DOCUMENT:
        return document(v, view, mask, at, trump)
    return low(v, view, mask, at, trump)


@jit
def suit_of_trump(view: NDArray[Any], at: Parts) -> int:
    """Return the trump suit."""
    for suit in range(SUITS):
        if view[at.trump + suit]:
            return suit
    return NOTHING


@jit
def cheapest(v: Variant, mask: NDArray[np.int8], trump: int, trumps: bool) -> int:
    """Return the legal card of the lowest cost, trumps only if allowed, or NOTHING."""
    best, best_cost = NOTHING, 1000
    for c in range(v.deck):
        if mask[c]:
            is_trump = SUIT[v.deck, c] == trump
            cost = RANK[v.deck, c] + (_TRUMP_COST if is_trump else 0)
            if cost < best_cost and (trumps or not is_trump):
                best, best_cost = c, cost
    return best


@jit
def document(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Attack once with the lowest card; beat with the lowest non-trump, with trumps once the stock is out."""
    if not mask[v.deck]:
        return cheapest(v, mask, trump, True)
    if not view[at.defender]:
        return v.deck
    card = cheapest(v, mask, trump, view[at.stock] == 0)
    return v.deck if card == NOTHING else card


@jit
def low(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Attack and beat as cheaply as possible, take only if forced.

    Throw in every fitting non-trump, and anything once the stock is out.
    """
    trumps = view[at.defender] == 1 or not mask[v.deck] or view[at.stock] == 0
    card = cheapest(v, mask, trump, trumps)
    return v.deck if card == NOTHING else card
