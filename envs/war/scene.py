"""Scene of a War table: two decks as piles, what everybody knows of their order, and the cards of the turn.

A card that is seen has the same identity wherever it lies. A deck is clicked to turn its next card up.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import CARD_HIGH, CARD_WIDE, SEES_ALL, put, words
from kozyr.envs.war.actions import FLIP, split
from kozyr.envs.war.rules import NO_CARD, PICKING, RANK, SEATS, SUITS, WAR, WRAP, Variant, next_cards

__all__ = ["LABELS", "table_elements", "table_scene"]

NAME, CARDS, NUMBER, ORDER, NOT_KNOWN = range(1, 6)
TURN, IN_WAR, CHOOSES, WINS, SHORT, STOPPED = range(6, 12)
TAG_STARTS, TAG_CHOOSES, TAG_WON, TAG_LOST = range(12, 16)
SAY_FLIP, SAY_FLIP_WAR, SAY_OWN, SAY_OTHER, SAY_HIGH, SAY_LOW, SAY_FLIP_SHORT = range(16, 23)

LABELS = {
    NAME: "{0:seat}",
    CARDS: "{0} {0|cards|card|cards}",
    NUMBER: "{0}",
    ORDER: "from the top, as everybody knows",
    NOT_KNOWN: "in an order that nobody knows",
    TURN: "turn {0} of {1}",
    IN_WAR: "turn {0} of {1}, war {2}",
    CHOOSES: "{0:seat} takes the cards and chooses their order",
    WINS: "{0:seat} wins",
    SHORT: "{0:seat} wins, {1:seat} is short of cards for a war",
    STOPPED: "stopped after {0} turns",
    TAG_STARTS: "STARTER",
    TAG_CHOOSES: "CHOOSES",
    TAG_WON: "WINNER",
    TAG_LOST: "LOST",
    SAY_FLIP: "flip",
    SAY_FLIP_WAR: "lay three and flip",
    SAY_OWN: "my cards first",
    SAY_OTHER: "the other's cards first",
    SAY_HIGH: "high to low",
    SAY_LOW: "low to high",
    SAY_FLIP_SHORT: "{0|flip|lay one and flip|lay two and flip}",
}

ALL_RANKS = 13
BACKS = 100  # IDs of backs; those of faces are below
WIDE, MARGIN = 9600, 180
HEAD, FOOT = 480, 180  # of a panel: its words above the deck, and what is free below
MIDDLE = 2700  # height of the table between the decks
SMALL_WIDE, SMALL_HIGH = 360, 504  # cards of a deck, side by side
FLIP_KEY = 1
PILE = BACKS + 2 * (WRAP + 1)  # ID of seat 0's pile; the other's follows
CLOSE, APART = 130, 90  # step between cards of a war laid face down, and the gap after an upturned card


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the table: the other's deck above, the cards of the turn, the watching seat's deck below."""
    me = max(seat, 0)
    panel = HEAD + CARD_HIGH + FOOT
    under = MARGIN + panel + MIDDLE
    n = put(out, 0, scene.PICTURE, 0, 0, scene.FELT, 0, 0, WIDE, under + panel + MARGIN, 0, 0, 0, 0)
    n = person(v, s, seat, 1 - me, MARGIN, out, n)
    n = row(v, s, seat, 1 - me, MARGIN + panel + 150, out, n)
    n = row(v, s, seat, me, MARGIN + panel + 150 + CARD_HIGH + 150, out, n)
    n = status(v, s, MARGIN + panel + MIDDLE - 270, out, n)
    person(v, s, seat, me, under, out, n)


