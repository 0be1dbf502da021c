"""The numbers of actions (fold, call, raise, discard) and which of them are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.deck import TWO, hand_size, own
from kozyr.envs.draw_poker.evaluate import DECK, HAND
from kozyr.envs.draw_poker.rules import CALL, EXCHANGE, FOLD, Variant

SUBSETS = 1 << HAND
BOTH = 0b11  # the subset that is a whole hand of two cards


@jit
def actions(v: Variant) -> int:
    """Return how many actions there are."""
    return 2 + v.max_bet + (1 << hand_size(v))


def table(v: Variant) -> list[tuple[str, str]]:
    """Return the documentation's rows: numbers and meaning."""
    first = 2 + v.max_bet
    return [
        ("0", "fold"),
        ("1", "call: match the highest bet, or put in all chips that are left; check if there is nothing to match"),
        (f"2 … {first - 1}", "raise: action − 1 is the seat's bet in this round afterwards"),
        (f"{first} … {actions(v) - 1}", f"discard the cards whose bits are set in action − {first}"),
    ]


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§5 to §7)."""
    k = s.turn
    exchanges = np.int8(k != OVER and s.phase == EXCHANGE)
    bets = np.int8(k != OVER and s.phase != EXCHANGE)
    mask[FOLD], mask[CALL] = bets, bets
    lowest = s.highest
    limit = min(v.max_bet, s.bet[s.phase >> 1, k] + s.chips[k]) if bets else 0
    raises, discards = mask[2 : 2 + v.max_bet], mask[2 + v.max_bet :]
    for i in range(v.max_bet):  # a raise to i + 1
        raises[i] = (i >= lowest) & (i < limit)
    if v.deck == DECK:
        for i in range(SUBSETS):
            discards[i] = exchanges
    else:
        discards[0], discards[1], discards[2] = exchanges, exchanges, exchanges
        discards[BOTH] = exchanges & np.int8(own(v) == 2 * TWO)
