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
from kozyr.envs.pictures import scene, zones
from kozyr.envs.pictures.scene import sees

__all__ = ["LABELS", "table_elements", "table_scene"]

STOCK, TRUMP, DISCARDED, KNOWN_TO_ALL, OPENS, ATTACKS, BEATEN, TAKES, ROUND, ROUND_SHOWN = range(1, 11)
TAG_ATTACKS, TAG_DEFENDS, TAG_TAKES, TAG_OUT, TAG_FOOL = range(11, 16)
FOOL, DRAW, STOPPED, SAY_TAKE, SAY_DONE, SAY_SHOW = range(16, 22)

LABELS = {
    STOCK: "{0} in the stock",
    TRUMP: "trump",
    DISCARDED: "{0} discarded",
    KNOWN_TO_ALL: "known to all",
    OPENS: "{0:seat} opens against {1:seat}",
    ATTACKS: "{0:seat} attacks {1:seat}",
    BEATEN: "{1:seat} has beaten all; {0:seat} may add",
    TAKES: "{0:seat} takes, more may be added",
    ROUND: "round {0}",
    ROUND_SHOWN: "round {0}, a trump has been shown",
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
}

BACKS = 100  # IDs of backs; those of faces are below
STOCK_ID, DISCARD_ID = 90, 91
SLOT = 65  # key of the place for the next attack card


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the seats from the watching one on, the stock, the discard pile and the attack."""
    zones.picture(out, scene.FELT)
    for i in range(v.players):
        who = clockwise(max(seat, 0), i, v.players)
        zones.seat(out, who, s.turn, scene.FADED if s.out[who] else 0)
        mark(s, who, out)
        zones.count_cards(out, int(s.count[who]))
        hand(v, s, seat, who, out)
    zones.zone(out, zones.MIDDLE)
    stock(v, s, out)
    discard(s, out)
    zones.zone(out, zones.PAIRS)
    for i in range(s.laid if s.turn == OVER else max(s.limit, s.laid)):
        pair(v, s, i, out)
    status(v, s, out)


@jit
def mark(s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write what a seat is doing, or what became of it, if that is anything."""
    if s.payoff[who] < 0:
        zones.tag(out, TAG_FOOL, scene.BAD)
    elif s.out[who]:
        zones.tag(out, TAG_OUT, scene.GREY)
    elif s.turn >= 0 and s.attacker == who:
        zones.tag(out, TAG_ATTACKS, scene.BAD)
    elif s.turn >= 0 and s.defender == who:
        zones.tag(out, TAG_TAKES if s.taking else TAG_DEFENDS, scene.BLUE)


@jit
def hand(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write a hand: backs, then faces by suit, black and red in turn, trumps last."""
    ranks = v.deck // SUITS
    zones.zone(out, zones.CARDS)
    zones.backs(out, BACKS + who * 64, int(s.count[who]) - faces(v, s, seat, who))
    for k in range(1, SUITS + 1):
        suit = alternating((alternating(s.trump) + k) % SUITS)
        for c in range(suit * ranks, (suit + 1) * ranks):
            if seen(s, seat, who, c):
                zones.card(out, 1 + c, 1 + c, face(v, c), scene.KNOWN if s.known >> c & 1 else 0)


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
    return scene.face(SUIT[v.deck, c], RANK[v.deck, c], v.deck // SUITS)


@jit
def stock(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write the stock on the open trump card, how many cards are left, and the trump suit."""
    left = v.deck - int(s.drawn)
    pile = left
    zones.zone(out, zones.PILE)
    if v.open_trump and left > 0:
        c, pile = int(s.stock[v.deck - 1]), left - 1
        zones.card(out, 1 + c, 0, face(v, c), 0, 90)  # it lies across
    if pile > 0:
        zones.card(out, STOCK_ID, 0, scene.BACK, scene.STACK, 0, pile)
    zones.label(out, STOCK, 0, left)
    zones.add(out, scene.SIGN, 0, 0, s.trump, scene.PLATE)
    zones.label(out, TRUMP, scene.AFTER)


@jit
def discard(s: Any, out: NDArray[np.int32]) -> None:
    """Write the discard pile, how many cards it holds, and what the tabs on cards mean, if there are any."""
    count = count_bits(s.cards[DISCARD])
    zones.zone(out, zones.PILE)
    if count > 0:
        zones.card(out, DISCARD_ID, 0, scene.BACK, scene.STACK, 0, count)
    zones.label(out, DISCARDED, 0, count)
    if s.known:
        zones.add(out, scene.BAR, 0, 0, 0, scene.TONE * scene.GOLD)
        zones.label(out, KNOWN_TO_ALL, scene.AFTER)


@jit
def pair(v: Variant, s: Any, i: int, out: NDArray[np.int32]) -> None:
    """Write an attack card with the card that beats it, or the place where one may still be laid."""
    if i >= s.laid:
        zones.add(out, scene.SLOT, 0, SLOT if i == s.laid else 0, 0, 0)
        return
    c, beating = int(s.attack[i]), int(s.defence[i])
    last = scene.LAST if s.passes == 0 and i == s.laid - 1 else 0
    zones.card(out, 1 + c, 1 + c, face(v, c), last if s.laid > s.beaten else 0)
    if beating != NO_CARD:
        zones.card(out, 1 + beating, 0, face(v, beating), scene.AFTER + (last if s.laid == s.beaten else 0))


@jit
def status(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write who attacks whom, or how the game ended."""
    zones.zone(out, zones.LINES)
    if s.turn == OVER:
        label, who = DRAW, 0
        for k in range(v.players):
            if s.payoff[k] < 0:
                label, who = FOOL, k
        if s.truncated:
            label, who = STOPPED, int(s.rounds)
        zones.tag(out, label, scene.GOLD, who)
        return
    first, label = int(s.attacker), ATTACKS
    if s.taking:
        first, label = int(s.defender), TAKES
    elif s.laid == 0:
        label = OPENS
    elif s.laid == s.beaten:
        label = BEATEN
    zones.label(out, label, 0, first, int(s.defender))
    zones.label(out, ROUND_SHOWN if s.trump_shown else ROUND, zones.FAINT, int(s.rounds))


@implements(dispatch.elements, Variant)
def table_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Play and transfer by choosing a card, told apart by where it is dropped; all else, even showing, is a button."""
    kind, c = split(v, action)
    input_spec.press(row)
    if kind == DONE:
        input_spec.press(row, SAY_TAKE if s.turn == s.defender else SAY_DONE, s.taking)
    elif kind == SHOW:
        rank = scene.RANKS - v.deck // SUITS + RANK[v.deck, s.attack[0]]
        input_spec.press(row, SAY_SHOW, rank, s.trump)
    elif kind in WITH_CARD:
        input_spec.select(row, input_spec.AS_TEXT, key=1 + c)
    if kind == TRANSFER:
        row[input_spec.TARGET] = SLOT
    elif kind == PLAY and could_transfer(v, s, c):
        row[input_spec.TARGET] = 1 + s.attack[s.beaten]


@jit
def could_transfer(v: Variant, s: Any, c: int) -> bool:
    """Return True if the card with which the seat to move may beat could also pass the attack on."""
    return v.transfer and may_transfer(v, s) and RANK[v.deck, c] == RANK[v.deck, s.attack[0]]
