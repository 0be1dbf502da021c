"""Sets of a deck with suits, numbered once: the cards, the value and the number of each.

A column is a rank from 1, the three, to 13, the two; a joker may stand one column beyond either end of a sequence.
Suits are spades, hearts, diamonds and clubs, 0 to 3; a suit mask has bit 1 << suit for each suit of a set. The numbers
are those of RULES.md: pass, singles, the lone joker, groups, groups with the joker, sequences, and sequences with it.
"""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit

COLUMNS, SUITS, JOKER_ROW = 13, 4, 4
FIRST, LONGEST = 3, 11  # cards of a sequence: a hand has no more than LONGEST
EIGHT = 6  # column of the eights
ALL_FIVE = 31  # suit mask of five of a kind
NOTHING, SINGLE, LONE, GROUP, SEQUENCE = range(5)
PASS, LONE_JOKER, SPADE_THREE = 0, 53, 1
CARDS = 53  # cards have the numbers of their singles less 1, the joker is the last
_GROUPS = [m for m in range(16) if m.bit_count() >= 2]
_JOKER_GROUPS = [(m, suit) for m in range(1, 16) for suit in range(SUITS) if not m >> suit & 1] + [(15, JOKER_ROW)]


class Set(NamedTuple):
    """A set of cards.

    Attributes:
        kind: SINGLE, LONE, GROUP or SEQUENCE; NOTHING for the pass.
        low, high: the first and last column; size: cards; suits: the suit mask.
        cards: natural cards, for each suit bit c − 1 for column c.
        joker: (row, column) that the joker stands for, None without it.
    """

    kind: int
    low: int
    high: int
    size: int
    suits: int
    cards: tuple[int, int, int, int]
    joker: tuple[int, int] | None


def _cards(places: list[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Return natural cards given as (suit, column) as a mask for each suit."""
    masks = [0] * SUITS
    for suit, column in places:
        masks[suit] |= 1 << (column - 1)
    return masks[0], masks[1], masks[2], masks[3]


def _group(column: int, natural: int, joker: int | None) -> Set:
    """Return a group, the joker standing for a suit, for the fifth card, or not in it."""
    size = natural.bit_count() + (joker is not None)
    suits = natural if joker is None else ALL_FIVE if joker == JOKER_ROW else natural | 1 << joker
    places = [(suit, column) for suit in range(SUITS) if natural >> suit & 1]
    kind = GROUP if size > 1 else SINGLE
    return Set(kind, column, column, size, suits, _cards(places), None if joker is None else (joker, column))


def _sequence(suit: int, first: int, length: int, joker: int | None) -> Set:
    """Return a sequence, the joker at a column or not in it."""
    columns = range(first, first + length)
    places = [(suit, c) for c in columns if c != joker]
    where = None if joker is None else (suit, joker)
    return Set(SEQUENCE, first, first + length - 1, length, 1 << suit, _cards(places), where)


def _sequences() -> list[Set]:
    lengths = range(FIRST, LONGEST + 1)
    natural = [(s, c, n) for s, c, n in product(range(SUITS), range(1, COLUMNS), lengths) if c + n - 1 <= COLUMNS]
    sequences = [_sequence(*one, None) for one in natural]
    for suit, first, length in product(range(SUITS), range(COLUMNS + 1), lengths):
        last = first + length - 1
        if last > COLUMNS + 1:
            continue
        ends = first == 0, last > COLUMNS  # beyond which only the joker stands
        places = [first] if ends[0] else [last] if ends[1] else range(first, last + 1)
        sequences += [_sequence(suit, first, length, place) for place in places]
    return sequences


def _every() -> list[Set]:
    """Return all sets in the order of their numbers."""
    columns = range(1, COLUMNS + 1)
    return [
        Set(NOTHING, 0, 0, 0, 0, (0, 0, 0, 0), None),
        *(_group(column, 1 << suit, None) for suit in range(SUITS) for column in columns),
        Set(LONE, 0, 0, 1, 0, (0, 0, 0, 0), (0, COLUMNS + 1)),
        *(_group(column, m, None) for column in columns for m in _GROUPS),
        *(_group(column, m, suit) for column in columns for m, suit in _JOKER_GROUPS),
        *_sequences(),
    ]


EVERY = _every()
ACTIONS = len(EVERY)
NUMBER = {it: a for a, it in enumerate(EVERY)}


def _column(name: str, dtype: Any = np.int8) -> NDArray[Any]:
    return np.array([getattr(it, name) for it in EVERY], dtype)


KIND, LOW, HIGH, SIZE, SUITS_OF = (_column(name) for name in ("kind", "low", "high", "size", "suits"))
CARDS_OF = _column("cards", np.int16)  # [action, suit]
JOKERED = np.array([it.joker is not None for it in EVERY], np.int8)
STANDS_FOR = np.array([it.joker or (JOKER_ROW, 0) for it in EVERY], np.int8)  # row and column of the joker
STOPS = np.array([it.kind != LONE and it.low <= EIGHT <= it.high for it in EVERY], np.int8)
TURNS = np.array(
    [(it.kind == GROUP and it.size >= 4) or (it.kind == SEQUENCE and it.size >= 5) for it in EVERY], np.int8
)
GROUPS, JOKER_GROUPS = COLUMNS * len(_GROUPS), COLUMNS * len(_JOKER_GROUPS)
JOKER_SEQUENCES = int(((KIND == SEQUENCE) & (JOKERED == 1)).sum())
SEQUENCES = int((KIND == SEQUENCE).sum()) - JOKER_SEQUENCES
GROUP_AT = LONE_JOKER + 1
JOKER_GROUP_AT = GROUP_AT + GROUPS
GROUP_MASK = np.array(_GROUPS, np.int8)
JOKER_GROUP_MASK = np.array([m for m, _ in _JOKER_GROUPS], np.int8)
JOKER_GROUP_SUITS = np.array([ALL_FIVE if s == JOKER_ROW else m | 1 << s for m, s in _JOKER_GROUPS], np.int8)
BITS = np.array([m.bit_count() for m in range(32)], np.int8)


def _sequence_numbers() -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Return the numbers of sequences [suit, first, length] and with the joker [suit, first, length, place]."""
    natural = np.zeros((SUITS, COLUMNS + 2, LONGEST + 1), np.int16)
    joker = np.zeros((SUITS, COLUMNS + 2, LONGEST + 1, LONGEST), np.int16)
    for a, it in enumerate(EVERY):
        if it.kind == SEQUENCE:
            suit = it.suits.bit_length() - 1
            if it.joker is None:
                natural[suit, it.low, it.size] = a
            else:
                joker[suit, it.low, it.size, it.joker[1] - it.low] = a
    return natural, joker


SEQUENCE_AT, JOKER_SEQUENCE_AT = _sequence_numbers()


@jit
def card_of(a: int) -> int:
    """Return the card that a single lays or that is given by its number."""
    return a - SPADE_THREE
