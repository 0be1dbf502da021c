"""Middle of a Daifugo scene, between the hands: the round, events, and the cards played."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.scene_words import (
    ANSWERS,
    GIVES,
    LEADS,
    PLAYED,
    RANK,
    REVOLUTION,
    ROUND,
    SHARE,
    WINS,
)
from kozyr.envs.daifugo.suited.scene import was_played
from kozyr.envs.daifugo.variant import JOKER, RANKS, SUITS, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import put, words

STRIP = 1000  # height of what stands here
PITCH, DOT = 190, 80
SIDE = 3000  # width of the cards played


@jit
def middle(v: Variant, s: Any, wide: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the strip above the watching seat's hand."""
    n = words(out, n, scene.LABEL, ROUND, x, y + 250, 120, scene.BOLD, int(s.rounds), v.rounds)
    if s.upside:
        n = words(out, n, scene.TAG, REVOLUTION, x, y + 480, 100, scene.TONE * scene.RED)
    n = status(v, s, wide // 2, y + 250, wide - 2 * (SIDE + 300), out, n)
    return played(v, s, wide - x, y + 160, out, n)


@jit
def status(v: Variant, s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
    """Write what happens, or who came out best."""
    turn = int(s.turn)
    if turn == OVER:
        return result(v, s, x, y, room, out, n)
    label, other = LEADS, 0
    if s.phase != PLAY:
        label, other = GIVES, int(s.gives)
    elif s.laid > 0:
        label, other = ANSWERS, int(s.owner)
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
    return words(out, n, scene.TAG, WINS if equal == 0 else SHARE, x, y - 50, 130, gold, best, equal, 0, room)


@jit
def played(v: Variant, s: Any, right: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write every rank from weak to strong with a dot for each card, lit if it was played in this round."""
    left = right - PITCH * (v.ranks + v.joker)
    n = words(out, n, scene.LABEL, PLAYED, right, y, 90, scene.END + scene.TONE * scene.FAINT)
    for i in range(v.ranks + v.joker):
        x, r = left + PITCH * i + PITCH // 2, JOKER
        if i == v.ranks:
            n = put(out, n, scene.SIGN, 0, 0, scene.CAP, x, y + 220, 140, 140, 0, 0, 0, 0)
        else:
            r = v.ranks - 1 - i if s.upside else i
            n = words(out, n, scene.LABEL, RANK, x, y + 270, 100, scene.MIDDLE, r + RANKS - v.ranks)
        for j in range(1 if r == JOKER else SUITS):
            gone = was_played(s, r, j) if v.suits else j < s.played[r]
            tone = scene.GOLD if gone else scene.DARK
            n = put(out, n, scene.DOT, 0, 0, 0, x, y + 380 + 110 * j, DOT, DOT, scene.TONE * tone, 0, 0, 0)
    return n
