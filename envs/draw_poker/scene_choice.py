"""Input of draw poker's actions: buttons, a stake on a slider, or the cards to exchange."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.draw_poker.actions import CALL, DISCARD, FOLD, split
from kozyr.envs.draw_poker.evaluate import HAND
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.scene_words import (
    DO_ALL_IN,
    DO_BET,
    DO_BET_ALL,
    DO_CALL,
    DO_CHECK,
    DO_EXCHANGE,
    DO_FOLD,
    DO_PAT,
    DO_RAISE,
    DO_RAISE_ALL,
)


@implements(dispatch.elements, Variant)
def poker_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Tell the button, the stake, or the cards by their places in the hand."""
    for i in range(input_spec.KEYS):
        row[i] = 0
    kind, n = split(v, action)
    if kind == FOLD:
        row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, DO_FOLD
    elif kind == CALL:
        call(s, row)
    elif kind == DISCARD:
        discards(n, row)
    else:
        stake(s, n + 1, row)


@jit
def call(s: Any, row: NDArray[np.int32]) -> None:
    """Say check, call, or all in if that takes the last chip."""
    chips = int(s.chips[s.turn])
    owed = s.highest - s.bet[s.phase >> 1, s.turn]
    row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, DO_CHECK
    if owed > 0:
        row[input_spec.SAID] = DO_CALL if owed < chips else DO_ALL_IN
        row[input_spec.SAID_A] = min(owed, chips)


@jit
def stake(s: Any, bet: int, row: NDArray[np.int32]) -> None:
    """Set the number that the bet will be."""
    last = bet - s.bet[s.phase >> 1, s.turn] == s.chips[s.turn]
    row[input_spec.HOW], row[input_spec.SAID_A] = input_spec.AMOUNT, bet
    if s.highest == 0:
        row[input_spec.SAID] = DO_BET_ALL if last else DO_BET
    else:
        row[input_spec.SAID] = DO_RAISE_ALL if last else DO_RAISE


@jit
def discards(subset: int, row: NDArray[np.int32]) -> None:
    """Choose cards of one's hand by their places; none is standing pat."""
    n = 0
    for i in range(HAND):
        if (subset >> i) & 1:
            row[input_spec.KEYS + n] = i + 1
            n += 1
    row[input_spec.HOW], row[input_spec.COUNT] = input_spec.SELECT, n
    row[input_spec.SAID], row[input_spec.SAID_A] = DO_EXCHANGE if n else DO_PAT, n
