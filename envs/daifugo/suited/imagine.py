"""A full state from a view of a table with suits: cards that its owner cannot place are dealt at random."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core.rng import below
from kozyr.envs.daifugo.suited.observe import partner
from kozyr.envs.daifugo.suited.play import clear, strength
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, SUITS_OF
from kozyr.envs.daifugo.variant import SEATS, Variant


@jit
def place_table(v: Variant, view: NDArray[Any], s: Any, at: Any) -> None:
    """Read the owner's cards, those played, and the set on the pile."""
    clear(s)
    s.laid, s.lies = view[at.pile], view[at.lies]
    for card in range(CARDS):
        if view[at.cards + card]:
            put(s.cards[0], card)
        if view[at.gone + card]:
            put(s.gone, card)
    if v.revolution:
        s.upside = view[at.upside]
    if v.suit_lock and view[at.locked]:
        s.bound = SUITS_OF[s.lies]
    if v.pass_limit:
        s.passes = view[at.passes]
    for j in range(v.players):
        if view[at.leads + j]:
            s.leads = j


@jit
def put(cards: NDArray[np.int16], card: int) -> None:
    """Add a card to the masks of a hand."""
    cards[card // COLUMNS] |= 1 << card % COLUMNS


@jit
def place_exchange(v: Variant, view: NDArray[Any], s: Any, at: Any) -> None:
    """Read what the exchange has told the owner; cards that it gave lie in its partner's hand."""
    other = partner(v, s, 0)
    for card in range(CARDS):
        if view[at.given + card]:
            put(s.gave[0], card)
            put(s.cards[other], card)
    if view[at.under]:
        s.top[other] = view[at.under] - 1


@jit
def deal_hidden(v: Variant, view: NDArray[Any], s: Any, at: Any) -> None:
    """Deal the hidden cards: first to the partner what it may have, if something is known of that, then the others.

    Every placing that agrees with the sizes of the hands and with the exchange is equally likely.
    """
    needs, free = stack_array(SEATS, np.int32), stack_array(CARDS, np.int8)
    other = partner(v, s, 0) if v.exchange else 0
    limit = int(s.top[other]) if other else CARDS
    for j in range(v.players):
        needs[j] = s.count[j] if j else 0
    left = fitting = 0
    for card in range(CARDS - 1 + v.joker):
        known = v.exchange and view[at.given + card] > 0
        free[card] = not (view[at.cards + card] or view[at.gone + card] or known)
        needs[other] -= known
        left += free[card]
        fitting += free[card] and strength(card) < limit
    for card in range(CARDS - 1 + v.joker if limit < CARDS else 0):
        if free[card] and strength(card) < limit:
            if below(s, fitting) < needs[other]:
                put(s.cards[other], card)
                free[card] = 0
                needs[other] -= 1
                left -= 1
            fitting -= 1
    for card in range(CARDS - 1 + v.joker):
        if free[card]:
            i, seat = below(s, left), 0
            while seat < v.players - 1 and i >= needs[seat]:
                i -= needs[seat]
                seat += 1
            put(s.cards[seat], card)
            needs[seat] -= 1
            left -= 1
