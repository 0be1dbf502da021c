"""The scene of a Durak table: everything, or what one seat knows of it.

A card that is seen has the same identity wherever it lies; a back is told by its seat and its place in the hand. A
card's key is 1 + card in a hand and on the table.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.seats import clockwise
from kozyr.envs.durak import words as say
from kozyr.envs.durak.actions import DONE, TRANSFER, may_transfer, split
from kozyr.envs.durak.cards import RANK, SUITS
from kozyr.envs.durak.rules import Variant
from kozyr.envs.durak.scene_middle import SLOT, face, middle
from kozyr.envs.durak.words import LABELS
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import put, sees, words

__all__ = ["LABELS", "table_elements", "table_scene"]

MARGIN, GAP = 180, 140
HEAD, FOOT = 480, 130  # of a panel: its words above the cards, and what is free below
SECOND = 220  # more words in narrow panels
ROW = 300  # from one row of others' cards to the next
SMALL_WIDE, SMALL_HIGH = 450, 630  # others' cards
OWN_WIDE, OWN_HIGH = 720, 1008
NARROW = 150  # narrowest step that leaves the corners of others' cards readable
CENTRE = 1760  # height of the table between the hands
BACKS = 100  # IDs of backs; those of faces are below
ROOMY = 4  # players who have room in the narrower picture


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the table: the others above, the middle, the watching seat alone at the bottom."""
    wide = 9600 if v.players <= ROOMY else 12000
    others = v.players - 1
    head = HEAD if others == 1 else HEAD + SECOND
    panel = head + SMALL_HIGH + FOOT + (0 if others == 1 else ROW)
    below = MARGIN + panel + CENTRE
    own = HEAD + OWN_HIGH + FOOT
    n = put(out, 0, scene.PICTURE, 0, 0, scene.FELT, 0, 0, wide, below + own + MARGIN, 0, 0, 0, 0)
    me = max(seat, 0)
    width = (wide - 2 * MARGIN - GAP * (others - 1)) // others
    for i in range(others):
        who = clockwise(me, i + 1, v.players)
        x = MARGIN + i * (width + GAP)
        n = person(s, who, x, MARGIN, width, panel, others == 1, out, n)
        rows = 1 if others == 1 else 2
        n = hand(v, s, seat, who, x, MARGIN + head, width, rows, SMALL_WIDE, SMALL_HIGH, out, n)
    n = middle(v, s, wide, MARGIN + panel + GAP, out, n)
    n = person(s, me, MARGIN, below, wide - 2 * MARGIN, own, True, out, n)
    hand(v, s, seat, me, MARGIN, below + HEAD, wide - 2 * MARGIN, 1, OWN_WIDE, OWN_HIGH, out, n)


@jit
def person(s: Any, who: int, x: int, y: int, width: int, high: int, roomy: bool, out: NDArray[np.int32], n: int) -> int:
    """Write a seat's panel with its name, what it is doing and how many cards it has."""
    frame = (scene.TURN if s.turn == who else 0) | (scene.FADED if s.out[who] else 0)
    n = put(out, n, scene.PANEL, 0, 0, 0, x, y, width, high, frame, who, 0, 0)
    room = width - 280 - (2200 if roomy else 0)
    n = words(out, n, scene.LABEL, say.NAME, x + 140, y + 260, 130, scene.BOLD, who, 0, 0, room)
    if roomy:
        n = tag(s, who, 110, 0, scene.AFTER, out, n)
    else:
        n = tag(s, who, x + 140, y + 460, 0, out, n)
    base = y + 260 if roomy else y + 500
    faint = scene.END + scene.TONE * scene.FAINT
    return words(out, n, scene.LABEL, say.CARDS, x + width - 140, base, 100, faint, int(s.count[who]))


