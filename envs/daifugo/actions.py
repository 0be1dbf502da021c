"""The numbers of actions (pass, sets, the lone joker) and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.suited import legal as suited
from kozyr.envs.daifugo.suited import sets
from kozyr.envs.daifugo.suited.words import table as suited_table
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant


@jit
def actions(v: Variant) -> int:
    """Return how many actions there are."""
    if v.suits:
        return sets.ACTIONS
    return (2 * SUITS - 1) * v.ranks + 2


def table(v: Variant) -> list[tuple[str, str]]:
    """Return the documentation's rows: numbers and meaning."""
    if v.suits:
        return suited_table()
    r = v.ranks
    return [
        ("0", "pass"),
        (f"1 … {SUITS * r}", f"play `size` cards of a rank: 1 + (size − 1) × {r} + rank, for sizes 1 to 4"),
        (
            f"{SUITS * r + 1} … {7 * r}",
            f"play `size` − 1 cards of a rank and the joker: {SUITS * r + 1} + (size − 2) × {r} + rank, sizes 2 to 4",
        ),
        (f"{7 * r + 1}", "play the joker alone"),
    ]


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§3, §4, §11)."""
    if v.suits:
        suited.legal(v, s, mask)
        return
    for a in range(actions(v)):
        mask[a] = 0
    if s.turn == OVER:
        return
    if s.phase != PLAY:
        mark(v, s, mask, 1, 0, v.ranks)
    elif s.laid == 0:
        for size in range(1, SUITS + 1):
            mark(v, s, mask, size, 0, v.ranks)
    else:
        mask[0] = 1
        if s.rank != JOKER:  # nothing beats the lone joker
            mark(v, s, mask, s.laid, 0 if s.upside else s.rank + 1, s.rank if s.upside else v.ranks)


@inlined
def mark(v: Variant, s: Any, mask: NDArray[np.int8], size: int, low: int, high: int) -> None:
    """Mark the sets of one size, with and without the joker, from rank `low` to below `high`, and the lone joker."""
    hand = s.hand[s.turn]
    natural = mask[1 + (size - 1) * v.ranks : 1 + size * v.ranks]
    for r in range(low, high):
        natural[r] = hand[r] >= size
    if not hand[JOKER]:
        return
    if size == 1:
        mask[actions(v) - 1] = 1
        return
    joker = mask[1 + (SUITS + size - 2) * v.ranks : 1 + (SUITS + size - 1) * v.ranks]
    for r in range(low, high):
        joker[r] = hand[r] >= size - 1
