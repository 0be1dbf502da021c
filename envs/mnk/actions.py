"""The numbers of actions (one a cell, row by row) and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits, write_word
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.board import FILLED, words_of
from kozyr.envs.mnk.rules import Variant


@jit
def actions(v: Variant) -> int:
    """Return how many actions there are."""
    return v.m * v.n


def table(v: Variant) -> list[tuple[str, str]]:
    """Return the documentation's rows: numbers and meaning."""
    return [(f"0 … {v.m * v.n - 1}", "put a stone on the cell row × n + column")]


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the empty cells while the game is on (§2)."""
    words, cells = words_of(v), v.m * v.n
    on = 0 if s.turn == OVER else -1
    for i in range(cells >> 6):
        write_word(mask, i << 6, ~s.planes[FILLED * words + i] & on)
    if cells & 63:
        i = words - 1
        write_bits(mask, i << 6, cells & 63, ~s.planes[FILLED * words + i] & on)