@jit
def tag(s: Any, who: int, x: int, y: int, flags: int, out: NDArray[np.int32], n: int) -> int:
    """Write what a seat is doing, or what became of it, if that is anything."""
    label, tone = 0, scene.GREY
    if s.payoff[who] < 0:
        label, tone = say.TAG_FOOL, scene.BAD
    elif s.out[who]:
        label = say.TAG_OUT
    elif s.turn >= 0 and s.attacker == who:
        label, tone = say.TAG_ATTACKS, scene.BAD
    elif s.turn >= 0 and s.defender == who:
        label, tone = say.TAG_TAKES if s.taking else say.TAG_DEFENDS, scene.BLUE
    if label == 0:
        return n
    return words(out, n, scene.TAG, label, x, y, 82, flags + scene.TONE * tone)


@jit
def hand(
    v: Variant, s: Any, seat: int, who: int, x: int, y: int, width: int, most_rows: int, wide: int, high: int,
    out: NDArray[np.int32], n: int,
) -> int:  # fmt: skip
    """Write a hand, overlapped as far as it must be: backs, then faces by suit, black and red in turn, trumps last."""
    count, ranks = int(s.count[who]), v.deck // SUITS
    room = width - 280 - wide
    rows = most_rows if (count - 1) * NARROW > room else 1
    each = max((count + rows - 1) // rows, 1)
    step = min(wide * 72 // 100, room // max(each - 1, 1))
    left = x + (width - wide - step * (each - 1)) // 2
    top = y + (ROW * (most_rows - rows)) // 2
    i = 0
    for _ in range(count - faces(v, s, seat, who)):
        at, down = left + step * (i % each), top + ROW * (i // each)
        n = put(out, n, scene.CARD, BACKS + who * 64 + i, 0, scene.BACK, at, down, wide, high, 0, 0, 0, 0)
        i += 1
    for k in range(1, SUITS + 1):
        suit = alternating((alternating(s.trump) + k) % SUITS)
        for c in range(suit * ranks, (suit + 1) * ranks):
            if seen(s, seat, who, c):
                at, down = left + step * (i % each), top + ROW * (i // each)
                flags = scene.KNOWN if s.known >> c & 1 else 0
                n = put(out, n, scene.CARD, 1 + c, 1 + c, face(v, c), at, down, wide, high, flags, 0, 0, 0)
                i += 1
    return n


@jit
def alternating(suit: int) -> int:
    """Exchange the middle two suits, so that black and red take turns; twice is nothing."""
    return ((suit & 1) << 1) | (suit >> 1)


@jit
def seen(s: Any, seat: int, who: int, c: int) -> bool:
    """Return True if a card is in the hand of `who`, and `seat` knows that."""
    return s.cards[who] >> c & 1 != 0 and (s.known >> c & 1 != 0 or sees(seat, who))


@jit
def faces(v: Variant, s: Any, seat: int, who: int) -> int:
    """Return the number of cards in the hand of `who` that the seat knows."""
    count = 0
    for c in range(v.deck):
        count += seen(s, seat, who, c)
    return count


@implements(dispatch.elements, Variant)
def table_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Play and transfer by choosing a card, told apart by where it is dropped; take and done are buttons."""
    kind, c = split(v, action)
    row[input_spec.SAID], row[input_spec.TARGET], row[input_spec.COUNT] = input_spec.AS_TEXT, 0, 0
    if kind == DONE:
        row[input_spec.HOW] = input_spec.BUTTON
        row[input_spec.SAID] = say.SAY_TAKE if s.turn == s.defender else say.SAY_DONE
        return
    row[input_spec.HOW], row[input_spec.COUNT], row[input_spec.KEYS] = input_spec.SELECT, 1, 1 + c
    if kind == TRANSFER:
        row[input_spec.TARGET] = SLOT
    elif could_transfer(v, s, c):
        row[input_spec.TARGET] = 1 + s.attack[s.beaten]


@jit
def could_transfer(v: Variant, s: Any, c: int) -> bool:
    """Return True if the card with which the seat to move may beat could also pass the attack on."""
    return v.transfer and may_transfer(v, s) and RANK[v.deck, c] == RANK[v.deck, s.attack[0]]
