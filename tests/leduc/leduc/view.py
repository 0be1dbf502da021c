"""View of a seat, in which seats are counted clockwise from it, and a state drawn among those that fit it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements, play
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER
from leduc.rules import CARDS, NO_CARD, RAISE, RAISES, SEATS, STREETS, Variant, begin, cards, find, longest


def _deck(v: Variant) -> int:
    return cards(v)


class Parts(Layout):
    """The parts of the view, in their order."""

    hand = Part("1 at my card", size=_deck)
    open_card = Part("1 at the open card; zeros in the first round", size=_deck)
    began = Part("1 at the seat that began", size=lambda v: v.players)
    turn = Part("1 at the seat to move; zeros once the game is over", size=lambda v: v.players)
    past = Part(
        "the actions of each round in turn: 1 fold, 2 call, 3 raise; 0: none",
        size=lambda v: 2 * (3 * v.players - 2),
        high=3,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows."""
    at = Parts(v)
    view[:] = 0
    view[at.hand + s.hand[seat]] = 1
    if s.street > 0:
        view[at.open_card + s.open_card] = 1
    view[at.began + (s.starter - seat) % v.players] = 1
    if s.turn != OVER:
        view[at.turn + (s.turn - seat) % v.players] = 1
    for i in range(STREETS):
        for j in range(longest(v)):
            view[at.past + i * longest(v) + j] = s.past[i, j]


@implements(dispatch.imagine, Variant)
def imagine(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Write a state in which the view's owner is seat 0."""
    at = Parts(v)
    s.rng = np.uint64(seed)
    deal_unseen(v, view, s)
    begin(v, s, find(view[at.began : at.began + v.players]))
    for i in range(STREETS * longest(v)):
        a = view[at.past + i] - 1
        if a >= 0 and s.turn != OVER and (a != RAISE or s.raises < RAISES):
            play(v, s, a)


@jit
def deal_unseen(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Write the cards that the view shows and deal the others from what is left."""
    at, deck = Parts(v), cards(v)
    free = stack_array(CARDS, np.int8)
    free[:] = 1
    s.hand[0] = find(view[at.hand : at.hand + deck])
    free[s.hand[0]] = 0
    s.open_card = find(view[at.open_card : at.open_card + deck])
    if s.open_card != NO_CARD:
        free[s.open_card] = 0
    for k in range(1, SEATS):
        s.hand[k] = draw(s, free, deck) if k < v.players else NO_CARD
    if s.open_card == NO_CARD:
        s.open_card = draw(s, free, deck)


@jit
def draw(s: Any, free: NDArray[np.int8], deck: int) -> int:
    """Take one of the cards that are free, each with the same chance."""
    count = 0
    for c in range(deck):
        count += free[c]
    left = below(s, count)
    for c in range(deck):
        if free[c]:
            if left == 0:
                free[c] = 0
                return c
            left -= 1
    return NO_CARD
