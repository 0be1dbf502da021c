"""A state drawn among those that fit a view: cards that nobody has shown are dealt, then the actions are played."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements, play
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER
from leduc.rules import CARDS, NO_CARD, RAISE, RAISES, SEATS, STREETS, Variant, begin, cards, find, longest
from leduc.view import Parts


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
