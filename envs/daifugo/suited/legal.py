"""Legal sets of a hand with suits: by bit operations on the masks of its suits, not by trying every set."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit, lowest_bit, stack_array, write_bits
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.suited.sets import (
    ACTIONS,
    BITS,
    CARDS,
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
_GROUPS, _JOKER_GROUPS = len(GROUP_MASK), len(JOKER_GROUP_MASK)  # of a rank


def _words(fits: Any) -> NDArray[np.int64]:
    """Return a word of bits for each row: which groups fit."""
    return np.asarray((fits.astype(np.int64) << np.arange(fits.shape[1])).sum(1), np.int64)


_HELD, _SIZES, _BOUND = np.arange(16)[:, None], np.arange(6)[:, None], np.arange(32)[:, None]
# Bit g tells whether group g of a rank can be laid from the suits held, has a size, has the suits of a lock; 0: any.
FROM_HELD = _words(GROUP_MASK & ~_HELD == 0)
OF_SIZE = _words((_SIZES == 0) | (BITS[GROUP_MASK] == _SIZES))
OF_SUITS = _words((_BOUND == 0) | (GROUP_MASK == _BOUND))
JOKER_FROM_HELD = _words(JOKER_GROUP_MASK & ~_HELD == 0)
JOKER_OF_SIZE = _words((_SIZES == 0) | (BITS[JOKER_GROUP_MASK] + 1 == _SIZES))
JOKER_OF_SUITS = _words((_BOUND == 0) | (JOKER_GROUP_SUITS == _BOUND))


@jit
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§3, §4, §11, §15 to §19)."""
    mask[:ACTIONS] = 0
    if s.turn == OVER:
        return
    hand, lies = s.cards[s.turn], int(s.lies)
    if s.phase != PLAY:
        mark_singles(hand, 1, COLUMNS, 0, mask)
        return
    if lies == PASS:
        mask[PASS] = v.leader_may_pass
        mark_singles(hand, 1, COLUMNS, 0, mask)
        mark_groups(hand, 1, COLUMNS, 0, 0, mask)
        if v.sequences:
            mark_sequences(hand, FIRST, LONGEST, 0, COLUMNS + 1, 0, mask)
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
        mark_sequences(hand, size, size, low, high, bound, mask)
        return
    low, high = max(low, 1), min(high, COLUMNS)
    if kind == SINGLE:
        mark_singles(hand, low, high, bound, mask)
    elif kind == GROUP:
        mark_groups(hand, low, high, size, bound, mask)


@jit
def mark_singles(hand: NDArray[np.int16], low: int, high: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark the joker, and natural cards of columns `low` to `high`, in the suits of the lock alone if there is one."""
    within, word = columns(low, high), 0
    for suit in range(SUITS):
        if bound == 0 or bound == 1 << suit:
            word |= (int(hand[suit]) & within) << COLUMNS * suit
    write_bits(mask, 1, CARDS, word | int(hand[JOKER_ROW]) << CARDS - 1)


@jit
def columns(low: int, high: int) -> int:
    """Return the bits of columns `low` to `high` in the mask of a suit."""
    return (1 << max(high, 0)) - 1 & ~((1 << (low - 1)) - 1)


@jit
def mark_groups(hand: NDArray[np.int16], low: int, high: int, size: int, bound: int, mask: NDArray[np.int8]) -> None:
    """Mark groups of a size, 0: of every size, in columns `low` to `high`."""
    a, b, c, d = int(hand[0]), int(hand[1]), int(hand[2]), int(hand[3])
    joker = hand[JOKER_ROW] > 0
    ranks = a | b | c | d if joker else (a & b) | (c & d) | ((a | b) & (c | d))
    ranks &= columns(low, high)
    fit, joker_fit = OF_SIZE[size] & OF_SUITS[bound], JOKER_OF_SIZE[size] & JOKER_OF_SUITS[bound]
    while ranks:
        r = lowest_bit(ranks)
        ranks &= ranks - 1
        held = (a >> r & 1) | (b >> r & 1) << 1 | (c >> r & 1) << 2 | (d >> r & 1) << 3
        write_bits(mask, GROUP_AT + _GROUPS * r, _GROUPS, FROM_HELD[held] & fit)
        if joker:
            write_bits(mask, JOKER_GROUP_AT + _JOKER_GROUPS * r, _JOKER_GROUPS, JOKER_FROM_HELD[held] & joker_fit)


@jit
def mark_sequences(
    hand: NDArray[np.int16], least: int, most: int, low: int, high: int, bound: int, mask: NDArray[np.int8]
) -> None:
    """Mark the sequences of `least` to `most` cards that lie in columns `low` to `high`.

    Bit c of `runs[n]` tells whether n natural cards of the suit follow each other from column c on.
    """
    runs, joker = stack_array(_RUNS, np.int32), int(hand[JOKER_ROW])
    for suit in range(SUITS):
        if bound and bound != 1 << suit:
            continue
        ranks = int(hand[suit]) << 1 & _COLUMNS_BITS
        longest = min(most, count_bits(ranks) + joker)
        runs[0] = _EVERYWHERE
        for n in range(longest):
            runs[n + 1] = runs[n] & (ranks >> n)
        for size in range(least, longest + 1):
            last = high - size + 1  # column in which one may begin at most
            if last < low or (joker == 0 and runs[size] == 0):
                break
            within = (1 << (last + 1)) - (1 << low)
            starts = runs[size] & within
            while starts:
                mask[SEQUENCE_AT[suit, lowest_bit(starts), size]] = 1
                starts &= starts - 1
            for place in range(size if joker else 0):
                starts = runs[place] & (runs[size - 1 - place] >> (place + 1)) & within
                while starts:
                    mask[JOKER_SEQUENCE_AT[suit, lowest_bit(starts), size, place]] = 1
                    starts &= starts - 1
