"""Middle of the scene of a poker table, between the seats: the phase of the hand, the pot, and events."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker import scene_words as say
from kozyr.envs.draw_poker.rules import EXCHANGE, NOBODY, TOURNAMENT, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import put, words

MIDDLE = 1500  # height of what stands here
PHASES, PITCH = 3, 1250


@jit
def middle(v: Variant, s: Any, wide: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the phases, the pot and whose move it is, or how the episode ended."""
    x, room = wide // 2, wide - 600
    if s.turn == OVER:
        return result(v, s, x, y + MIDDLE // 2, room, out, n)
    for phase in range(PHASES):
        tone = scene.GOLD if s.phase == phase else scene.DARK
        at = x + (phase - 1) * PITCH
        n = words(out, n, scene.TAG, say.FIRST_BETS + phase, at, y + 270, 90, scene.MIDDLE + scene.TONE * tone)
    if v.episode == TOURNAMENT:
        n = words(out, n, scene.LABEL, say.HAND, 320, y + 310, 110, 0, int(s.hands))
    n = pot(v, s, x, y + 740, out, n)
    return status(s, x, y + 1230, room, out, n)


@jit
def pot(v: Variant, s: Any, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the pot, and what the seat to move has to add to stay in, around x."""
    paid = 0
    for k in range(v.players):
        paid += s.paid[k]
    for i in range(PHASES):
        n = put(out, n, scene.CHIPS, 0, 0, i, x - 1150 + 240 * i, y, 220, 220, 0, 0, 1 + (paid + i) % 4, 0)
    owed = 0 if s.phase == EXCHANGE else s.highest - s.bet[s.phase >> 1, s.turn]
    label = say.TO_CALL if owed > 0 else say.POT
    return words(out, n, scene.LABEL, label, x - 430, y + 70, 140, scene.BOLD, paid, owed)


@jit
def status(s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
    """Write who raised and whose move it is."""
    turn, raiser = int(s.turn), int(s.raiser)
    if s.phase == EXCHANGE:
        return words(out, n, scene.LABEL, say.EXCHANGES, x, y, 110, scene.MIDDLE, turn, 0, 0, room)
    if raiser == NOBODY:
        return words(out, n, scene.LABEL, say.BETS, x, y, 110, scene.MIDDLE, turn, 0, 0, room)
    return words(out, n, scene.LABEL, say.AFTER_RAISE, x, y, 110, scene.MIDDLE, raiser, int(s.highest), turn, room)


@jit
def result(v: Variant, s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
    """Write how the episode ended."""
    best, winners = 0, 0
    for k in range(v.players):
        winners += s.change[k] > 0
        if s.payoff[k] > s.payoff[best]:
            best = k
    label, number = say.TAKES, int(s.change[best])
    if v.episode == TOURNAMENT:
        label, number = say.STOPPED if s.truncated else say.CHAMPION, int(s.hands)
    elif winners == 0:
        label = say.BACK
    elif winners > 1:
        label, number = say.SHARED, winners - 1
    return words(out, n, scene.TAG, label, x, y, 130, scene.MIDDLE + scene.TONE * scene.GOLD, best, number, 0, room)
