"""Elements with places of their own, as games wrote scenes before there were zones; `layout` leaves these as they are.

`kozyr.envs.core.scene` leads games of other people here, and warns them.
"""

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, once
from kozyr.envs.pictures.scene import (
    AFTER,
    CARD,
    CARD_HIGH,
    CARD_WIDE,
    FACE,
    FLAGS,
    HIGH,
    ID,
    KEY,
    KIND,
    MOST,
    TAG,
    TONE,
    WIDE,
    A,
    B,
    C,
    X,
    Y,
)


# fmt: off
@once
def put(
    out: NDArray[np.int32], n: int, kind: int, name: int, key: int, face: int,
    x: int, y: int, wide: int, high: int, flags: int, a: int, b: int, c: int,
) -> int:
    """Write element `n`, whose ID is `name`, and return n + 1; a full scene stays as it is."""
    if n >= MOST:
        return n
    row = out[n]
    row[KIND], row[ID], row[KEY], row[FACE] = kind, name, key, face
    row[X], row[Y], row[WIDE], row[HIGH] = x, y, wide, high
    row[FLAGS], row[A], row[B], row[C] = flags, a, b, c
    return n + 1


@once
def words(
    out: NDArray[np.int32], n: int, kind: int, label: int, x: int, y: int, high: int, flags: int,
    a: int = 0, b: int = 0, c: int = 0, wide: int = 0,
) -> int:
    """Write a LABEL or a TAG and return n + 1."""
    return put(out, n, kind, 0, 0, label, x, y, wide, high, flags, a, b, c)


@once
def card(
    out: NDArray[np.int32], n: int, name: int, key: int, face: int, x: int, y: int, flags: int = 0, turned: int = 0
) -> int:
    """Write a CARD of the usual size, whose ID is `name`, and return n + 1."""
    return put(out, n, CARD, name, key, face, x, y, CARD_WIDE, CARD_HIGH, flags, turned, 0, 0)
# fmt: on


@jit
def tag(out: NDArray[np.int32], n: int, first: int, label: int, x: int, y: int, tone: int, a: int) -> int:
    """Write a TAG at x, or behind the one before unless it is element `first`, and return n + 1."""
    if n == first:
        return words(out, n, TAG, label, x, y, 80, TONE * tone, a)
    return words(out, n, TAG, label, 60, y, 80, AFTER + TONE * tone, a)
