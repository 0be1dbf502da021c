"""Durak's words of cards as tests like them: a place for each card, and cards as lists."""

from typing import Any

import numpy as np

from kozyr.envs.durak.rules import PLACES, Variant


def cards(word: Any) -> list[int]:
    """Return the cards of a set, the lowest first."""
    return [c for c in range(64) if int(word) >> c & 1]


def word(some: Any) -> int:
    """Return a set of cards."""
    return sum(1 << int(c) for c in some)


def places(v: Variant, s: Any) -> Any:
    """Return int [deck]: where each card lies, in a seat's hand, STOCK, TABLE or DISCARD."""
    found = np.full(v.deck, -1)
    for place in range(PLACES):
        found[cards(s.cards[place])] = place
    return found


def put(s: Any, wanted: Any) -> None:
    """Put each card where `wanted` says."""
    s.cards[:] = [word(np.flatnonzero(np.asarray(wanted) == place)) for place in range(PLACES)]
