"""A full state from a view: the unseen cards and those of unknown order are laid out at random."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER
from kozyr.envs.war.rules import DECK, FLIPPING, NO_CARD, PICKING, ROOM, SEATS, UNSEEN, Variant
from kozyr.envs.war.view import DIGIT, DIGITS, Parts


@implements(dispatch.imagine, Variant)
def imagine(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Write a state drawn uniformly among those that give this view to seat 0.

    Every order of the unseen cards, and of cards that were shuffled before they went under a deck, is equally likely.
    """
    at = Parts(v)
    s.rng = np.uint64(seed)
    s.payoff[:] = 0.0
    s.ply, s.truncated, s.wars = 0, 0, 0
    s.starter = 0 if view[at.starter] else 1
    s.turn = 0 if view[at.turn] else 1 if view[at.turn + 1] else OVER
    s.phase = PICKING if view[at.picking] else FLIPPING
    s.turns = v.max_turns
    for i in range(DIGITS):
        s.turns -= np.int32(view[at.left + i]) << (DIGIT * i)
    for j in range(SEATS):
        s.first[j], s.top[j], s.unseen[j] = 0, view[at.laid + j], view[at.unseen + j]
        s.end[j] = s.top[j] + view[at.sizes + j]
        for i in range(ROOM):
            s.line[j, i] = NO_CARD
    place_seen(v, view, s)
    place_hidden(v, s)


@jit
def place_seen(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Put every seen card into its line: first those whose place is known, then the others in random order."""
    at = Parts(v)
    for c in range(DECK):
        s.owner[c], s.at[c] = UNSEEN, 0
    for c in range(v.deck):
        for j in range(SEATS):
            place = int(view[(at.mine if j == 0 else at.theirs) + c])
            if place:
                s.owner[c], s.at[c] = j, place - 1
    for alone in (True, False):
        for j in range(SEATS):
            for place in range(s.end[j]):
                place_group(v, s, j, place, alone)


@jit
def place_group(v: Variant, s: Any, seat: int, place: int, alone: bool) -> None:
    """Put the cards of a line whose first possible place is `place` there, if they are one, or several, as asked."""
    count = 0
    for c in range(v.deck):
        count += s.owner[c] == seat and s.at[c] == place
    if count == 0 or (count == 1) != alone:
        return
    for c in range(v.deck):
        if s.owner[c] == seat and s.at[c] == place:
            put(s, seat, place, below(s, count), c)
            count -= 1


@jit
def put(s: Any, seat: int, begin: int, skipped: int, card: int) -> None:
    """Put a card into the free place of a line that follows so many others from place `begin` on."""
    place = begin
    while place < ROOM and (s.line[seat, place] != NO_CARD or skipped > 0):
        skipped -= s.line[seat, place] == NO_CARD
        place += 1
    if place < ROOM:
        s.line[seat, place] = card


@jit
def place_hidden(v: Variant, s: Any) -> None:
    """Put the unseen cards into the places left, in random order."""
    free, more = 0, 0
    for place in range(ROOM):
        free += place < s.end[0] and s.line[0, place] == NO_CARD
        more += place < s.end[1] and s.line[1, place] == NO_CARD
    for c in range(v.deck):
        if s.owner[c] == UNSEEN:
            skipped = below(s, free + more)
            if skipped < free:
                put(s, 0, 0, skipped, c)
                free -= 1
            else:
                put(s, 1, 0, skipped - free, c)
                more -= 1
