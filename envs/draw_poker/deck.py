"""Decks of draw poker: every seat has a part of the shuffled deck (§1, §2)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.rng import shuffle
from kozyr.envs.draw_poker.evaluate import DECK, HAND, NO_CARD, RANKS, sort

TWO = 2  # cards of a small hand
SEATS = 5
OWN = 2 * HAND  # cards of the deck that belong to a seat if hands have five cards: as many to draw as are dealt
SHORT = (6, 8, 10, 12, 16, 20, 26)  # cards in decks of two suits, clubs and spades, the highest ranks of each
_SUITS = 2


def _decks() -> NDArray[np.int8]:
    """Return the cards of every deck before it is shuffled: [cards, place], NO_CARD behind the last."""
    decks = np.full((DECK + 1, DECK), NO_CARD, np.int8)
    decks[DECK] = np.arange(DECK)
    for cards in SHORT:
        ranks = cards // _SUITS
        decks[cards, :cards] = [RANKS * suit + RANKS - ranks + rank for suit in range(_SUITS) for rank in range(ranks)]
    return decks


CARDS = _decks()
_SHARE = np.array([[cards // max(1, players) for players in range(SEATS + 1)] for cards in range(DECK + 1)], np.int32)


def complaint(v: Any) -> str:
    """Return the reason why the deck of a variant is impossible, or "" (§1, §2)."""
    most = v.deck // (TWO + 1)
    if v.players > most:
        return (
            f"players={v.players} with deck={v.deck} leaves somebody without a card to draw: "
            f"at most {most} players with that deck"
        )
    return ""


@jit
def hand_size(v: Any) -> int:
    """Return the size of a hand: five cards of the whole deck, two of a shorter one (§2)."""
    return HAND if v.deck == DECK else TWO


@jit
def own(v: Any) -> int:
    """Return the number of cards in the deck that belong to each seat: its hand, then those it may draw (§2)."""
    return OWN if v.deck == DECK else share(v.deck, v.players)


@jit
def share(deck: int, seats: int) -> int:
    """Return the number of cards in a shorter deck that belong to each seat."""
    return min(2 * TWO, int(_SHARE[deck, seats]))


@jit
def shuffled(v: Any, s: Any) -> None:
    """Shuffle the whole deck (§2); numbers that the compiler knows save time."""
    if v.deck == DECK:
        for c in range(DECK):
            s.deck[c] = c
        shuffle(s, s.deck, DECK)
    else:
        for i in range(DECK):
            s.deck[i] = CARDS[v.deck, i]
        shuffle(s, s.deck, v.deck)


@jit
def deal_to(v: Any, s: Any, k: int) -> None:
    """Give a seat its hand out of its part of the deck (§2)."""
    if v.deck == DECK:
        for i in range(HAND):
            s.hand[k, i] = s.deck[OWN * k + i]
    else:
        for i in range(HAND):
            s.hand[k, i] = s.deck[own(v) * k + i] if i < TWO else NO_CARD
    sort(s.hand[k])
