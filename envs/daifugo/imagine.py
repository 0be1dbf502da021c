"""A full state from a view: the cards that its owner cannot place are dealt at random."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.round import clear_table, seat_in_order
from kozyr.envs.daifugo.rules import cards
from kozyr.envs.daifugo.suited import view as suited
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant
from kozyr.envs.daifugo.view import Parts


@implements(dispatch.imagine, Variant)
def imagine(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Write a state drawn uniformly among those that give this view to seat 0.

    Every placing of the hidden cards that agrees with the hand sizes and with what was given away is equally likely.
    """
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.starter, s.rounds = 0, 0, 0, 1
    seat_in_order(v, s)
    at = Parts(v)
    if v.suits:
        suited.place_table(v, view, s, at)
    else:
        clear_table(s)
        place_pile(v, view, s)
    place_seats(v, view, s)
    if v.rounds > 1:
        place_rounds(v, view, s)
    if v.rounds > 1 or v.suits:
        place_order(v, view, s)
    if v.exchange:
        s.phase, s.gives = view[at.phase], view[at.gives]
    if v.history:
        place_log(v, view, s)
    if not v.suits:
        if v.exchange:
            place_known(v, view, s)
        deal_hidden(v, s)
        return
    if v.exchange:
        suited.place_exchange(v, view, s, at)
    suited.deal_hidden(v, view, s, at)


@jit
def place_pile(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read the owner's hand, the cards played and the pile."""
    at = Parts(v)
    s.laid, s.jokered = view[at.pile], view[at.jokered]
    for r in range(JOKER + 1):
        s.hand[0, r], s.played[r] = view[at.hand + r], view[at.played + r]
        if view[at.rank + r]:
            s.rank = r
    if v.revolution:
        s.upside = view[at.upside]


@jit
def places_from_first(v: Variant, s: Any) -> int:
    """Count the places taken from the first on; others are taken from the last on (§12, §22)."""
    count = 0
    for _ in range(v.players - 1):
        for k in range(v.players):
            count += s.place[k] == count
    return min(count, v.players - 1)


@jit
def place_seats(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read what is known about every seat."""
    at = Parts(v)
    s.turn = OVER
    for j in range(v.players):
        s.count[j], s.passed[j], s.place[j] = view[at.sizes + j], view[at.passed + j], view[at.place + j] - 1
        if view[at.owner + j]:
            s.owner = j
        if view[at.turn + j]:
            s.turn = j
    s.taken = places_from_first(v, s)


@jit
def place_rounds(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read what the rounds before have left."""
    at = Parts(v)
    s.rounds = v.rounds - view[at.left]
    for j in range(v.players):
        s.before[j], s.total[j] = view[at.before + j] - 1, view[at.total + j]


@jit
def place_order(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read the order of turns."""
    at = Parts(v)
    for j in range(v.players):
        after = view[at.order + j] + 1
        for k in range(v.players):
            if view[at.order + k] == (after if after < v.players else 0):
                s.next_of[j] = k


@jit
def place_known(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read which cards everybody knows to be in a hand, and put them there."""
    at = Parts(v)
    for j in range(v.players):
        s.top[j] = view[at.top + j] - 1
        for r in range(JOKER + 1):
            s.known[j, r] = view[at.known + j * (JOKER + 1) + r]
            if j > 0:
                s.hand[j, r] = s.known[j, r]


@jit
def place_log(v: Variant, view: NDArray[Any], s: Any) -> None:
    """Read which sets have been laid in this round, and by whom."""
    at = Parts(v)
    while s.log < cards(v) and view[at.log_seat + s.log]:
        s.log_seat[s.log], s.log_set[s.log] = view[at.log_seat + s.log] - 1, view[at.log_set + s.log]
        s.log_lead[s.log] = view[at.log_lead + s.log]
        s.log += 1


@jit
def deal_hidden(v: Variant, s: Any) -> None:
    """Put all hidden cards into the freest hand, then let the others draw from it, the most restricted first.

    What a restricted hand may hold the freer ones may hold too, so drawing one after the other is exact.
    """
    pool = 1
    for j in range(2, v.players):
        if s.top[j] > s.top[pool]:
            pool = j
    for r in range(JOKER + 1):
        hidden = (SUITS if r < v.ranks else 0) if r < JOKER else int(v.joker)
        hidden -= s.played[r]
        for j in range(v.players):
            hidden -= s.hand[j, r]
        s.hand[pool, r] += hidden
    for top in range(JOKER + 1):
        for j in range(1, v.players):
            if s.top[j] == top and j != pool:
                draw_hidden(s, j, pool)


@jit
def draw_hidden(s: Any, seat: int, pool: int) -> None:
    """Move hidden cards that a seat may hold from the pool's hand to it, until its hand has its size."""
    top, missing, left = int(s.top[seat]), s.count[seat], 0
    for r in range(JOKER + 1):
        missing -= s.hand[seat, r]
        if r <= top:
            left += s.hand[pool, r] - s.known[pool, r]
    for picks in range(min(missing, left)):
        i, r = below(s, left - picks), 0
        while i >= s.hand[pool, r] - s.known[pool, r]:
            i -= s.hand[pool, r] - s.known[pool, r]
            r += 1
        s.hand[pool, r] -= 1
        s.hand[seat, r] += 1
