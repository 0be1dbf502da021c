"""The scene of a poker table: everything, or what one seat knows of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker import scene_choice as scene_choice
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import DECK, HAND, RANKS, SUITS, category
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.scene_marks import BIG, marks, money
from kozyr.envs.draw_poker.scene_middle import MIDDLE, middle
from kozyr.envs.draw_poker.scene_words import COMBINATION, LABELS, NAME
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import CARD_HIGH, CARD_WIDE, put, sees, words

__all__ = ["LABELS", "table_scene"]

MARGIN, GAP = 180, 140
HEAD, FOOT = 660, 670  # of a panel, above and below its cards
SMALL_WIDE, SMALL_HIGH = 450, 630  # others' cards
WIDEST, OWN_WIDE = 4000, 5200  # panels
GONE_WIDE, GONE_HIGH, GONE_STEP = 216, 302, 120  # discarded cards
PLACES = DECK + 1  # IDs of the places of others' cards begin here, those of what they discarded at GONE
GONE = PLACES + 64


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the table, the watching seat below and all others above it."""
    wide = 8400 if v.players < BIG else 12000
    panel = HEAD + SMALL_HIGH + FOOT
    below = MARGIN + panel + MIDDLE
    high = below + HEAD + CARD_HIGH + FOOT + MARGIN
    me, others = seat if seat >= 0 else 0, v.players - 1
    n = put(out, 0, scene.PICTURE, 0, 0, scene.FELT, 0, 0, wide, high, 0, 0, 0, 0)
    width = min(WIDEST, (wide - 2 * MARGIN - GAP * (others - 1)) // others)
    left = (wide - others * (width + GAP) + GAP) // 2
    for i in range(v.players):
        who = me + i if me + i < v.players else me + i - v.players
        x, y, across = left + (i - 1) * (width + GAP), MARGIN, width
        if i == 0:
            x, y, across = (wide - OWN_WIDE) // 2, below, OWN_WIDE
        n = person(v, s, seat, who, x, y, across, i == 0, out, n)
    middle(v, s, wide, MARGIN + panel, out, n)


@jit
def person(
    v: Variant, s: Any, seat: int, who: int, x: int, y: int, width: int, large: bool,
    out: NDArray[np.int32], n: int,
) -> int:  # fmt: skip
    """Write one seat: its name and marks, its cards, its chips and bets."""
    tall = CARD_HIGH if large else SMALL_HIGH
    away = s.folded[who] or s.out[who]
    flags = (scene.TURN if s.turn == who else 0) + (scene.FADED if away else 0)
    n = put(out, n, scene.PANEL, 0, 0, 0, x, y, width, HEAD + tall + FOOT, flags, who, 0, 0)
    tone = scene.BOLD + (scene.TONE * scene.FAINT if away else 0)
    n = words(out, n, scene.LABEL, NAME, x + 140, y + 250, 120, tone, who, 0, 0, width - 280)
    n = marks(v, s, who, x + 140, y + 450, out, n)
    if s.began[who] > 0:
        n = hand(v, s, seat, who, x + width // 2, y + HEAD, large, out, n)
    n = money(v, s, who, x + 140, y + HEAD + tall, width - 280, out, n)
    return discarded(s, seat, who, x + width - 140, y + HEAD + tall + 340, out, n)


@jit
def visible(v: Variant, s: Any, seat: int, who: int) -> bool:
    """Return True if `seat` sees the hand of `who`: its own, and at the showdown those that were not folded."""
    if sees(seat, who):
        return True
    left = 0
    for k in range(v.players):
        left += s.began[k] > 0 and not s.folded[k]
    return s.turn == OVER and left > 1 and s.began[who] > 0 and not s.folded[who]


@jit
def hand(v: Variant, s: Any, seat: int, who: int, x: int, y: int, large: bool, out: NDArray[np.int32], n: int) -> int:
    """Write a hand around x, face up or down, and what it is called."""
    wide, tall = CARD_WIDE if large else SMALL_WIDE, CARD_HIGH if large else SMALL_HIGH
    pitch, count = wide + (50 if large else 30), hand_size(v)
    left, open_hand = x - (pitch * count - pitch + wide) // 2, visible(v, s, seat, who)
    flags = scene.FADED if s.folded[who] else 0
    for i in range(count):
        name, face = PLACES + who * HAND + i, scene.BACK
        if open_hand:
            face = int(s.hand[who, i]) + 1
            if sees(seat, who):
                name = face
        key = i + 1 if s.turn == who else 0
        n = put(out, n, scene.CARD, name, key, face, left + i * pitch, y, wide, tall, flags, 0, 0, 0)
    if open_hand:
        label, best = COMBINATION + v.ranking, category(s.hand[who], v.ranking)
        tone = scene.MIDDLE + scene.TONE * scene.FAINT
        n = words(out, n, scene.LABEL, label, x, y + tall + 170, 100, tone, best)
    return n


@jit
def discarded(s: Any, seat: int, who: int, right: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the cards that a seat has discarded, face up to who knows them."""
    count = int(s.exchanged[who])
    left = right - GONE_WIDE - GONE_STEP * (count - 1)
    if sees(seat, who):
        for i in range(DECK):
            c = i % SUITS * RANKS + i // SUITS
            if threw(s, who, c):
                n = put(out, n, scene.CARD, c + 1, 0, c + 1, left, y, GONE_WIDE, GONE_HIGH, 0, 0, 0, 0)
                left += GONE_STEP
        return n
    for i in range(count):
        name = GONE + who * HAND + i
        n = put(out, n, scene.CARD, name, 0, scene.BACK, left + GONE_STEP * i, y, GONE_WIDE, GONE_HIGH, 0, 0, 0, 0)
    return n


@jit
def threw(s: Any, who: int, c: int) -> bool:
    """Return True if a seat has discarded a card; in which order it did, it has forgotten."""
    found = False
    for i in range(int(s.exchanged[who])):
        found |= s.discarded[who, i] == c
    return bool(found)
