"""A Daifugo player that counts: which of its sets nobody can beat, and which it would be left with.

A set is a control if the unseen cards cannot beat it and a burden otherwise; who has no more than one burden gets rid
of everything by leading the controls first. Costs are in ranks of a deck of thirteen.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.daifugo.actions import KIND, NATURAL, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.variant import FROM_EIGHT, JOKER, SUITS, Variant
from kozyr.envs.daifugo.view import Parts

PASS = 0
TOP = 12.0  # cost of the strongest rank; the weakest costs 0
LONE_JOKER = 13.0
BROKEN = 6.0  # for answering with a part of a rank
DEAR = 9.0  # for the joker
SURE = 1.5  # off for an answer that nobody can beat
STOP = 3.0  # off for eights that clear the pile
LARGE = 4.0  # off for leading a set larger than the shortest other hand
BURDEN = 4.5  # for each set more that can be beaten among the cards left
CONTROL = 3.0  # for each set fewer that cannot
TURN = 10.0  # for a revolution, for each rank by which the cards left are stronger than the middle
HOLD = 9.5  # what an answer may cost …
HASTE = 0.3  # … less for each card in hand
BACKING = 3.0  # … more for each control in hand
ALARM = 8.0  # … and more while somebody has no more than NEARLY_OUT cards
NEARLY_OUT = 2
NONE = -1  # no set of a size can be laid by others
_HIGHEST = 1e9


class Outlook(NamedTuple):
    """A hand sorted by rank, against the cards that are not seen."""

    upside: bool
    joker: int  # mine
    fewest: int  # cards in the shortest other hand
    most: int  # cards in the longest
    beats: tuple[int, int, int, int]  # strongest step (0: weakest rank) of which others may lay 1, 2, 3, 4 cards
    burdens: int
    curable: int  # burdens that the joker would turn into controls
    controls: int


@jit
def heuristic(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Go out if nobody can prevent it; else lay the set that costs least, or pass if that costs too much."""
    o = outlook(v, view, at)
    best, least = PASS, _HIGHEST
    if mask[PASS]:
        least = HOLD - HASTE * view[at.sizes] + BACKING * o.controls + ALARM * (o.fewest <= NEARLY_OUT)
    for a in range(1, len(mask)):
        if mask[a]:
            cost = price(v, view, at, o, a)
            if cost < least:
                best, least = a, cost
    return best


@jit
def outlook(v: Variant, view: NDArray[Any], at: Parts) -> Outlook:
    """Sort a hand into controls and burdens."""
    upside = v.revolution and view[at.upside] > 0
    most, fewest = 0, SUITS * (JOKER + 1)
    for k in range(1, v.players):
        if view[at.place + k] - 1 == IN:
            most, fewest = max(most, view[at.sizes + k]), min(fewest, view[at.sizes + k])
    beats = (
        strongest(v, view, at, upside, 1, most),
        strongest(v, view, at, upside, 2, most),
        strongest(v, view, at, upside, 3, most),
        strongest(v, view, at, upside, 4, most),
    )
    burdens, curable, controls = 0, 0, 0
    for r in range(v.ranks):
        n = view[at.hand + r]
        burden = n > 0 and not sure(v, r, n, upside, beats)
        burdens += burden
        curable += burden and sure(v, r, n + 1, upside, beats)
        controls += n > 0 and not burden
    return Outlook(upside, view[at.hand + JOKER], fewest, most, beats, burdens, curable, controls)


@jit
def strongest(v: Variant, view: NDArray[Any], at: Parts, upside: bool, n: int, most: int) -> int:
    """Return the strongest step of which others, the longest hand of `most` cards, may hold a set of `n`, or NONE."""
    if n > most:
        return NONE
    joker = int(v.joker) - view[at.played + JOKER] - view[at.hand + JOKER]
    if n == 1 and joker:
        return v.ranks
    for step in range(v.ranks - 1, -1, -1):
        r = v.ranks - 1 - step if upside else step
        if SUITS - view[at.played + r] - view[at.hand + r] + joker >= n:
            return step
    return NONE


@jit
def sure(v: Variant, r: int, n: int, upside: bool, beats: tuple[int, int, int, int]) -> bool:
    """Return True if nobody can beat `n` cards of a rank."""
    if n > SUITS:
        return False
    stops = v.eight_stop and r + FROM_EIGHT == v.ranks
    return stops or (v.ranks - 1 - r if upside else r) >= beats[n - 1]


@jit
def price(v: Variant, view: NDArray[Any], at: Parts, o: Outlook, a: int) -> float:
    """Return the cost of a set, the lowest of all if nobody can prevent going out after it."""
    kind, r = int(KIND[v.ranks, a]), int(RANK[v.ranks, a])
    natural, joker = int(NATURAL[kind]), int(WITH_JOKER[kind])
    n = natural + joker
    turns = v.revolution and n == SUITS
    if n == view[at.sizes]:
        return -_HIGHEST
    if natural == 0:
        wins, count = True, 0
        burdens, curable, controls = o.burdens, 0, o.controls
    else:
        wins, count = sure(v, r, n, o.upside, o.beats), int(view[at.hand + r])
        if turns:
            wins = (r if o.upside else v.ranks - 1 - r) >= strongest(v, view, at, not o.upside, n, o.most)
        burdens, curable, controls = left_over(v, o, r, count, natural)
    if wins and not turns and burdens - (o.joker > joker and curable > 0) <= 1:
        return -_HIGHEST
    cost = TOP * (v.ranks - 1 - r if o.upside else r) / (v.ranks - 1) if natural else LONE_JOKER
    cost += DEAR * joker + BURDEN * (burdens - o.burdens) - CONTROL * (controls - o.controls)
    if view[at.pile] == 0:
        cost -= LARGE * (n > 1 and o.fewest < n)
    else:
        cost += BROKEN * (count > natural) - SURE * wins
    if v.eight_stop and natural and r + FROM_EIGHT == v.ranks:
        cost -= STOP
    return cost + TURN * lean(v, view, at, o.upside, r, natural) if turns else cost


@jit
def left_over(v: Variant, o: Outlook, r: int, count: int, n: int) -> tuple[int, int, int]:
    """Return burdens, curable ones and controls once `n` of the `count` cards of a rank are gone."""
    burdens, curable, controls = o.burdens, o.curable, o.controls
    if sure(v, r, count, o.upside, o.beats):
        controls -= 1
    else:
        burdens -= 1
        curable -= sure(v, r, count + 1, o.upside, o.beats)
    rest = count - n
    if rest > 0 and sure(v, r, rest, o.upside, o.beats):
        controls += 1
    elif rest > 0:
        burdens += 1
        curable += sure(v, r, rest + 1, o.upside, o.beats)
    return burdens, curable, controls


@jit
def lean(v: Variant, view: NDArray[Any], at: Parts, upside: bool, without: int, natural: int) -> float:
    """Return the steps by which the cards left over are stronger than the middle rank, on average."""
    total, n = 0, 0
    for r in range(v.ranks):
        count = view[at.hand + r] - (natural if r == without else 0)
        total += count * (2 * r - v.ranks + 1)
        n += count
    mean = 0.5 * total / max(n, 1)
    return -mean if upside else mean
