"""Scene of a War table: two decks as piles, what everybody knows of their order, and the cards of the turn.

A card that is seen has the same identity wherever it lies. A deck is clicked to turn its next card up.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.labels import NUMBER, WINS
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import scene, zones
from kozyr.envs.pictures.scene import SEES_ALL
from kozyr.envs.war.actions import FLIP, split
from kozyr.envs.war.rules import NO_CARD, PICKING, RANK, SEATS, SUITS, WAR, WRAP, Variant, next_cards

__all__ = ["LABELS", "table_elements", "table_scene"]

ORDER, NOT_KNOWN, TURN, IN_WAR, CHOOSES, SHORT, STOPPED, TAG_STARTS, TAG_CHOOSES, TAG_WON, TAG_LOST = range(1, 12)
SAY_FLIP, SAY_FLIP_WAR, SAY_FLIP_SHORT, SAY_OWN, SAY_OTHER, SAY_HIGH, SAY_LOW = range(12, 19)

LABELS = {
    ORDER: "from the top, as everybody knows",
    NOT_KNOWN: "in an order that nobody knows",
    TURN: "turn {0} of {1}",
    IN_WAR: "turn {0} of {1}, war {2}",
    CHOOSES: "{0:seat} takes the cards and chooses their order",
    SHORT: "{0:seat} wins, {1:seat} is short of cards for a war",
    STOPPED: "stopped after {0} turns",
    TAG_STARTS: "STARTER",
    TAG_CHOOSES: "CHOOSES",
    TAG_WON: "WINNER",
    TAG_LOST: "LOST",
    SAY_FLIP: "flip",
    SAY_FLIP_WAR: "lay three and flip",
    SAY_FLIP_SHORT: "{0|flip|lay one and flip|lay two and flip}",
    SAY_OWN: "my cards first",
    SAY_OTHER: "the other's cards first",
    SAY_HIGH: "high to low",
    SAY_LOW: "low to high",
}

BACKS = 100  # IDs of backs; those of faces are below
FLIP_KEY = 1
PILE = BACKS + 2 * (WRAP + 1)  # ID of seat 0's pile; the other's follows


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the watching seat's deck and the other's, and between them the cards of the turn."""
    me = max(seat, 0)
    zones.picture(out, scene.FELT)
    person(v, s, seat, me, out)
    person(v, s, seat, 1 - me, out)
    zones.zone(out, zones.MIDDLE)
    row(v, s, seat, 1 - me, out)
    row(v, s, seat, me, out)
    status(v, s, out)


