"""Capabilities of War, for networks and reports: the two lines of cards, and deals that are alike."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.core.capabilities import TwoLines
from kozyr.envs.core.labels import Phrase, phrase
from kozyr.envs.war.rules import LAST_CARD, RANK, SEATS, SUITS, WAR, Variant
from kozyr.envs.war.view import Parts


@capabilities.two_lines.register(Variant)
def two_lines(v: Variant) -> TwoLines:
    """Return the places of both lines in a view."""
    at = Parts(v)
    return TwoLines(at.mine, at.theirs, at.laid, at.sizes, at.turn, at.picking, RANK[v.deck, : v.deck] + 1)


@capabilities.canonical_deal.register(Variant)
def canonical_deal(v: Variant, states: NDArray[Any]) -> None:
    """Name the suits of every rank in the order in which the cards are turned up, where all are turned up in order.

    Suits never matter (§2), and named like this a card's suit tells nothing but how many of its rank were seen. That
    needs a deck in which no war can be fought out (§4, §12), for in one cards are laid that are seen later or never.
    """
    half, ranks = v.deck // SEATS, v.deck // SUITS
    if half > WAR or v.shortage == LAST_CARD:
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


@capabilities.episode_statistics.register(Variant)
def episode_statistics(v: Variant) -> tuple[str, ...]:
    """Return the numbers of turns and of wars."""
    return "turns", "wars"


@capabilities.result_phrase.register(Variant)
def result_phrase(v: Variant, state: Any, seat: int) -> Phrase:
    """Return the result of a seat in words: won, drew, or lost, perhaps short of cards for a war."""
    if state.truncated:
        return phrase("drew, as the game was stopped")
    if state.payoff[seat] > 0:
        return phrase("won")
    return phrase("lost, short of cards for a war") if state.top[0] > state.first[0] else phrase("lost")
