"""The tables of the wire: 8 × 15 whole numbers, and integers, big-endian and of 32 bits.

Rows 0 to 3 are spades, hearts, diamonds and clubs, columns 1 to 13 the three to the two; columns 0 and 14 hold only the
joker. A natural card is a 1 at its place, the joker a 2: in a hand in JOKER_CELL, in a set where it stands.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.daifugo.suited.sets import (
    CARDS,
    COLUMNS,
    EVERY,
    JOKER_ROW,
    LONE,
    LONE_JOKER,
    NOTHING,
    PASS,
    SUITS,
)

PORT, PROTOCOL = 42485, 20070
ROWS, WIDE = 8, 15
BYTES = ROWS * WIDE * 4  # of a table
JOKER_CELL = (4, 1)  # in a hand
ACCEPTED, REFUSED = 9, 8
GOES_ON, GAME_OVER, ALL_OVER = 0, 1, 2
LONGEST_NAME = 14
_NATURAL, _JOKER = 1, 2

Table = NDArray[np.int64]
_SETS: dict[tuple[tuple[int, ...], tuple[int, ...] | None], int] = {
    (it.cards, it.joker): a for a, it in enumerate(EVERY) if it.kind not in (NOTHING, LONE)
}


def blank() -> Table:
    """Return a table of zeros."""
    return np.zeros((ROWS, WIDE), np.int64)


def encode(table: Table) -> bytes:
    """Return a table as it is sent; numbers below 0 are sent as 0."""
    return np.maximum(table, 0).astype(">u4").tobytes()


def decode(data: bytes) -> Table:
    """Return the table that was sent."""
    return np.frombuffer(data, ">u4").astype(np.int64).reshape(ROWS, WIDE)


def integer(number: int) -> bytes:
    """Return a number as it is sent."""
    return max(number, 0).to_bytes(4, "big")


def profile(name: str) -> Table:
    """Return the table with which a client joins; of its name the first 14 letters count."""
    table = blank()
    table[0, 0] = PROTOCOL
    letters = [ord(letter) if letter.isascii() and letter.isprintable() else ord("?") for letter in name[:LONGEST_NAME]]
    table[1, : len(letters)] = letters
    return table


def name_of(table: Table) -> str:
    """Return the name in a profile; it ends at the first 0, and unreadable letters are left out."""
    codes = table[1, :LONGEST_NAME].tolist()
    letters = codes[: codes.index(0)] if 0 in codes else codes
    return "".join(chr(code) for code in letters if 32 <= code < 127).strip()


def write_hand(table: Table, cards: Sequence[int]) -> None:
    """Put a hand, given as a mask for each suit and the joker, into a table."""
    for suit in range(SUITS):
        for r in range(COLUMNS):
            table[suit, 1 + r] = int(cards[suit]) >> r & 1
    table[JOKER_CELL] = _JOKER * int(cards[JOKER_ROW])


def read_hand(table: Table) -> tuple[int, ...]:
    """Return the hand in a table as a mask for each suit and the joker."""
    masks = [sum(1 << r for r in range(COLUMNS) if table[suit, 1 + r] == _NATURAL) for suit in range(SUITS)]
    return (*masks, int((table[: JOKER_ROW + 1] == _JOKER).any()))


def write_set(table: Table, action: int, upside: bool = False) -> None:
    """Put the set of an action into a table; a pass leaves it as it is."""
    it = EVERY[action]
    for suit in range(SUITS):
        for r in range(COLUMNS):
            if it.cards[suit] >> r & 1:
                table[suit, 1 + r] = _NATURAL
    if it.kind == LONE:
        table[0, 0 if upside else WIDE - 1] = _JOKER
    elif it.joker is not None:
        table[it.joker] = _JOKER


def read_set(table: Table) -> int | None:
    """Return the action that a table submits, PASS for an empty one, and None for a table that is no set.

    A cell of 3 or more counts as no card, rows 5 to 7 are not read. A lone joker lies in any cell of rows 0 to 3.
    """
    cells = table[: JOKER_ROW + 1]
    naturals, jokers = np.argwhere(cells == _NATURAL).tolist(), np.argwhere(cells == _JOKER).tolist()
    if not naturals and not jokers:
        return PASS
    if len(jokers) > 1 or any(row == JOKER_ROW or not 1 <= column <= COLUMNS for row, column in naturals):
        return None
    joker = tuple(jokers[0]) if jokers else None
    if joker is not None and not naturals:
        return LONE_JOKER if joker[0] < JOKER_ROW else None
    masks = [0] * SUITS
    for row, column in naturals:
        masks[row] |= 1 << (column - 1)
    return _SETS.get((tuple(masks), joker))


def read_gift(table: Table) -> list[int]:
    """Return the cards that a table gives away, as numbers from 0; the joker is a 2 in any cell."""
    masks = read_hand(table)
    cards = [suit * COLUMNS + r for suit in range(SUITS) for r in range(COLUMNS) if masks[suit] >> r & 1]
    return [*cards, *([CARDS - 1] if masks[JOKER_ROW] else [])]
