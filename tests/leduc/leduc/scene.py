"""Scene: the table as rows of numbers, and how a person makes a move."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.seats import clockwise
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import scene, zones
from leduc.rules import CALL, FOLD, SUITS, Variant, highest

PAID, FOLDED, MOVES, DONE, DO_FOLD, DO_CHECK, DO_CALL, DO_RAISE = range(1, 9)
LABELS = {
    PAID: "paid {0}",
    FOLDED: "FOLDED",
    MOVES: "{0:seat} to move",
    DONE: "over",
    DO_FOLD: "fold",
    DO_CHECK: "check",
    DO_CALL: "call {0}",
    DO_RAISE: "raise by {0}",
}
JACK, SPADES = 9, 1  # of the faces of cards; hearts follow spades
BACKS = 60  # IDs of cards that are not seen begin here; a card that is seen has its face's number


@implements(dispatch.scene, Variant)
def draw(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Write the seats from the watching one on, and the open card in the middle of the table."""
    zones.picture(out, scene.FELT)
    for i in range(v.players):
        who = clockwise(max(seat, 0), i, v.players)
        zones.seat(out, who, s.turn)
        if s.folded[who]:
            zones.tag(out, FOLDED, scene.GREY)
        zones.label(out, PAID, scene.END, int(s.paid[who]))
        zones.zone(out, zones.CARDS)
        card(s.hand[who], scene.sees(seat, who), BACKS + 1 + who, out)
    zones.zone(out, zones.MIDDLE)
    zones.zone(out, zones.PILE)
    card(s.open_card, seat == scene.SEES_ALL or s.street > 0, BACKS, out)
    zones.zone(out, zones.LINES)
    zones.label(out, DONE if s.turn == OVER else MOVES, 0, max(int(s.turn), 0))


@jit
def card(c: int, known: bool, hidden: int, out: NDArray[np.int32]) -> None:
    """Write a card face up, or as a back whose ID is `hidden`."""
    face = scene.face(SPADES + c % SUITS, JACK + c // SUITS) if known else scene.BACK
    zones.card(out, face if known else hidden, 0, face)


@implements(dispatch.elements, Variant)
def elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Press a button, named as players say it."""
    owed = highest(v, s) - s.paid[s.turn]
    if action == FOLD:
        input_spec.press(row, DO_FOLD)
    elif action == CALL:
        input_spec.press(row, DO_CALL if owed > 0 else DO_CHECK, owed)
    else:
        input_spec.press(row, DO_RAISE, 2 * (s.street + 1))
