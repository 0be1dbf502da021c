"""View of a table with suits: cards one by one, the set on the pile, and knowledge from the exchange."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit, write_bits
from kozyr.envs.daifugo.exchange import at_place
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, JOKER_ROW, KIND, LOW, SUITS, SUITS_OF
from kozyr.envs.daifugo.variant import Variant


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
