"""Which sets a hand with suits may lay: by bit operations on the masks of its suits, not by trying every set."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.compile import jit, lowest_bit, stack_array
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.suited.sets import (
    ACTIONS,
    BITS,
    COLUMNS,
    FIRST,
    GROUP,
    GROUP_AT,
    GROUP_MASK,
    HIGH,
    JOKER_GROUP_AT,
    JOKER_GROUP_MASK,
    JOKER_GROUP_SUITS,
    JOKER_ROW,
    JOKER_SEQUENCE_AT,
    KIND,
    LONE_JOKER,
    LONGEST,
    LOW,
    PASS,
    SEQUENCE,
    SEQUENCE_AT,
    SINGLE,
    SIZE,
    SPADE_THREE,
    SUITS,
)
from kozyr.envs.daifugo.variant import Variant

_RUNS = LONGEST + 1
_COLUMNS_BITS = (1 << COLUMNS + 1) - 2  # bits 1 to 13
_EVERYWHERE = (1 << COLUMNS + 3) - 1  # bits 0 to 15: no card follows from every column on


@jit
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§3, §4, §11, §15 to §19)."""
    mask[:ACTIONS] = 0
    if s.turn == OVER:
        return
    hand, lies = s.cards[s.turn], int(s.lies)
    if s.phase != PLAY:
        mark_singles(hand, 1, COLUMNS, 0, mask)
        mask[LONE_JOKER] = hand[JOKER_ROW]
        return
    if lies == PASS:
        mask[PASS] = v.leader_may_pass
        mark_singles(hand, 1, COLUMNS, 0, mask)
        mask[LONE_JOKER] = hand[JOKER_ROW]
        mark_groups(hand, 1, COLUMNS, 0, 0, mask)
        for size in range(FIRST, LONGEST + 1 if v.sequences else 0):
            mark_sequences(hand, size, 0, COLUMNS + 1, 0, mask)
        return
    mask[PASS] = 1
    if lies == LONE_JOKER:
        mask[SPADE_THREE] = v.spade_three and hand[0] & 1
        return
    answers(s, hand, lies, mask)


@jit
def answers(s: Any, hand: NDArray[np.int16], lies: int, mask: NDArray[np.int8]) -> None:
    """Mark what beats a set: as many cards of the same kind, in columns above it, or below it in a revolution."""
    low = 0 if s.upside else int(HIGH[lies]) + 1
    high = int(LOW[lies]) - 1 if s.upside else COLUMNS + 1
    kind, size, bound = KIND[lies], int(SIZE[lies]), int(s.bound)
    if kind == SEQUENCE:
        mark_sequences(hand, size, low, high, bound, mask)
        return
    low, high = max(low, 1), min(high, COLUMNS)
    if kind == SINGLE:
        mark_singles(hand, low, high, bound, mask)
        mask[LONE_JOKER] = hand[JOKER_ROW]
    elif kind == GROUP:
        mark_groups(hand, low, high, size, bound, mask)


@jit
def mark_singles(hand: NDArray[np.int16], low: int, high: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark the natural cards of columns `low` to `high`, in the suits of the lock alone if there is one."""
    for suit in range(SUITS):
        if bound == 0 or bound == 1 << suit:
            first = 1 + COLUMNS * suit
            for c in range(low, high + 1):
                mask[first + c - 1] = hand[suit] >> (c - 1) & 1


@jit
def mark_groups(hand: NDArray[np.int16], low: int, high: int, size: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark groups of a size, 0: of every size, in columns `low` to `high`."""
    a, b, c, d = int(hand[0]), int(hand[1]), int(hand[2]), int(hand[3])
    joker = int(hand[JOKER_ROW])
    wanted = a | b | c | d if joker else (a & b) | (c & d) | ((a | b) & (c | d))
    wanted &= (1 << max(high, 0)) - 1 & ~((1 << (low - 1)) - 1)
    while wanted:
        r = lowest_bit(wanted)
        wanted &= wanted - 1
        held = (a >> r & 1) | (b >> r & 1) << 1 | (c >> r & 1) << 2 | (d >> r & 1) << 3
        for g in range(len(GROUP_MASK)):
            m = int(GROUP_MASK[g])
            if not m & ~held and (size == 0 or BITS[m] == size) and (bound == 0 or m == bound):
                mask[GROUP_AT + len(GROUP_MASK) * r + g] = 1
        for g in range(len(JOKER_GROUP_MASK) * joker):
            m, suits = int(JOKER_GROUP_MASK[g]), int(JOKER_GROUP_SUITS[g])
            if not m & ~held and (size == 0 or BITS[m] + 1 == size) and (bound == 0 or suits == bound):
                mask[JOKER_GROUP_AT + len(JOKER_GROUP_MASK) * r + g] = 1


@jit
def mark_sequences(hand: NDArray[np.int16], size: int, low: int, high: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark the sequences of a size that lie in columns `low` to `high`.

    Bit c of `runs[n]` tells whether n natural cards of the suit follow each other from column c on.
    """
    last = high - size + 1  # column in which one may begin at most
    if last < low:
        return
    within = (1 << (last + 1)) - (1 << low)
    runs = stack_array(_RUNS, np.int32)
    for suit in range(SUITS):
        if bound and bound != 1 << suit:
            continue
        columns = int(hand[suit]) << 1 & _COLUMNS_BITS
        if columns & (columns - 1) == 0:
            continue
        runs[0] = _EVERYWHERE
        for n in range(size):
            runs[n + 1] = runs[n] & (columns >> n)
        found = runs[size] & within
        while found:
            mask[SEQUENCE_AT[suit, lowest_bit(found), size]] = 1
            found &= found - 1
        for place in range(size if hand[JOKER_ROW] else 0):
            found = runs[place] & (runs[size - 1 - place] >> (place + 1)) & within
            while found:
                mask[JOKER_SEQUENCE_AT[suit, lowest_bit(found), size, place]] = 1
                found &= found - 1
