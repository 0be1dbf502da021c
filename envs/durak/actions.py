"""The numbers of actions (play a card, pass, transfer with a card) and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.seats import following
from kozyr.envs.durak.rules import HAND, NOBODY, RANK, SUIT, SUITS, Variant


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
    """Mark what the seat to move may do (§3 to §8).

    Any card opens a round; once the game is over, `turn` is no place of a card.
    """
    place = s.place
    opener = np.int8(s.turn if s.laid == 0 else NOBODY)
    for c in range(v.deck):
        mask[c] = place[c] == opener
    for a in range(v.deck, actions(v)):
        mask[a] = 0
    if s.laid > 0:
        mask[v.deck] = 1
        if s.turn == s.defender:
            legal_defence(v, s, mask)
        else:
            legal_additions(v, s, mask)


@jit
def legal_defence(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the cards that beat the open card and the transfers (§4, §8)."""
    ranks, me, place = v.deck // SUITS, np.int8(s.turn), s.place
    target = s.attack[s.beaten]
    suit = SUIT[v.deck, target]
    for c in range(target + 1, (suit + 1) * ranks):
        mask[c] = place[c] == me
    if suit != s.trump:
        for c in range(s.trump * ranks, (s.trump + 1) * ranks):
            mask[c] = place[c] == me
    if v.transfer and s.beaten == 0 and s.laid < min(HAND, s.count[following(s.defender, s.out, v.players)]):
        for i in range(SUITS):
            c = i * ranks + RANK[v.deck, target]
            mask[v.deck + 1 + c] = place[c] == me


@jit
def legal_additions(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark the cards whose rank lies on the table (§5, §6)."""
    ranks, me, place = v.deck // SUITS, np.int8(s.turn), s.place
    for i in range(s.laid + s.beaten):
        card = s.attack[i] if i < s.laid else s.defence[i - s.laid]
        for suit in range(SUITS):  # a range with a step would cost a division
            c = suit * ranks + RANK[v.deck, card]
            mask[c] = place[c] == me
