"""Scene: the table as rows of numbers, and how a person makes a move."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import card, put, sees, words
from leduc.rules import CALL, FOLD, SUITS, Variant, highest

MOVES, DONE, PAID, FOLDED, DO_FOLD, DO_CHECK, DO_CALL, DO_RAISE = range(1, 9)
LABELS = {
    MOVES: "{0:seat} to move",
    DONE: "over",
    PAID: "{0:seat} paid {1}",
    FOLDED: "{0:seat} paid {1}, folded",
    DO_FOLD: "fold",
    DO_CHECK: "check",
    DO_CALL: "call {0}",
    DO_RAISE: "raise by {0}",
}
WIDE, HEAD, ROW, MARGIN = 4800, 1200, 1100, 200
JACK, SPADES, RANKS = 9, 1, 13  # of the faces of cards; hearts follow spades
BACKS = 60  # IDs of cards that are not seen begin here; a card that is seen has its face's number


@implements(dispatch.scene, Variant)
def draw(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Write the open card above the hands, that of the watching seat at the bottom."""
    n = put(out, 0, scene.PICTURE, 0, 0, scene.FELT, 0, 0, WIDE, HEAD + ROW * v.players, 0, 0, 0, 0)
    n = shown(s.open_card, seat == scene.SEES_ALL or s.street > 0, BACKS, 160, out, n)
    label = DONE if s.turn == OVER else MOVES
    n = words(out, n, scene.LABEL, label, 1000, 640, 120, 0, max(int(s.turn), 0), 0, 0, WIDE - 1200)
    for i in range(v.players):
        who, y = (max(seat, 0) + 1 + i) % v.players, HEAD + ROW * i
        n = shown(s.hand[who], sees(seat, who), BACKS + 1 + who, y, out, n)
        label = FOLDED if s.folded[who] else PAID
        n = words(out, n, scene.LABEL, label, 1000, y + 480, 120, 0, who, int(s.paid[who]), 0, WIDE - 1200)


@jit
def shown(c: int, known: bool, hidden: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write a card face up, or as a back whose ID is `hidden`."""
    face = scene.BACK
    if known:
        face = 1 + (SPADES + c % SUITS) * RANKS + JACK + c // SUITS
    return card(out, n, face if known else hidden, 0, face, MARGIN, y)


@implements(dispatch.elements, Variant)
def elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Press a button, named as players say it."""
    owed = highest(v, s) - s.paid[s.turn]
    row[input_spec.HOW], row[input_spec.COUNT], row[input_spec.SAID_A] = input_spec.BUTTON, 0, 0
    if action == FOLD:
        row[input_spec.SAID] = DO_FOLD
    elif action == CALL:
        row[input_spec.SAID], row[input_spec.SAID_A] = DO_CALL if owed > 0 else DO_CHECK, owed
    else:
        row[input_spec.SAID], row[input_spec.SAID_A] = DO_RAISE, 2 * (s.street + 1)
