"""Value of the hands of two seats between rounds.

It is estimated by a logistic model of what perfect play makes of them. It was fitted to
16,000 solved endgames with 36 and 52 cards; its 5 numbers explain half of the variance, as do 25 with one a rank.
"""

from math import tanh
from typing import Any

import numpy as np

from kozyr.envs.compile import jit, lowest_bit
from kozyr.envs.durak.cards import DECK, RANK, SUIT, SUITS
from kozyr.envs.durak.rules import Variant

_FROM = (0, 1, 4, 7, 13, 19, 25)  # stock at which each row of weights begins
_ROWS = np.searchsorted(_FROM, np.arange(DECK + 1), "right") - 1  # [stock]
_WORTH = np.array(
    [  # logits: a plain ace, less a rank, a trump ace, less a rank, to open the round
        (0.080, 0.110, 1.250, 0.110, 0.710),
        (0.135, 0.056, 0.792, 0.042, 0.331),
        (0.145, 0.038, 0.680, 0.038, 0.210),
        (0.098, 0.022, 0.528, 0.037, 0.125),
        (0.063, 0.013, 0.407, 0.033, 0.076),
        (0.038, 0.008, 0.317, 0.028, 0.056),
        (0.027, 0.005, 0.262, 0.022, 0.032),
    ]
)


@jit
def promise(v: Variant, s: Any) -> float:
    """Return the expected payoff of seat 0 between rounds, from −1 to 1."""
    row, ranks = _ROWS[v.deck - s.drawn], v.deck // SUITS
    w = _WORTH[row]
    plain, less, trump, less_trump, move = w[0], w[1], w[2], w[3], w[4]
    worth = move if s.turn == 0 else -move
    suits, all_ranks = SUIT[v.deck], RANK[v.deck]
    hands = s.cards[0] | s.cards[1]
    while hands:
        c = lowest_bit(hands)
        hands &= hands - 1
        below = ranks - 1 - all_ranks[c]
        card = trump - less_trump * below if suits[c] == s.trump else plain - less * below
        worth += card if s.cards[0] >> c & 1 else -card
    return tanh(worth / 2)
