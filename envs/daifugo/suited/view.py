"""View of a table with suits, and a full state from one.

The view has cards one by one, the set on the pile, and knowledge from the exchange. A state from it has the cards that
the owner cannot place dealt at random.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit, stack_array, write_bits
from kozyr.envs.core.rng import below
from kozyr.envs.daifugo.round import IN, at_place
from kozyr.envs.daifugo.suited.rules import clear, strength
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, JOKER_ROW, KIND, LOW, SUITS, SUITS_OF
from kozyr.envs.daifugo.variant import SEATS, Variant


@jit
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any], at: Any) -> None:
    """Write what `seat` knows beyond what every variant tells."""
    write_bits(view, at.cards, CARDS, word_of(s.cards[seat]))
    write_bits(view, at.gone, CARDS, word_of(s.gone))
    lies = int(s.lies)
    view[at.lies], view[at.low] = lies, LOW[lies]
    for kind in range(4):
        view[at.kind + kind] = KIND[lies] == kind + 1
    suits = int(SUITS_OF[lies])
    for suit in range(5):
        view[at.of_suits + suit] = suits >> suit & 1
    if v.suit_lock:
        view[at.locked] = s.bound > 0
    if v.pass_limit:
        view[at.passes] = s.passes
    for j in range(v.players):
        k = seat + j if seat + j < v.players else seat + j - v.players
        view[at.leads + j] = s.leads == k
    if v.exchange:
        observe_exchange(v, s, seat, view, at)


@inlined
def word_of(cards: NDArray[np.int16]) -> int:
    """Return cards given as a mask for each suit as one word, a bit for each card in the order of their numbers."""
    word = int(cards[0]) | int(cards[1]) << COLUMNS | int(cards[2]) << 2 * COLUMNS | int(cards[3]) << 3 * COLUMNS
    return word | int(cards[JOKER_ROW]) << SUITS * COLUMNS


@jit
def observe_exchange(v: Variant, s: Any, seat: int, view: NDArray[Any], at: Any) -> None:
    """Write the cards that the seat knows its partner to have, and how strong his others may be."""
    write_bits(view, at.given, CARDS, word_of(s.gave[seat]) & ~word_of(s.gone))
    view[at.under] = 0
    if s.before[seat] != IN and s.before[seat] < 2 and s.top[partner(v, s, seat)] < CARDS:
        view[at.under] = 1 + s.top[partner(v, s, seat)]


@jit
def partner(v: Variant, s: Any, seat: int) -> int:
    """Return the seat with which a seat exchanges cards; itself if there is none."""
    place = int(s.before[seat])
    if place == IN or 1 < place < v.players - 2:
        return seat
    return at_place(s, v.players - 1 - place)


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
