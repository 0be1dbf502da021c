"""What a seat sees of a table with suits: cards one by one, the set on the pile, and what the exchange has told it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.compile import jit
from kozyr.envs.daifugo.exchange import at_place
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, JOKER_ROW, KIND, LOW, SUITS, SUITS_OF
from kozyr.envs.daifugo.variant import Variant


@jit
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any], at: Any) -> None:
    """Write what `seat` knows beyond what every variant tells."""
    write_cards(s.cards[seat], view[at.cards : at.gone])
    write_cards(s.gone, view[at.gone : at.lies])
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


@jit
def write_cards(cards: NDArray[np.int16], view: NDArray[Any]) -> None:
    """Write a 1 for each card."""
    for suit in range(SUITS):
        mask, first = int(cards[suit]), suit * COLUMNS
        for r in range(COLUMNS):
            view[first + r] = mask >> r & 1
    view[SUITS * COLUMNS] = cards[JOKER_ROW]


@jit
def observe_exchange(v: Variant, s: Any, seat: int, view: NDArray[Any], at: Any) -> None:
    """Write the cards that the seat knows its partner to have, and how strong his others may be."""
    write_cards(s.gave[seat], view[at.given : at.under])
    for i in range(SUITS * COLUMNS + 1):
        if view[at.gone + i]:
            view[at.given + i] = 0
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