@jit
def person(v: Variant, s: Any, seat: int, who: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write a seat's panel: its name and marks, its deck, and what is known of the deck's order."""
    width, count = WIDE - 2 * MARGIN, int(s.end[who] - s.top[who])
    high = HEAD + CARD_HIGH + FOOT
    n = put(out, n, scene.PANEL, 0, 0, 0, MARGIN, y, width, high, scene.TURN if s.turn == who else 0, who, 0, 0)
    x = MARGIN + 140
    n = words(out, n, scene.LABEL, NAME, x, y + 260, 130, scene.BOLD, who, 0, 0, 4000)
    n = tags(s, who, out, n)
    faint = scene.END + scene.TONE * scene.FAINT
    n = words(out, n, scene.LABEL, CARDS, WIDE - MARGIN - 140, y + 260, 100, faint, count)
    top = y + HEAD
    if count == 0:
        return put(out, n, scene.SLOT, 0, 0, 0, x, top, CARD_WIDE, CARD_HIGH, 0, 0, 0, 0)
    key = FLIP_KEY if s.turn == who and s.phase != PICKING else 0
    n = put(out, n, scene.CARD, PILE + who, key, scene.BACK, x, top, CARD_WIDE, CARD_HIGH, scene.STACK, 0, count, 0)
    n = words(out, n, scene.TAG, NUMBER, x + CARD_WIDE // 2, top + CARD_HIGH // 2, 130, scene.MIDDLE, count)
    return order(v, s, seat, who, x + CARD_WIDE + 400, top + CARD_HIGH - SMALL_HIGH, out, n)


@jit
def tags(s: Any, who: int, out: NDArray[np.int32], n: int) -> int:
    """Write what a seat is doing, or what it got, behind its name."""
    if s.turn == OVER:
        if s.payoff[who] == 0:
            return n
        won = s.payoff[who] > 0
        label, tone = (TAG_WON, scene.GOOD) if won else (TAG_LOST, scene.GREY)
        return words(out, n, scene.TAG, label, 110, 0, 82, scene.AFTER + scene.TONE * tone)
    if s.starter == who:
        n = words(out, n, scene.TAG, TAG_STARTS, 110, 0, 82, scene.AFTER + scene.TONE * scene.GREY)
    if s.turn == who and s.phase == PICKING:
        n = words(out, n, scene.TAG, TAG_CHOOSES, 110, 0, 82, scene.AFTER + scene.TONE * scene.GOLD)
    return n


@jit
def order(v: Variant, s: Any, seat: int, who: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the deck from its top, side by side, if anything of it is seen; backs at its top are one small pile."""
    begin, end = int(s.top[who]), int(s.end[who])
    unseen = begin
    while unseen < end and shown(v, s, seat, who, unseen) == NO_CARD:
        unseen += 1
    if unseen == end:
        return n
    n = words(out, n, scene.LABEL, ORDER, x, y - 110, 90, scene.TONE * scene.FAINT)
    if unseen > begin:
        n = put(out, n, scene.CARD, 0, 0, scene.BACK, x, y, SMALL_WIDE, SMALL_HIGH, scene.STACK, 0, unseen - begin, 0)
        n = words(out, n, scene.TAG, NUMBER, x + SMALL_WIDE // 2, y + SMALL_HIGH // 2, 90, scene.MIDDLE, unseen - begin)
        x += SMALL_WIDE + 140
    step = min(SMALL_WIDE + 40, (WIDE - MARGIN - 140 - SMALL_WIDE - x) // max(end - unseen - 1, 1))
    mixed = 0
    for i in range(unseen, end):
        n = deck_card(v, s, seat, who, i, x + step * (i - unseen), y, out, n)
    i = unseen
    while i < end:
        size = run(s, who, i)
        if size > 1:
            long = step * (size - 1) + (SMALL_WIDE if i + size == end else step - 30)
            n = put(
                out, n, scene.BAR, 0, 0, 0, x + step * (i - unseen), y + SMALL_HIGH + 40, long, 40,
                scene.TONE * scene.GOLD, 0, 0, 0,
            )  # fmt: skip
            mixed += 1
        i += size
    if mixed:
        n = put(out, n, scene.BAR, 0, 0, 0, WIDE - MARGIN - 3500, y - 160, 240, 40, scene.TONE * scene.GOLD, 0, 0, 0)
        n = words(out, n, scene.LABEL, NOT_KNOWN, 100, 0, 90, scene.AFTER + scene.TONE * scene.FAINT)
    return n


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
def deck_card(v: Variant, s: Any, seat: int, who: int, i: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write one card of a deck as far as it is known."""
    c = shown(v, s, seat, who, i)
    if c == NO_CARD:
        return put(out, n, scene.CARD, back(s, who, i), 0, scene.BACK, x, y, SMALL_WIDE, SMALL_HIGH, 0, 0, 0, 0)
    known = scene.KNOWN if block(s, who, i) == 1 else 0
    return put(out, n, scene.CARD, 1 + c, 0, face(v, c), x, y, SMALL_WIDE, SMALL_HIGH, known, 0, 0, 0)


@jit
def across(i: int) -> int:
    """Return the distance by which card number i of a row lies right of the first."""
    wars, rest = (i + WAR - 1) // WAR, (i + WAR - 1) % WAR
    return wars * (CARD_WIDE + APART + CLOSE * (WAR - 1)) - CLOSE * (WAR - 1 - rest)


@jit
def upturned_place(i: int) -> int:
    """Return the place in a full row at which the last card of a row is drawn, number i of a shorter one (§12)."""
    return (i + WAR - 1) // WAR * WAR


@jit
def row(v: Variant, s: Any, seat: int, who: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the cards that a seat has laid in this turn, those face down close together."""
    laid, longest = int(s.top[who] - s.first[who]), 1
    for k in range(SEATS):
        longest = max(longest, int(s.top[k] - s.first[k]))
    left = (WIDE - across(upturned_place(longest - 1)) - CARD_WIDE) // 2
    if laid == 0:
        return put(out, n, scene.SLOT, 0, 0, 0, left, y, CARD_WIDE, CARD_HIGH, 0, 0, 0, 0)
    moved = s.starter if s.turn == 1 - s.starter and s.phase != PICKING else 1 - s.starter
    for i in range(laid):
        number, last = int(s.first[who]) + i, i == laid - 1
        down, place = i % WAR != 0 and not last, upturned_place(i) if last else i
        x, c = left + across(place), shown(v, s, seat, who, number)
        flags = scene.LAST if last and who == moved else 0
        name, picture = back(s, who, number), scene.BACK
        if c != NO_CARD:
            name, picture = 1 + c, face(v, c)
            if down:
                flags = flags | scene.FADED | (scene.KNOWN if block(s, who, number) == 1 else 0)
        n = put(out, n, scene.CARD, name, 0, picture, x, y, CARD_WIDE, CARD_HIGH, flags, 0, 0, 0)
    return n


@jit
def status(v: Variant, s: Any, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write which turn it is and what happens, or how the game ended."""
    x = WIDE // 2
    if s.turn == OVER:
        winner = 0 if s.payoff[0] > 0 else 1
        label, first = SHORT if s.top[0] > s.first[0] else WINS, winner
        if s.truncated:
            label, first = STOPPED, int(s.turns)
        gold = scene.MIDDLE + scene.TONE * scene.GOLD
        return words(out, n, scene.TAG, label, x, y, 130, gold, first, 1 - winner, 0, WIDE - 2 * MARGIN)
    if s.phase == PICKING:
        return words(out, n, scene.LABEL, CHOOSES, x, y + 60, 120, scene.MIDDLE, int(s.turn), 0, 0, 8000)
    laid = int(s.top[s.starter] - s.first[s.starter])
    wars = (laid + WAR - 2) // WAR + (1 if laid > 0 and s.turn == s.starter else 0)
    label = IN_WAR if wars else TURN
    return words(out, n, scene.LABEL, label, x, y + 60, 120, scene.MIDDLE, int(s.turns) + 1, v.max_turns, wars)


@jit
def face(v: Variant, c: int) -> int:
    """Return the face of a card."""
    ranks = v.deck // SUITS
    return 1 + c // ranks * ALL_RANKS + ALL_RANKS - ranks + RANK[v.deck, c]


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
    row[input_spec.TARGET], row[input_spec.COUNT] = 0, 0
    kind = split(v, action)[0]
    if kind == FLIP:
        row[input_spec.HOW], row[input_spec.COUNT], row[input_spec.KEYS] = input_spec.SELECT, 1, FLIP_KEY
        new = next_cards(v, s, s.turn)
        row[input_spec.SAID] = SAY_FLIP if s.top[s.turn] == s.first[s.turn] else SAY_FLIP_WAR
        if row[input_spec.SAID] == SAY_FLIP_WAR and new < WAR:
            row[input_spec.SAID], row[input_spec.SAID_A] = SAY_FLIP_SHORT, new - 1
        return
    row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, _ORDERS[kind]
