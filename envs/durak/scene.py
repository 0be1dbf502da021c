"""Scene of a Durak table, as a whole or as one seat knows it, and the input of its actions.

A card that is seen has the same identity wherever it lies; a back is told by its seat and its place in the hand. A
card's key is 1 + card in a hand and on the table.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.seats import clockwise
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.actions import DONE, PLAY, SHOW, TRANSFER, WITH_CARD, may_transfer, split
from kozyr.envs.durak.cards import RANK, SUIT, SUITS
from kozyr.envs.durak.rules import DISCARD, NO_CARD, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import CARD_HIGH, CARD_WIDE, put, sees, words

__all__ = ["LABELS", "table_elements", "table_scene"]

NAME, CARDS, STOCK, TRUMP, DISCARDED, KNOWN_TO_ALL = range(1, 7)
OPENS, ATTACKS, BEATEN, TAKES, ROUND = range(7, 12)
TAG_ATTACKS, TAG_DEFENDS, TAG_TAKES, TAG_OUT, TAG_FOOL = range(12, 17)
FOOL, DRAW, STOPPED = range(17, 20)
SAY_TAKE, SAY_DONE, SAY_SHOW, ROUND_SHOWN = range(20, 24)

LABELS = {
    NAME: "{0:seat}",
    CARDS: "{0} {0|cards|card|cards}",
    STOCK: "{0} in the stock",
    TRUMP: "trump",
    DISCARDED: "{0} discarded",
    KNOWN_TO_ALL: "known to all",
    OPENS: "{0:seat} opens against {1:seat}",
    ATTACKS: "{0:seat} attacks {1:seat}",
    BEATEN: "{1:seat} has beaten all; {0:seat} may add",
    TAKES: "{0:seat} takes, more may be added",
    ROUND: "round {0}",
    TAG_ATTACKS: "ATTACKER",
    TAG_DEFENDS: "DEFENDER",
    TAG_TAKES: "TAKES",
    TAG_OUT: "OUT",
    TAG_FOOL: "THE FOOL",
    FOOL: "{0:seat} is the fool",
    DRAW: "a draw: nobody has cards left",
    STOPPED: "stopped after {0} rounds",
    SAY_TAKE: "take",
    SAY_DONE: "{0|done|done}",  # other languages tell a beaten round from one that is taken
    SAY_SHOW: "show {0|2|3|4|5|6|7|8|9|10|J|Q|K|A}{1|♣|♠|♥|♦}",
    ROUND_SHOWN: "round {0}, a trump has been shown",
}

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
EDGE = 320  # from the picture's side to the stock and the discard pile
PITCH, RIGHT, DOWN = 900, 160, 200  # from one attack card to the next, and where the card that beats it lies
OUT = 480  # what the trump card shows beside the stock
STOCK_ID, DISCARD_ID = 90, 91
SLOT = 65  # key of the place for the next attack card
ALL_RANKS = 13


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
    n = words(out, n, scene.LABEL, NAME, x + 140, y + 260, 130, scene.BOLD, who, 0, 0, room)
    if roomy:
        n = tag(s, who, 110, 0, scene.AFTER, out, n)
    else:
        n = tag(s, who, x + 140, y + 460, 0, out, n)
    base = y + 260 if roomy else y + 500
    faint = scene.END + scene.TONE * scene.FAINT
    return words(out, n, scene.LABEL, CARDS, x + width - 140, base, 100, faint, int(s.count[who]))


@jit
def tag(s: Any, who: int, x: int, y: int, flags: int, out: NDArray[np.int32], n: int) -> int:
    """Write what a seat is doing, or what became of it, if that is anything."""
    label, tone = 0, scene.GREY
    if s.payoff[who] < 0:
        label, tone = TAG_FOOL, scene.BAD
    elif s.out[who]:
        label = TAG_OUT
    elif s.turn >= 0 and s.attacker == who:
        label, tone = TAG_ATTACKS, scene.BAD
    elif s.turn >= 0 and s.defender == who:
        label, tone = TAG_TAKES if s.taking else TAG_DEFENDS, scene.BLUE
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


@jit
def face(v: Variant, c: int) -> int:
    """Return the face of a card."""
    return 1 + SUIT[v.deck, c] * ALL_RANKS + ALL_RANKS - v.deck // SUITS + RANK[v.deck, c]


@jit
def middle(v: Variant, s: Any, wide: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write all that lies in the middle, whose cards begin at y."""
    n = stock(v, s, EDGE, y, out, n)
    n = discard(v, s, wide - EDGE - CARD_WIDE, y, out, n)
    slots = s.laid if s.turn == OVER else max(s.limit, s.laid)
    begin, end = EDGE + CARD_WIDE + OUT, wide - EDGE - CARD_WIDE
    left = (begin + end - (PITCH * int(slots) - PITCH + CARD_WIDE + RIGHT)) // 2
    for i in range(slots):
        n = pair(v, s, i, left + i * PITCH, y, out, n)
    return status(v, s, wide // 2, y + CARD_HIGH + DOWN + 240, out, n)


@jit
def stock(v: Variant, s: Any, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the stock on the open trump card, how many cards are left, and the trump suit."""
    left = v.deck - int(s.drawn)
    pile = left
    n = put(out, n, scene.SLOT, 0, 0, 0, x, y, CARD_WIDE, CARD_HIGH, 0, 0, 0, 0)
    if v.open_trump and left > 0:
        c, pile = int(s.stock[v.deck - 1]), left - 1
        aside = x + 360  # it lies across, and its middle is so far right of the stock's
        n = put(out, n, scene.CARD, 1 + c, 0, face(v, c), aside, y, CARD_WIDE, CARD_HIGH, 0, 90, 0, 0)
    if pile > 0:
        n = put(out, n, scene.CARD, STOCK_ID, 0, scene.BACK, x, y, CARD_WIDE, CARD_HIGH, scene.STACK, 0, pile, 0)
    n = words(out, n, scene.LABEL, STOCK, x, y + CARD_HIGH + 250, 100, 0, left)
    under = y + CARD_HIGH + 440
    n = put(out, n, scene.SIGN, 0, 0, s.trump, x + 120, under, 0, 170, scene.PLATE, 0, 0, 0)
    return words(out, n, scene.LABEL, TRUMP, 80, 0, 100, scene.AFTER)


@jit
def discard(v: Variant, s: Any, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the discard pile, how many cards it holds, and what the tabs on cards mean, if there are any."""
    count = count_bits(s.cards[DISCARD])
    n = put(out, n, scene.SLOT, 0, 0, 0, x, y, CARD_WIDE, CARD_HIGH, 0, 0, 0, 0)
    if count > 0:
        n = put(out, n, scene.CARD, DISCARD_ID, 0, scene.BACK, x, y, CARD_WIDE, CARD_HIGH, scene.STACK, 0, count, 0)
    end, base = x + CARD_WIDE, y + CARD_HIGH + 250
    n = words(out, n, scene.LABEL, DISCARDED, end, base, 100, scene.END, count)
    if s.known:
        n = put(out, n, scene.BAR, 0, 0, 0, end - 1030, base + 160, 130, 60, scene.TONE * scene.GOLD, 0, 0, 0)
        n = words(out, n, scene.LABEL, KNOWN_TO_ALL, 80, 0, 100, scene.AFTER)
    return n


@jit
def pair(v: Variant, s: Any, i: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write an attack card with the card that beats it, or the place where one may still be laid."""
    if i >= s.laid:
        key = SLOT if i == s.laid else 0
        return put(out, n, scene.SLOT, 0, key, 0, x, y, CARD_WIDE, CARD_HIGH, 0, 0, 0, 0)
    c, beating = int(s.attack[i]), int(s.defence[i])
    last = scene.LAST if s.passes == 0 and s.laid > s.beaten and i == s.laid - 1 else 0
    n = put(out, n, scene.CARD, 1 + c, 1 + c, face(v, c), x, y, CARD_WIDE, CARD_HIGH, last, 0, 0, 0)
    if beating == NO_CARD:
        return n
    last = scene.LAST if s.passes == 0 and s.laid == s.beaten and i == s.laid - 1 else 0
    at, down = x + RIGHT, y + DOWN
    return put(out, n, scene.CARD, 1 + beating, 0, face(v, beating), at, down, CARD_WIDE, CARD_HIGH, last, 0, 0, 0)


@jit
def status(v: Variant, s: Any, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write who attacks whom, or how the game ended."""
    if s.turn == OVER:
        label, who = DRAW, 0
        for k in range(v.players):
            if s.payoff[k] < 0:
                label, who = FOOL, k
        if s.truncated:
            label, who = STOPPED, int(s.rounds)
        return words(out, n, scene.TAG, label, x, y, 130, scene.MIDDLE + scene.TONE * scene.GOLD, who, 0, 0, 4600)
    room = 4600
    first, second, label = int(s.attacker), int(s.defender), ATTACKS
    if s.taking:
        first, label = int(s.defender), TAKES
    elif s.laid == 0:
        label = OPENS
    elif s.laid == s.beaten:
        label = BEATEN
    n = words(out, n, scene.LABEL, label, x, y, 120, scene.MIDDLE, first, second, 0, room)
    faint = scene.MIDDLE + scene.TONE * scene.FAINT
    label = ROUND_SHOWN if s.trump_shown else ROUND
    return words(out, n, scene.LABEL, label, x, y + 210, 90, faint, int(s.rounds))


@implements(dispatch.elements, Variant)
def table_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Play and transfer by choosing a card, told apart by where it is dropped; all else, even showing, is a button."""
    kind, c = split(v, action)
    input_spec.press(row)
    if kind == DONE:
        row[input_spec.SAID] = SAY_TAKE if s.turn == s.defender else SAY_DONE
        row[input_spec.SAID_A] = s.taking
    elif kind == SHOW:
        ranks = v.deck // SUITS
        row[input_spec.SAID], row[input_spec.SAID_B] = SAY_SHOW, s.trump
        row[input_spec.SAID_A] = ALL_RANKS - ranks + RANK[v.deck, s.attack[0]]
    elif kind in WITH_CARD:
        row[input_spec.HOW], row[input_spec.COUNT], row[input_spec.KEYS] = input_spec.SELECT, 1, 1 + c
    if kind == TRANSFER:
        row[input_spec.TARGET] = SLOT
    elif kind == PLAY and could_transfer(v, s, c):
        row[input_spec.TARGET] = 1 + s.attack[s.beaten]


@jit
def could_transfer(v: Variant, s: Any, c: int) -> bool:
    """Return True if the card with which the seat to move may beat could also pass the attack on."""
    return v.transfer and may_transfer(v, s) and RANK[v.deck, c] == RANK[v.deck, s.attack[0]]
