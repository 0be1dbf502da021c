"""A full state from a view: the cards that its owner cannot place are dealt at random."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit, lowest_bit, read_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import shuffle
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.cards import bit, ranks_of
from kozyr.envs.durak.rules import DISCARD, NO_CARD, PLACES, STOCK, TABLE, Variant
from kozyr.envs.durak.view import Parts


@implements(dispatch.imagine, Variant)
def imagine(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Write a state drawn uniformly among those that give this view to seat 0.

    Every placing of the hidden cards that agrees with the hand sizes is equally likely.
    """
    s.rng = np.uint64(seed)
    s.payoff[:] = 0.0
    s.ply, s.truncated, s.starter, s.rounds = 0, 0, 0, 0
    place_seen(v, view, s)
    lay_table(v, view, s)
    place_seats(v, view, s)
    deal_hidden(v, s)


@jit
def place_seen(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Put every card that the view shows where it is."""
    at, deck = Parts(v), v.deck
    s.cards[:] = 0
    s.cards[0], s.known = read_bits(view, at.hand, deck), read_bits(view, at.shown, deck)
    for j in range(1, v.players):
        s.cards[j] = read_bits(view, at.known + (j - 1) * deck, deck)
        s.known |= s.cards[j]
    s.cards[TABLE] = read_bits(view, at.attack, deck) | read_bits(view, at.defence, deck)
    s.cards[DISCARD] = read_bits(view, at.discard, deck)
    if v.open_trump:
        s.cards[STOCK] = read_bits(view, at.bottom, deck)


@jit
def lay_table(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Lay the table's cards in their order."""
    at = Parts(v)
    s.laid, s.beaten = 0, 0
    s.attack[:], s.defence[:] = NO_CARD, NO_CARD
    for c in range(v.deck):
        if view[at.attack + c]:
            s.attack[view[at.attack + c] - 1] = c
            s.laid += 1
        if view[at.defence + c]:
            s.defence[view[at.defence + c] - 1] = c
            s.beaten += 1
    s.fits = ranks_of(v.deck, s.cards[TABLE])
    s.limit, s.passes, s.taking = view[at.limit], view[at.passes], view[at.taking]
    s.trump_shown = view[at.trump_shown] if v.show_trump else 0


@jit
def place_seats(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read what is known about the seats, the stock and the trump."""
    at = Parts(v)
    s.turn, s.attacker, s.defender, s.trump = OVER, 0, 0, 0
    for j in range(v.players):
        s.count[j], s.out[j] = view[at.sizes + j], view[at.out + j]
        if view[at.attacker + j]:
            s.attacker = j
        if view[at.defender + j]:
            s.defender = j
        if view[at.turn + j]:
            s.turn = j
    for suit in range(4):
        if view[at.trump + suit]:
            s.trump = suit
    s.drawn = v.deck - view[at.stock]


@jit
def deal_hidden(v: Variant, s: Any) -> None:
    """Shuffle the hidden cards, gathered at the front of the stock, and deal them to the other hands and the stock."""
    n, seen = 0, 0
    for place in range(PLACES):
        seen |= s.cards[place]
    hidden, bottom = bit(v.deck) - 1 & ~seen, s.cards[STOCK]
    while hidden:
        s.stock[n] = lowest_bit(hidden)
        hidden &= hidden - 1
        n += 1
    shuffle(s, s.stock, n)
    for j in range(1, v.players):
        for _ in range(min(s.count[j] - count_bits(s.cards[j]), n)):
            n -= 1
            s.cards[j] |= bit(s.stock[n])
    if bottom:  # the open trump lies at the bottom, where no hidden card is gathered
        s.stock[v.deck - 1] = lowest_bit(bottom)
    n = min(n, v.deck - s.drawn)
    for i in range(n - 1, -1, -1):  # from the end, so that nothing is overwritten before it is moved
        c = s.stock[i]
        s.cards[STOCK] |= bit(c)
        s.stock[s.drawn + i] = c
