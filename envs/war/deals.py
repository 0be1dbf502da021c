"""Which deals of a small deck are the same but for the names of the suits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.war.rules import RANK, SEATS, SUITS, WAR, Variant


def plain(v: Variant, states: NDArray[Any]) -> None:
    """Name the suits of every rank in the order in which the cards are turned up, where all are turned up in order.

    Suits never matter (§2), and named like this a card's suit tells nothing but how many of its rank were seen. That
    needs a deck in which no war can be fought out (§4), for in one cards are laid that are seen later or never.
    """
    half, ranks = v.deck // SEATS, v.deck // SUITS
    if half > WAR:
        return
    lines = states["line"]
    seats = np.stack([states["starter"], 1 - states["starter"]], 1)
    rows = np.arange(len(states))
    seen = np.zeros((len(states), ranks), np.int64)
    for i in range(half):
        for j in range(SEATS):
            rank = RANK[v.deck, lines[rows, seats[:, j], i]].astype(np.int64)
            lines[rows, seats[:, j], i] = seen[rows, rank] * ranks + rank
            seen[rows, rank] += 1
