"""Scripted players where cards have suits.

The players that know ranks alone are asked about a table without suits: they see counts by rank and the groups that
may be laid, and what they choose is laid with the first cards that fit. `low` and `heuristic` know sequences too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.daifugo.actions import Actions
from kozyr.envs.daifugo.suited.sets import (
    CARDS,
    CARDS_OF,
    COLUMNS,
    GROUP,
    JOKER_ROW,
    JOKERED,
    KIND,
    LONE,
    LOW,
    SEQUENCE,
    SINGLE,
    SIZE,
    SUITS,
)
from kozyr.envs.daifugo.variant import DISQUALIFIES, JOKER, LEADER, RANKS, Variant
from kozyr.envs.daifugo.view import Parts

NOTHING = -1
_PLAIN = Actions(Variant(ranks=RANKS))  # where the sets without suits begin
_ACTIONS = _PLAIN.size


@jit
def plain(v: Variant) -> Variant:
    """Return the variant without suits, rounds, exchange or history that comes closest."""
    return Variant(
        v.players, RANKS, v.joker, 1, v.pass_lockout, v.revolution, v.eight_stop,
        False, False, False, False, False, False, False, False, False, LEADER, 0, 0, 0, DISQUALIFIES,
    )  # fmt: skip


@jit
def plain_view(v: Variant, view: NDArray[Any], at: Parts, out: NDArray[Any], to: Parts) -> None:
    """Write a view as a seat without suits would have it; a sequence on the pile is shown as nothing."""
    for r in range(RANKS + 1):
        out[to.hand + r] = out[to.played + r] = out[to.rank + r] = 0
    for card in range(CARDS):
        r = JOKER if card == CARDS - 1 else card % COLUMNS
        out[to.hand + r] += view[at.cards + card]
        out[to.played + r] += view[at.gone + card]
    lies = view[at.lies]
    out[to.pile] = min(int(view[at.pile]), SUITS) if KIND[lies] != SEQUENCE else 0  # nothing plain beats five either
    if KIND[lies] == LONE:
        out[to.rank + JOKER] = 1
    elif KIND[lies] == GROUP or KIND[lies] == SINGLE:
        out[to.rank + LOW[lies] - 1] = 1
    out[to.jokered] = JOKERED[lies]
    for j in range(v.players):
        out[to.sizes + j], out[to.owner + j] = view[at.sizes + j], view[at.owner + j]
        out[to.passed + j], out[to.place + j] = view[at.passed + j], view[at.place + j]
        out[to.turn + j] = view[at.turn + j]
    if v.revolution:
        out[to.upside] = view[at.upside]


@jit
def plain_number(a: int) -> int:
    """Return the number that a set has without suits, or NOTHING for sequences and groups of five."""
    if KIND[a] == LONE:
        return _PLAIN.joker
    if KIND[a] == SEQUENCE or SIZE[a] > SUITS:
        return NOTHING
    first = _PLAIN.jokered + (SIZE[a] - 2) * RANKS if JOKERED[a] else _PLAIN.natural + (SIZE[a] - 1) * RANKS
    return first + LOW[a] - 1


@jit
def plain_mask(mask: NDArray[np.int8], out: NDArray[np.int8], first: NDArray[np.int32]) -> None:
    """Write the legal sets without suits, and the first set with suits that each stands for."""
    for i in range(_ACTIONS):
        out[i], first[i] = 0, 0
    out[0] = mask[0]
    for a in range(1, len(mask)):
        if mask[a]:
            i = plain_number(a)
            if i != NOTHING and not out[i]:
                out[i], first[i] = 1, a


@jit
def longest_sequence(mask: NDArray[np.int8]) -> int:
    """Return the longest legal sequence without the joker, the weakest of them, or NOTHING."""
    best = NOTHING
    for a in range(len(mask) - 1, 0, -1):
        if KIND[a] != SEQUENCE:
            break
        if mask[a] and not JOKERED[a] and (best == NOTHING or SIZE[a] >= SIZE[best]):
            best = a
    return best


@jit
def hand_of(view: NDArray[Any], first: int, hand: NDArray[np.int32]) -> None:
    """Write the cards that a part of a view marks as a mask for each suit, the joker last."""
    for suit in range(SUITS):
        mask = 0
        for r in range(COLUMNS):
            mask |= int(view[first + suit * COLUMNS + r]) << r
        hand[suit] = mask
    hand[JOKER_ROW] = view[first + CARDS - 1]


@jit
def without(hand: NDArray[np.int32], a: int, rest: NDArray[np.int32]) -> None:
    """Write a hand without the cards of a set."""
    for suit in range(SUITS):
        rest[suit] = hand[suit] & ~int(CARDS_OF[a, suit])
    rest[JOKER_ROW] = hand[JOKER_ROW] - JOKERED[a]
