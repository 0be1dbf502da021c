"""Capabilities of Durak, for networks and reports: suits are names, and some deals are alike."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.core.capabilities import Symmetry
from kozyr.envs.core.labels import Phrase, phrase
from kozyr.envs.durak.actions import WITH_CARD, Actions
from kozyr.envs.durak.cards import SUITS
from kozyr.envs.durak.rules import Variant
from kozyr.envs.durak.view import Parts

CARDS = ("hand", "shown", "known", "attack", "defence", "open", "discard", "bottom")  # parts with an entry a card


@capabilities.symmetry.register(Variant)
def symmetry(v: Variant) -> Symmetry:
    """Return, for each suit that may be trumps, what changes places so that trumps come first."""
    at, moves = Parts(v).spans(), list(Actions(v).spans().values())
    views, numbers = np.arange(Parts(v).size), np.arange(Actions(v).size)
    turned_views, turned_actions = np.tile(views, (SUITS, 1)), np.tile(numbers, (SUITS, 1))
    for trump in range(SUITS):
        exchanged = _exchanged(v.deck, trump)
        for first in (start for name in CARDS for start in range(at[name].start, at[name].stop, v.deck)):
            turned_views[trump, first : first + v.deck] = first + exchanged
        turned_views[trump, at["trump"]] = at["trump"].start + _exchanged(SUITS, trump)
        for span in (moves[kind] for kind in WITH_CARD):
            turned_actions[trump, span] = (span.start + exchanged)[: span.stop - span.start]
    return Symmetry(at["trump"].start, at["trump"].stop, turned_views, turned_actions)


def _exchanged(deck: int, suit: int) -> NDArray[np.int64]:
    """Return the cards with a suit in the place of the first and the first in its place."""
    suits = np.arange(SUITS)
    suits[[0, suit]] = suits[[suit, 0]]
    return np.arange(deck).reshape(SUITS, -1)[suits].reshape(-1)


@capabilities.canonical_deal.register(Variant)
def canonical_deal(v: Variant, states: NDArray[Any]) -> None:
    """Forget in which order the cards lay that have been dealt; the hands are what counts (§1)."""
    if len(states):
        dealt = int(states["drawn"][0])
        states["stock"][:, :dealt] = np.sort(states["stock"][:, :dealt], axis=1)


@capabilities.episode_statistics.register(Variant)
def episode_statistics(v: Variant) -> tuple[str, ...]:
    """Return the number of rounds."""
    return ("rounds",)


@capabilities.result_phrase.register(Variant)
def result_phrase(v: Variant, state: Any, seat: int) -> Phrase:
    """Return the result of a seat in words: the fool, drew, won, or got away among several."""
    if state.truncated:
        return phrase("drew, as the game was stopped")
    if state.payoff[seat] < 0:
        return phrase("is the fool")
    if not state.payoff.any():
        return phrase("drew")
    return phrase("won") if v.players == 2 else phrase("got away")