@jit
def person(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write a seat: its name and marks, its deck, and what is known of the deck's order."""
    count = int(s.end[who] - s.top[who])
    zones.seat(out, who, s.turn)
    tags(s, who, out)
    zones.count_cards(out, count)
    zones.zone(out, zones.PILE)
    if count > 0:
        key = FLIP_KEY if s.turn == who and s.phase != PICKING else 0
        zones.card(out, PILE + who, key, scene.BACK, scene.STACK, 0, count)
        zones.tag(out, NUMBER, 0, count)
        order(v, s, seat, who, out)


@jit
def tags(s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write what a seat is doing, or what it got."""
    if s.turn == OVER:
        if s.payoff[who] != 0:
            won = s.payoff[who] > 0
            zones.tag(out, TAG_WON if won else TAG_LOST, scene.GOOD if won else scene.GREY)
        return
    if s.starter == who:
        zones.tag(out, TAG_STARTS, scene.GREY)
    if s.turn == who and s.phase == PICKING:
        zones.tag(out, TAG_CHOOSES, scene.GOLD)


@jit
def order(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write the deck from its top, side by side, if anything of it is seen; backs at its top are one small pile."""
    begin, end = int(s.top[who]), int(s.end[who])
    unseen, mixed = begin, False
    while unseen < end and shown(v, s, seat, who, unseen) == NO_CARD:
        unseen += 1
    if unseen == end:
        return
    if unseen > begin:
        zones.zone(out, zones.PILE, zones.ASIDE)
        zones.card(out, 0, 0, scene.BACK, scene.STACK, 0, unseen - begin)
        zones.tag(out, NUMBER, 0, unseen - begin)
    zones.zone(out, zones.CARDS, zones.ASIDE)
    i = unseen
    while i < end:
        size = run(s, who, i)
        for j in range(i, i + size):
            card(v, s, seat, who, j, scene.KNOWN, out)
            if size > 1:
                zones.add(out, scene.BAR, 0, 0, 0, scene.TONE * scene.GOLD + (scene.AFTER if j < i + size - 1 else 0))
        mixed |= size > 1
        i += size
    zones.label(out, ORDER, zones.FAINT)
    if mixed:
        zones.label(out, NOT_KNOWN, scene.TONE * scene.GOLD)


@jit
def run(s: Any, who: int, begin: int) -> int:
    """Return the number of cards from number `begin` on that lie side by side in one block of unknown order."""
    c = s.line[who, begin & WRAP]
    if block(s, who, begin) < 2:
        return 1
    i = begin + 1
    while i < s.end[who]:
        other = s.line[who, i & WRAP]
        if s.owner[other] != who or s.at[other] != s.at[c]:
            break
        i += 1
    return i - begin


@jit
def card(v: Variant, s: Any, seat: int, who: int, i: int, flags: int, out: NDArray[np.int32]) -> None:
    """Write card number `i` of a line as far as it is known; KNOWN marks it only if it is the only one there."""
    c = shown(v, s, seat, who, i)
    if c == NO_CARD:
        zones.card(out, back(s, who, i), 0, scene.BACK, flags & scene.LAST)
    else:
        zones.card(out, 1 + c, 0, face(v, c), flags if block(s, who, i) == 1 else flags & ~scene.KNOWN)


@jit
def upturned_place(i: int) -> int:
    """Return the place in a full row at which the last card of a row is drawn, number i of a shorter one (§12)."""
    return (i + WAR - 1) // WAR * WAR


@jit
def row(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write the cards that a seat has laid in this turn, and the places of those that it lacks."""
    laid, longest = int(s.top[who] - s.first[who]), 1
    for k in range(SEATS):
        longest = max(longest, int(s.top[k] - s.first[k]))
    moved = s.starter if s.turn == 1 - s.starter and s.phase != PICKING else 1 - s.starter
    zones.zone(out, zones.CARDS)
    last = laid - 1
    for place in range(upturned_place(longest - 1) + 1):
        if laid > 0 and (place < last or place == upturned_place(last)):
            i, flags = min(place, last), scene.LAST if place >= last and who == moved else 0
            if place < last and i % WAR != 0:
                flags = scene.FADED | scene.KNOWN
            card(v, s, seat, who, int(s.first[who]) + i, flags, out)
        else:
            zones.add(out, scene.SLOT, 0, 0, 0, 0)


@jit
def status(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write which turn it is and what happens, or how the game ended."""
    zones.zone(out, zones.LINES)
    if s.turn == OVER:
        winner = 0 if s.payoff[0] > 0 else 1
        label, first = SHORT if s.top[0] > s.first[0] else WINS, winner
        if s.truncated:
            label, first = STOPPED, int(s.turns)
        zones.tag(out, label, scene.GOLD, first, 1 - winner)
    elif s.phase == PICKING:
        zones.label(out, CHOOSES, 0, int(s.turn))
    else:
        laid = int(s.top[s.starter] - s.first[s.starter])
        wars = (laid + WAR - 2) // WAR + (1 if laid > 0 and s.turn == s.starter else 0)
        zones.label(out, IN_WAR if wars else TURN, 0, int(s.turns) + 1, v.max_turns, wars)


@jit
def face(v: Variant, c: int) -> int:
    """Return the face of a card."""
    ranks = v.deck // SUITS
    return scene.face(c // ranks, RANK[v.deck, c], ranks)


@jit
def back(s: Any, who: int, number: int) -> int:
    """Return the ID of a back by its place in a line, counted from the first card laid in this turn."""
    return BACKS + who * (WRAP + 1) + number - s.first[who]


@jit
def same_block(s: Any, who: int, number: int, other: int) -> bool:
    """Return True if two cards of a line may have changed places for all that anybody knows."""
    c, d = s.line[who, number & WRAP], s.line[who, other & WRAP]
    return s.owner[d] == who and s.at[d] == s.at[c]


@jit
def block(s: Any, who: int, number: int) -> int:
    """Return the number of cards with the same possible places as one of a line; 0 if nobody has seen it."""
    if s.owner[s.line[who, number & WRAP]] != who:
        return 0
    count = 0
    for i in range(s.first[who], s.end[who]):
        count += same_block(s, who, number, i)
    return count


@jit
def shown(v: Variant, s: Any, seat: int, who: int, number: int) -> int:
    """Return the card to show in a place of a line, or NO_CARD; cards of a block are shown in the order of the deck."""
    c = s.line[who, number & WRAP]
    if seat == SEES_ALL:
        return c
    size = block(s, who, number)
    if size < 2:
        return c if size == 1 else NO_CARD
    before, first = 0, s.end[who]
    for i in range(s.first[who], s.end[who]):
        if same_block(s, who, number, i):
            first = min(first, i)
            before += i < number
    if first < s.top[who]:  # it is open which of them lies on the table
        return NO_CARD
    for d in range(v.deck):
        if s.owner[d] == who and s.at[d] == s.at[c]:
            if before == 0:
                return d
            before -= 1
    return NO_CARD


_ORDERS = (0, SAY_OWN, SAY_OTHER, SAY_HIGH, SAY_LOW)  # the words of each kind of action but the flip


@implements(dispatch.elements, Variant)
def table_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Flip by choosing the own deck; the orders of the pool are buttons."""
    kind = split(v, action)[0]
    if kind != FLIP:
        input_spec.press(row, _ORDERS[kind])
        return
    said, new = SAY_FLIP, next_cards(v, s, s.turn)
    if s.top[s.turn] > s.first[s.turn]:
        said = SAY_FLIP_WAR if new >= WAR else SAY_FLIP_SHORT
    input_spec.select(row, said, new - 1, key=FLIP_KEY)
