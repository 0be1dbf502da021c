"""A full state from a view: the cards that its owner has not seen are dealt at random."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import shuffle
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.deck import CARDS, deal_to, hand_size, own
from kozyr.envs.draw_poker.evaluate import ACE, DECK, HAND, NO_BIT, NO_CARD, sort
from kozyr.envs.draw_poker.rules import ENDED, NOBODY, NOT_YET, SEATS, TOURNAMENT, Variant
from kozyr.envs.draw_poker.view import Parts


@implements(dispatch.imagine, Variant)
def imagine(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Write a state drawn uniformly among those that give this view to seat 0.

    Every placing of the unseen cards in hands, discards and deck is equally likely.
    """
    at = Parts(v)
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.starter = 0, 0, 0
    s.phase = ENDED
    for phase in range(ENDED):
        if view[at.phase + phase]:
            s.phase = phase
    s.highest = view[at.highest]
    s.full_raise = view[at.full_raise] if v.min_raise else 0
    s.hands = v.max_hands - view[at.hands_left] if v.episode == TOURNAMENT else 1
    place_seats(v, view, s)
    below = deal_seen(v, view, s)
    deal_hidden(v, s, below)
    if v.four_with_ace:
        deal_aces(v, s, below)


@jit
def place_seats(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read what is known about the seats."""
    at = Parts(v)
    s.turn, s.button, s.raiser = OVER, NOBODY, NOBODY
    for k in range(SEATS):
        empty_seat(s, k)
    for k in range(v.players):
        s.chips[k], s.paid[k] = view[at.chips + k], view[at.paid + k]
        s.began[k] = s.chips[k] + s.paid[k]
        s.bet[0, k], s.bet[1, k] = view[at.first + k], view[at.second + k]
        s.folded[k], s.pending[k] = view[at.folded + k], view[at.pending + k]
        s.out[k], s.place[k] = view[at.out + k], view[at.place + k]
        s.exchanged[k] = view[at.exchanged + k] + NOT_YET
        if view[at.button + k]:
            s.button = k
        if view[at.raiser + k]:
            s.raiser = k
        if view[at.turn + k]:
            s.turn = k


@jit
def empty_seat(s: Any, k: int) -> None:
    """Leave nothing of an earlier game at a seat."""
    s.payoff[k], s.change[k], s.strength[k] = 0.0, 0, 0
    s.chips[k], s.paid[k], s.began[k], s.bet[0, k], s.bet[1, k] = 0, 0, 0, 0, 0
    s.folded[k], s.pending[k], s.out[k], s.place[k], s.exchanged[k] = 0, 0, 0, 0, NOT_YET
    for i in range(HAND):
        s.hand[k, i], s.discarded[k, i] = NO_CARD, NO_CARD


@jit
def deal_seen(v: Variant, view: NDArray[Any], s: Any) -> int:
    """Put the observer's hand and discards on top of the deck, the rest below, and return how many are seen."""
    at, n = Parts(v), 0
    for i in range(HAND):
        if view[at.slots + i]:
            n += 1
    hand, gone, rest = 0, n, n + max(0, int(s.exchanged[0]))
    seen = rest
    for i in range(v.deck):
        c = int(CARDS[v.deck, i])
        if view[at.cards + c] and hand < n:
            s.deck[hand] = s.hand[0, hand] = c
            hand += 1
        elif view[at.gone + c] and gone < seen:
            s.deck[gone] = s.discarded[0, gone - n] = c
            gone += 1
        elif rest < v.deck:
            s.deck[rest] = c
            rest += 1
    for i in range(v.deck, DECK):
        s.deck[i] = NO_CARD
    if n:
        sort(s.hand[0])
    return seen


@jit
def deal_hidden(v: Variant, s: Any, seen: int) -> None:
    """Shuffle the unseen cards and deal the others' hands and discards; what is left is theirs to draw."""
    shuffle(s, s.deck[seen:], v.deck - seen)
    for k in range(1, v.players):
        if s.out[k] == 0:
            deal_to(v, s, k)
            for i in range(s.exchanged[k]):
                s.discarded[k, i] = s.deck[own(v) * k + hand_size(v) + i]


@jit
def deal_aces(v: Variant, s: Any, below: int) -> None:
    """Deal again until whoever has discarded four cards by its ace holds one (§18), where enough aces are unseen."""
    free = holders = 0
    for i in range(below, v.deck):
        free += ACE[s.deck[i] & NO_BIT]
    for k in range(1, v.players):
        holders += keeps_ace(v, s, k)
    while holders <= free and not aces_fit(v, s):
        deal_hidden(v, s, below)


@jit
def keeps_ace(v: Variant, s: Any, k: int) -> bool:
    """Return True if a seat has discarded more cards than it may without an ace."""
    return s.out[k] == 0 and s.exchanged[k] > v.max_discards


@jit
def aces_fit(v: Variant, s: Any) -> bool:
    """Return True if all others that have discarded more cards than usual hold an ace."""
    for k in range(1, v.players):
        aces = 0
        for i in range(HAND):
            aces += ACE[s.hand[k, i] & NO_BIT]
        if aces == 0 and keeps_ace(v, s, k):
            return False
    return True
