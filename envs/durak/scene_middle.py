"""Middle of the scene of a Durak table: stock and trump, the cards of the round, discard pile and words."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit
from kozyr.envs.core.state import OVER
from kozyr.envs.durak import words as say
from kozyr.envs.durak.cards import RANK, SUIT, SUITS
from kozyr.envs.durak.rules import DISCARD, NO_CARD, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import CARD_HIGH, CARD_WIDE, put, words

EDGE = 320  # from the picture's side to the stock and the discard pile
PITCH, RIGHT, DOWN = 900, 160, 200  # from one attack card to the next, and where the card that beats it lies
OUT = 480  # what the trump card shows beside the stock
STOCK_ID, DISCARD_ID = 90, 91
SLOT = 65  # key of the place for the next attack card
ALL_RANKS = 13


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
    n = words(out, n, scene.LABEL, say.STOCK, x, y + CARD_HIGH + 250, 100, 0, left)
    under = y + CARD_HIGH + 440
    n = put(out, n, scene.SIGN, 0, 0, s.trump, x + 120, under, 0, 170, scene.PLATE, 0, 0, 0)
    return words(out, n, scene.LABEL, say.TRUMP, 80, 0, 100, scene.AFTER)


@jit
def discard(v: Variant, s: Any, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the discard pile, how many cards it holds, and what the tabs on cards mean, if there are any."""
    count = count_bits(s.cards[DISCARD])
    n = put(out, n, scene.SLOT, 0, 0, 0, x, y, CARD_WIDE, CARD_HIGH, 0, 0, 0, 0)
    if count > 0:
        n = put(out, n, scene.CARD, DISCARD_ID, 0, scene.BACK, x, y, CARD_WIDE, CARD_HIGH, scene.STACK, 0, count, 0)
    end, base = x + CARD_WIDE, y + CARD_HIGH + 250
    n = words(out, n, scene.LABEL, say.DISCARDED, end, base, 100, scene.END, count)
    if s.known:
        n = put(out, n, scene.BAR, 0, 0, 0, end - 1030, base + 160, 130, 60, scene.TONE * scene.GOLD, 0, 0, 0)
        n = words(out, n, scene.LABEL, say.KNOWN_TO_ALL, 80, 0, 100, scene.AFTER)
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
        label, who = say.DRAW, 0
        for k in range(v.players):
            if s.payoff[k] < 0:
                label, who = say.FOOL, k
        if s.truncated:
            label, who = say.STOPPED, int(s.rounds)
        return words(out, n, scene.TAG, label, x, y, 130, scene.MIDDLE + scene.TONE * scene.GOLD, who, 0, 0, 4600)
    room = 4600
    first, second, label = int(s.attacker), int(s.defender), say.ATTACKS
    if s.taking:
        first, label = int(s.defender), say.TAKES
    elif s.laid == 0:
        label = say.OPENS
    elif s.laid == s.beaten:
        label = say.BEATEN
    n = words(out, n, scene.LABEL, label, x, y, 120, scene.MIDDLE, first, second, 0, room)
    faint = scene.MIDDLE + scene.TONE * scene.FAINT
    return words(out, n, scene.LABEL, say.ROUND, x, y + 210, 90, faint, int(s.rounds))
