"""The numbers of actions (play a card, pass, transfer with a card) and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.seats import following
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.cards import SUITS, beating, rank_of
from kozyr.envs.durak.rules import HAND, Variant


@jit
def actions(v: Variant) -> int:
    """Return how many actions there are."""
    return 2 * v.deck + 1 if v.transfer else v.deck + 1


def table(v: Variant) -> list[tuple[str, str]]:
    """Return the documentation's rows: numbers and meaning."""
    d, ranks = v.deck, v.deck // SUITS
    rows = [
        (f"0 … {d - 1}", f"play the card suit × {ranks} + rank: attack, throw in or beat"),
        (f"{d}", "pass: done as an attacker, take as the defender"),
    ]
    return [*rows, (f"{d + 1} … {2 * d}", "transfer with the card action − deck − 1")] if v.transfer else rows


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do; any card opens a round (§3 to §8)."""
    if s.turn == OVER:
        mask[:] = 0
        return
    may, hand = s.cards[s.turn], s.cards[s.turn]
    if s.laid > 0:
        may &= beating(v.deck, s.trump, s.attack[s.beaten]) if s.turn == s.defender else s.fits
    write_bits(mask, 0, v.deck, may)
    mask[v.deck] = s.laid > 0
    if v.transfer:
        write_bits(mask, v.deck + 1, v.deck, hand & rank_of(v.deck, s.attack[0]) if may_transfer(v, s) else 0)


@jit
def may_transfer(v: Variant, s: Any) -> bool:
    """Tell whether the seat to move may pass the attack on with a card of its rank (§8)."""
    if s.turn != s.defender or s.laid == 0 or s.beaten > 0:
        return False
    return s.laid < min(HAND, s.count[following(s.defender, s.out, v.players)])
