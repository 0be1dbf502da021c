"""Zones of a scene: a game lists what lies where, and `layout` gives it places on a wide page, a narrow one or a phone.

A function `scene` begins with `picture` and then writes zones, each followed by its elements, back to front. It writes
no place and no size. Zones behind a SEAT belong to it; those before the first one or behind MIDDLE lie in the middle of
the table, from top to bottom. The first seat sits below, the others above it, from left to right.

| zone | elements |
|---|---|
| SEAT | a seat's panel, A is the seat: its name (BOLD), tags, and labels flagged END at the right |
| MIDDLE | none; the seats end here |
| CARDS | cards in a line, overlapped where room is short, then words, centred below; A = ASIDE: small cards |
| | with a KEY it is a place to drop cards on; a BAR lies below the card before it, AFTER: and goes on below the next |
| PILE | cards on one another, a tag on top of them, and its words |
| PAIRS | cards and slots side by side; one flagged AFTER lies on the one before |
| LINES | words, each in a line of its own, or flagged AFTER in the line before; chips side by side |
| BOARD, TABLE | elements in A rows and B columns: X and Y are column and row from 0, −1 stands before the first |
"""

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import once
from kozyr.envs.core import labels
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import (
    AFTER,
    BACK,
    BOLD,
    CARD,
    COLUMNS,
    END,
    FACE,
    FLAGS,
    HIGH,
    KEY,
    KIND,
    LABEL,
    MOST,
    PICTURE,
    TAG,
    TONE,
    TURN,
    WIDE,
    ZONE,
    A,
    B,
    C,
    X,
    Y,
)

SEAT, CARDS, PILE, PAIRS, LINES, BOARD, TABLE, MIDDLE = range(1, 9)  # FACE of a ZONE
ASIDE = 1  # A of a zone in a seat: small cards
FAINT = TONE * scene.FAINT  # for words
COUNT = C  # of the first row: how many rows are written, until the scene is complete


@once
def picture(out: NDArray[np.int32], ground: int) -> None:
    """Begin a scene on FELT or PAPER."""
    out[0, KIND], out[0, FACE], out[0, COUNT] = PICTURE, ground, 1


# fmt: off
@once
def add(
    out: NDArray[np.int32], kind: int, name: int, key: int, face: int, flags: int, a: int = 0, b: int = 0, c: int = 0,
) -> None:
    """Write an element whose ID is `name`; a full scene stays as it is."""
    n = out[0, COUNT]
    if n < MOST:
        row = out[n]
        for i in range(COLUMNS):
            row[i] = 0
        row[KIND], row[1], row[KEY], row[FACE] = kind, name, key, face
        row[FLAGS], row[A], row[B], row[C] = flags, a, b, c
        out[0, COUNT] = n + 1
# fmt: on


@once
def zone(out: NDArray[np.int32], kind: int, a: int = 0, b: int = 0, flags: int = 0, key: int = 0) -> None:
    """Begin a zone."""
    add(out, ZONE, 0, key, kind, flags, a, b)


@once
def card(
    out: NDArray[np.int32], name: int, key: int, face: int, flags: int = 0, turned: int = 0, count: int = 0
) -> None:
    """Write a card: `turned` by degrees, or on top of a STACK of `count`."""
    add(out, CARD, name, key, face, flags, turned, count)


@once
def label(out: NDArray[np.int32], words: int, flags: int = 0, a: int = 0, b: int = 0, c: int = 0) -> None:
    """Write words."""
    add(out, LABEL, 0, 0, words, flags, a, b, c)


@once
def tag(out: NDArray[np.int32], words: int, tone: int, a: int = 0, b: int = 0, c: int = 0) -> None:
    """Write words on a plate of a tone."""
    add(out, TAG, 0, 0, words, TONE * tone, a, b, c)


@once
def seat(out: NDArray[np.int32], who: int, turn: int, flags: int = 0) -> None:
    """Begin the panel of a seat with its name; `turn` is the seat to move, flags are as of a PANEL."""
    zone(out, SEAT, who, 0, flags | (TURN if who == turn else 0))
    label(out, labels.NAME, BOLD, who)


@once
def count_cards(out: NDArray[np.int32], count: int) -> None:
    """Write at the right of a panel how many cards its seat has."""
    label(out, labels.CARDS, END + FAINT, count)


@once
def backs(out: NDArray[np.int32], name: int, count: int) -> None:
    """Write cards face down, whose IDs are `name` and the numbers that follow it."""
    for i in range(count):
        card(out, name + i, 0, BACK)


@once
def at(out: NDArray[np.int32], x: int, y: int, wide: int = 0, high: int = 0) -> None:
    """Put the newest element of a BOARD or a TABLE into a column and a row; a STRIKE goes so far on."""
    row = out[out[0, COUNT] - 1]
    row[X], row[Y], row[WIDE], row[HIGH] = x, y, wide, high


@once
def follow(out: NDArray[np.int32]) -> None:
    """Let the newest element stay in the line of the one before."""
    out[out[0, COUNT] - 1, FLAGS] |= AFTER
