"""View of a seat: its named parts, declared here and nowhere else.

Both seats know the same; the view's owner is called "me", the other seat "the other". A line is the cards that a seat
has laid in this turn, then its deck from the top.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.war.rules import DECK, PICKING, SEATS, WAR, WRAP, Variant

DIGIT, DIGITS = 7, 3  # bits in a digit of the count of turns, and digits


def _deck(v: Variant) -> int:
    return v.deck


def _half(v: Variant) -> int:
    return v.deck // SEATS


def _most_laid(v: Variant) -> int:
    return v.deck // SEATS + (WAR - 2 if v.shortage else 0)  # against a seat that is short the other lays full wars


class Parts(Layout):
    """The parts of the view, in their order."""

    mine = Part(
        "for each card known to lie in my line the first place, 1 …, that it may have there: one card lies in this "
        "very place; several with one value lie there and in the next free places, in unknown order; 0: not known",
        size=_deck,
        high=_deck,
    )
    theirs = Part(
        "the same in the other's line; cards in neither line have not been seen by anybody", size=_deck, high=_deck
    )
    laid = Part(
        "cards of my line, then of the other's, that are laid; the 1st, 5th, 9th … of them and the last face up",
        size=SEATS,
        high=_most_laid,
    )
    sizes = Part("cards in my deck, then in the other's", size=SEATS, high=_deck)
    unseen = Part("unseen cards in my deck, then in the other's, where they lie on top", size=SEATS, high=_half)
    starter = Part("1 if I turn up first in every turn")
    turn = Part("1 at the seat to move, me first; all 0 once the game is over", size=SEATS)
    picking = Part("1 while the seat to move chooses the order of the pool")
    left = Part(
        f"turns before the cap in digits of base {1 << DIGIT}, the lowest first", size=DIGITS, high=(1 << DIGIT) - 1
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§10)."""
    at = Parts(v)
    if v.deck == DECK:  # a loop whose length is known compiles to the fastest code
        observe_lines(s, seat, DECK, view[at.mine :], view[at.theirs :])
    else:
        observe_lines(s, seat, v.deck, view[at.mine :], view[at.theirs :])
    for j in range(SEATS):
        k = seat ^ j
        view[at.laid + j] = s.top[k] - s.first[k]
        view[at.sizes + j] = s.end[k] - s.top[k]
        view[at.unseen + j] = s.unseen[k]
        view[at.turn + j] = s.turn == k
    view[at.starter] = s.starter == seat
    view[at.picking] = s.phase == PICKING
    left = v.max_turns - s.turns
    for i in range(DIGITS):
        view[at.left + i] = (left >> (DIGIT * i)) & ((1 << DIGIT) - 1)


@jit
def observe_lines(s: Any, seat: int, deck: int, mine: NDArray[Any], theirs: NDArray[Any]) -> None:
    """Write the first possible place of each card in the owner's line and in the other's."""
    owner, at = s.owner, s.at
    me, other = np.int8(seat), np.int8(1 - seat)
    first, rival = s.first[seat], s.first[1 - seat]
    for c in range(deck):
        mine[c] = (((at[c] - first) & WRAP) + 1) * (owner[c] == me)
    for c in range(deck):
        theirs[c] = (((at[c] - rival) & WRAP) + 1) * (owner[c] == other)
