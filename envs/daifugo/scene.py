"""Scene of a Daifugo table, as a whole or as one seat knows it, and the input of its actions.

The rules have no suits: the copies of a rank that are seen get suits in the order in which they are written, which
begins with the watching seat's hand, so that a suit tells nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import scene_words as say
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import IN, PLAY
from kozyr.envs.daifugo.scene_words import LABELS
from kozyr.envs.daifugo.suited.scene import BACKS, hand_cards, pile_cards, suited_elements, was_played
from kozyr.envs.daifugo.variant import JOKER, RANKS, SUITS, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import CARD_HIGH, CARD_WIDE, put, sees, tag, words

__all__ = ["LABELS", "table_scene"]

MARGIN, GAP = 180, 140
HEAD, FOOT = 620, 120  # of a panel, above and below its cards
SMALL_WIDE, SMALL_HIGH = 450, 630  # others' cards
SPREAD = 430  # widest step from card to card of one's own
TOP = 5  # seats that the row at the top has room for
CENTRE = 1140  # height of the pile's place
PILE_ROOM = 3200  # width of the pile's place
DECK_FACES = JOKER + 1
STRIP = 1000  # height of the strip above the watching seat's hand
PITCH, DOT = 190, 80
SIDE = 3000  # width of the cards played
PILE = JOKER + 2  # the key of the place where sets are laid


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the table, the watching seat below, all others above it or at its sides."""
    wide = 9600 if v.players < SUITS else 12000
    others = v.players - 1
    sides = int(others > TOP)
    panel = HEAD + SMALL_HIGH + FOOT
    below = MARGIN + panel + GAP + max(CENTRE, sides * panel) + STRIP
    own = HEAD + CARD_HIGH + FOOT
    copies = stack_array(DECK_FACES, np.int32)
    for r in range(DECK_FACES):
        copies[r] = 0
    n = put(out, 0, scene.PICTURE, 0, 0, scene.FELT, 0, 0, wide, below + own + MARGIN, 0, 0, 0, 0)
    me = max(seat, 0)
    row = others - 2 * sides
    width = (wide - 2 * MARGIN - GAP * (row - 1)) // row
    for i in range(v.players):
        who = me + i if me + i < v.players else me + i - v.players
        x, y, across = MARGIN + (i - 1 - sides) * (width + GAP), MARGIN, width
        if i == 0:
            x, y, across = MARGIN, below, wide - 2 * MARGIN
        elif sides and (i == 1 or i == others):
            across = (wide - 2 * MARGIN - PILE_ROOM) // 2
            x, y = MARGIN if i == 1 else wide - MARGIN - across, MARGIN + panel + GAP
        n = person(v, s, seat, who, x, y, across, copies, out, n)
    y = MARGIN + panel + GAP
    if v.suits:
        n = pile_cards(v, s, seat, wide // 2, y + 140, out, n)
    else:
        n = pile(v, s, seat, wide // 2, y + 140, copies, out, n)
    middle(v, s, wide, MARGIN + 140, below - STRIP, out, n)


@jit
def person(
    v: Variant, s: Any, seat: int, who: int, x: int, y: int, width: int,
    copies: NDArray[np.int32], out: NDArray[np.int32], n: int,
) -> int:  # fmt: skip
    """Write one seat: its name and cards left in a line, its marks below, then its cards."""
    own = who == max(seat, 0)
    high = HEAD + FOOT + (CARD_HIGH if own else SMALL_HIGH)
    n = put(out, n, scene.PANEL, 0, 0, 0, x, y, width, high, scene.TURN if s.turn == who else 0, who, 0, 0)
    n = words(out, n, scene.LABEL, say.NAME, x + 140, y + 250, 120, scene.BOLD, who, 0, 0, width - 280 - 800)
    faint = scene.END + scene.TONE * scene.FAINT
    n = words(out, n, scene.LABEL, say.CARDS, x + width - 140, y + 240, 100, faint, int(s.count[who]))
    if s.before[who] != IN:
        n = words(out, n, scene.LABEL, say.BEFORE, x + width - 140, y + 490, 90, faint, int(s.before[who]))
    n = tags(s, who, x + 140, y + 440, out, n)
    return hand(v, s, seat, who, x, y + HEAD, width, copies, out, n)


@jit
def hand(
    v: Variant, s: Any, seat: int, who: int, x: int, y: int, width: int,
    copies: NDArray[np.int32], out: NDArray[np.int32], n: int,
) -> int:  # fmt: skip
    """Write a hand in one row, overlapped as far as it must be: backs, then what is seen, the weakest first."""
    own = who == max(seat, 0)
    wide = CARD_WIDE if own else SMALL_WIDE
    high = CARD_HIGH if own else SMALL_HIGH
    count = int(s.count[who])
    step = min(SPREAD * wide // CARD_WIDE, (width - 280 - wide) // max(count - 1, 1))
    at = x + (width - wide - step * (count - 1)) // 2
    if v.suits:
        return hand_cards(v, s, seat, who, at, y, step, wide, high, out, n)
    backs = hidden(s, seat, who)
    for i in range(backs):
        n = put(out, n, scene.CARD, back_name(who, i), 0, scene.BACK, at, y, wide, high, 0, 0, 0, 0)
        at += step
    for i in range(DECK_FACES):
        r = i if i == JOKER or not s.upside else v.ranks - 1 - i
        if r >= 0 and (r < v.ranks or r == JOKER):
            unknown = seen(s, seat, who, r) - int(s.known[who, r])
            for j in range(seen(s, seat, who, r)):
                flags = scene.KNOWN if j >= unknown else 0
                key = key_of(r) if s.turn == who else 0
                face = next_face(v, r, copies)
                n = put(out, n, scene.CARD, face_name(who, r, j), key, face, at, y, wide, high, flags, 0, 0, 0)
                at += step
    return n


@jit
def seen(s: Any, seat: int, who: int, r: int) -> int:
    """Return the number of cards of a rank that `seat` sees in the hand of `who`."""
    if sees(seat, who):
        return int(s.hand[who, r])
    return int(s.known[who, r])


@jit
def hidden(s: Any, seat: int, who: int) -> int:
    """Return the number of cards in the hand of `who` that the seat does not see."""
    count = int(s.count[who])
    for r in range(DECK_FACES):
        count -= seen(s, seat, who, r)
    return count


@jit
def face_name(who: int, r: int, j: int) -> int:
    """Return the ID of the card `j` of a rank that is seen in a hand."""
    return 1 + (who * DECK_FACES + r) * SUITS + j


@jit
def back_name(who: int, i: int) -> int:
    """Return the ID of a back; no hand has as many as 64."""
    return BACKS + who * 64 + i


@jit
def next_face(v: Variant, r: int, copies: NDArray[np.int32]) -> int:
    """Return the face of the next copy of a rank."""
    if r == JOKER:
        return scene.JOKER
    suit = copies[r] & (SUITS - 1)
    copies[r] += 1
    strength = r + RANKS - v.ranks  # 0 is a three, 12 a two
    return 1 + suit * RANKS + (0 if strength == RANKS - 1 else strength + 1)


@jit
def pile(
    v: Variant, s: Any, seat: int, x: int, y: int, copies: NDArray[np.int32], out: NDArray[np.int32], n: int
) -> int:
    """Write the set to be beaten around x, which is where sets are laid."""
    pitch, size = CARD_WIDE + 80, int(s.laid)
    room = max(1, size) * pitch - 80
    n = put(out, n, scene.SLOT, 0, PILE, 0, x - room // 2, y, room, CARD_HIGH, 0, 0, 0, 0)
    natural = 0 if s.rank == JOKER else size - s.jokered
    for i in range(size):
        r = int(s.rank) if i < natural else JOKER
        name = laid_name(s, seat, r, i if i < natural else 0)
        at = x - room // 2 + i * pitch
        n = put(out, n, scene.CARD, name, 0, next_face(v, r, copies), at, y, CARD_WIDE, CARD_HIGH, scene.LAST, 0, 0, 0)
    return n


@jit
def laid_name(s: Any, seat: int, r: int, i: int) -> int:
    """Return the ID of a card on the pile: what it had in the hand that it came from, as far as that was seen."""
    owner = int(s.owner)
    if sees(seat, owner):
        return face_name(owner, r, int(s.hand[owner, r]) + i)
    return back_name(owner, hidden(s, seat, owner) + (0 if r == JOKER else s.jokered) + i)


@jit
def tags(s: Any, who: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write which place a seat took, what it got, and what it is doing."""
    first, place = n, int(s.place[who])
    if place >= 0:
        n = tag(out, n, first, say.PLACE, x, y, scene.GOOD if place == 0 else scene.GREY, place)
    if s.turn == OVER:
        paid = s.payoff[who] * 1000
        return tag(out, n, first, say.PAID, x, y, scene.BLUE, int(paid + 0.5 if paid > 0 else paid - 0.5))
    if s.turn == who:
        n = tag(out, n, first, say.TO_MOVE if s.phase == PLAY else say.TO_GIVE, x, y, scene.GOLD, 0)
    if s.owner == who and s.laid > 0:
        n = tag(out, n, first, say.OWNER, x, y, scene.RED, 0)
    if s.passed[who] and place < 0:
        n = tag(out, n, first, say.PASSED, x, y, scene.GREY, 0)
    return n


@jit
def middle(v: Variant, s: Any, wide: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the strip above the watching seat's hand."""
    n = words(out, n, scene.LABEL, say.ROUND, x, y + 250, 120, scene.BOLD, int(s.rounds), v.rounds)
    if s.upside:
        n = words(out, n, scene.TAG, say.REVOLUTION, x, y + 480, 100, scene.TONE * scene.RED)
    n = status(v, s, wide // 2, y + 250, wide - 2 * (SIDE + 300), out, n)
    return played(v, s, wide - x, y + 160, out, n)


@jit
def status(v: Variant, s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
    """Write what happens, or who came out best."""
    turn = int(s.turn)
    if turn == OVER:
        return result(v, s, x, y, room, out, n)
    label, other = say.LEADS, 0
    if s.phase != PLAY:
        label, other = say.GIVES, int(s.gives)
    elif s.laid > 0:
        label, other = say.ANSWERS, int(s.owner)
    return words(out, n, scene.LABEL, label, x, y, 110, scene.MIDDLE, turn, other, 0, room)


@jit
def result(v: Variant, s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
    """Write who won, or who shares the win."""
    best, equal = 0, 0
    for k in range(1, v.players):
        if s.payoff[k] > s.payoff[best]:
            best = k
    for k in range(v.players):
        equal += k != best and s.payoff[k] == s.payoff[best]
    gold = scene.MIDDLE + scene.TONE * scene.GOLD
    return words(out, n, scene.TAG, say.WINS if equal == 0 else say.SHARE, x, y - 50, 130, gold, best, equal, 0, room)


@jit
def played(v: Variant, s: Any, right: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write every rank from weak to strong with a dot for each card, lit if it was played in this round."""
    left = right - PITCH * (v.ranks + v.joker)
    n = words(out, n, scene.LABEL, say.PLAYED, right, y, 90, scene.END + scene.TONE * scene.FAINT)
    for i in range(v.ranks + v.joker):
        x, r = left + PITCH * i + PITCH // 2, JOKER
        if i == v.ranks:
            n = put(out, n, scene.SIGN, 0, 0, scene.CAP, x, y + 220, 140, 140, 0, 0, 0, 0)
        else:
            r = v.ranks - 1 - i if s.upside else i
            n = words(out, n, scene.LABEL, say.RANK, x, y + 270, 100, scene.MIDDLE, r + RANKS - v.ranks)
        for j in range(1 if r == JOKER else SUITS):
            gone = was_played(s, r, j) if v.suits else j < s.played[r]
            tone = scene.GOLD if gone else scene.DARK
            n = put(out, n, scene.DOT, 0, 0, 0, x, y + 380 + 110 * j, DOT, DOT, scene.TONE * tone, 0, 0, 0)
    return n


@jit
def key_of(r: int) -> int:
    """Return the key of all cards of a rank, or of the joker."""
    return r + 1


@implements(dispatch.elements, Variant)
def set_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Name the cards of a set, or the button that passes."""
    for i in range(input_spec.KEYS):
        row[i] = 0
    if v.suits:
        suited_elements(s, action, row)
        return
    if action == PASS:
        row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, say.PASS
        return
    kind, r = KIND[v.ranks, action], int(RANK[v.ranks, action])
    natural, joker = int(NATURAL[kind]), int(WITH_JOKER[kind])
    row[input_spec.HOW], row[input_spec.COUNT] = input_spec.SELECT, natural + joker
    for i in range(natural):
        row[input_spec.KEYS + i] = key_of(r)
    if joker:
        row[input_spec.KEYS + natural] = key_of(JOKER)
    if s.phase == PLAY:
        row[input_spec.SAID], row[input_spec.TARGET] = input_spec.AS_TEXT, PILE
    else:
        row[input_spec.SAID], row[input_spec.SAID_A] = say.GIVE, RANKS if joker else r + RANKS - v.ranks
