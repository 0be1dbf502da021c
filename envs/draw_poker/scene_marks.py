"""Marks of a seat in the scene of a poker table, beside its cards: tags, chips and bets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker import scene_words as say
from kozyr.envs.draw_poker.rules import EXCHANGE, TOURNAMENT, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import put, tag, words

BIG = 4  # seats from which on the table is wide


@jit
def marks(v: Variant, s: Any, who: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the tags that say what a seat is doing, or what it got."""
    first, over = n, s.turn == OVER
    if s.button == who:
        n = tag(out, n, first, say.BUTTON, x, y, scene.WHITE, 0)
    if s.out[who] and not over:
        return tag(out, n, first, say.OUT, x, y, scene.GREY, 0)
    if over:
        return won(v, s, who, first, x, y, out, n)
    if s.folded[who]:
        return tag(out, n, first, say.FOLDED, x, y, scene.GREY, 0)
    if s.chips[who] == 0:
        n = tag(out, n, first, say.ALL_IN, x, y, scene.BAD, 0)
    if s.raiser == who and s.phase != EXCHANGE:
        n = tag(out, n, first, say.RAISED, x, y, scene.BLUE, 0)
    if s.turn == who:
        n = tag(out, n, first, say.TO_MOVE, x, y, scene.GOLD, 0)
    return n


@jit
def won(v: Variant, s: Any, who: int, first: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write what a seat won in the last hand, and its place in a tournament."""
    change = int(s.change[who])
    if s.began[who] > 0:
        if s.folded[who]:
            n = tag(out, n, first, say.FOLDED, x, y, scene.GREY, 0)
        if change > 0:
            n = tag(out, n, first, say.WON, x, y, scene.GOOD, change)
        else:
            n = tag(out, n, first, say.LOST if change else say.EVEN, x, y, scene.BAD if change else scene.GREY, -change)
    if v.episode == TOURNAMENT:
        n = tag(out, n, first, say.FINAL, x, y, scene.BLUE, int(s.place[who]))
    return n


@jit
def money(v: Variant, s: Any, who: int, x: int, y: int, width: int, out: NDArray[np.int32], n: int) -> int:
    """Write a seat's chips, its bets and how many cards it exchanged, in two lines below its cards."""
    chips = int(s.chips[who])
    high = min(5, 1 + 4 * chips // (v.stack + 1)) if chips else 0
    n = put(out, n, scene.CHIPS, 0, 0, 0, x + 100, y + 450, 200, 200, 0, 0, high, 0)
    n = words(out, n, scene.LABEL, say.CHIPS, x + 260, y + 510, 120, 0, chips)
    if s.began[who] == 0 or s.turn == OVER:
        return n
    second = s.phase > EXCHANGE
    label = say.BET_BOTH if second else say.BET_FIRST
    n = words(out, n, scene.LABEL, label, x + 780, y + 400, 90, 0, int(s.bet[0, who]), int(s.bet[1, who]))
    faint = scene.TONE * scene.FAINT
    n = words(out, n, scene.LABEL, say.PAID, x + 780, y + 560, 90, faint, int(s.paid[who]))
    count = int(s.exchanged[who])
    if count < 0:
        return n
    label = say.EXCHANGED if count else say.PAT
    return words(out, n, scene.LABEL, label, x + width, y + 300, 90, faint + scene.END, count)
