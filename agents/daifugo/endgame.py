"""The end of a round of Daifugo between the last two seats, solved exactly.

The search is a loop with a stack of its own: Numba's disk cache breaks functions that call themselves.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import legal, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import mixed
from kozyr.envs.daifugo.actions import KIND, NATURAL, WITH_JOKER
from kozyr.envs.daifugo.round import IN, PLAY
from kozyr.envs.daifugo.variant import JOKER, Variant

LOSS, UNKNOWN, WIN, OPEN = -1, 0, 1, 2  # for the seat to move; OPEN: its actions have to be looked at
_LEFT, _DEPTH = range(2)  # places in `counts`
_PLIES = 120  # a set leaves a hand at least every other ply
_ENTRIES = 1 << 13  # of the table of solved positions
_MASK = np.uint64(_ENTRIES - 1)
_FEW, _MANY = np.uint64(8), np.uint64(16)  # above any count of a rank; above any rank


class Endgame(NamedTuple):
    """Working memory of the solver: its line of play, a column for each ply from the root on, and its table."""

    line: NDArray[Any]  # states
    masks: NDArray[np.int8]  # [plies, actions]
    action: NDArray[np.int64]  # looked at now, the highest first
    worst: NDArray[np.int64]  # LOSS, or UNKNOWN if that of an action so far was
    marks: NDArray[np.uint64]  # keys of the states
    keys: NDArray[np.uint64]  # [entries] solved positions
    results: NDArray[np.int8]
    counts: NDArray[np.int64]  # positions left, and the depth of the line where the solver pauses


def endgame(game: Game, v: Variant) -> Endgame:
    """Return the working memory of a variant's solver."""
    return Endgame(
        np.zeros(_PLIES, game.layout(v)),
        np.zeros((_PLIES, game.actions(v)), np.int8),
        np.zeros(_PLIES, np.int64),
        np.zeros(_PLIES, np.int64),
        np.zeros(_PLIES, np.uint64),
        np.zeros(_ENTRIES, np.uint64),
        np.zeros(_ENTRIES, np.int8),
        np.zeros(2, np.int64),
    )


@jit
def duel(v: Variant, s: Any) -> bool:
    """Return True if two seats play cards and no other keeps any, so that nothing is hidden."""
    seats = 0
    if v.foul_finish:  # who goes out first need not win
        return False
    for k in range(v.players):
        if s.place[k] == IN:
            seats += 1
        elif s.count[k] > 0:
            return False
    return seats == 2 and s.phase == PLAY


@jit
def forget(e: Endgame) -> None:
    """Clear the table, so that an answer does not depend on earlier searches."""
    e.keys[:] = 0


@jit
def begin(v: Variant, s: Any, nodes: int, e: Endgame) -> int:
    """Enter the position to solve within so many positions; return its result if it is known at once, or OPEN."""
    e.line[0] = s
    e.counts[_LEFT], e.counts[_DEPTH] = nodes, 0
    return enter(v, 0, e)


@jit
def outlook(v: Variant, steps: int, e: Endgame) -> int:
    """Return WIN if the seat to move can go out first, LOSS if not, UNKNOWN if the positions left do not tell.

    An action that wins is left in `action[0]`. After so many positions it returns OPEN; called again, it goes on.
    """
    until = e.counts[_LEFT] - steps
    d: Any = e.counts[_DEPTH]
    result: Any = OPEN
    while True:
        if result != OPEN:
            if d == 0:
                return result
            d -= 1
            result = weigh(d, result, e)
            if result != OPEN:
                continue
        if e.counts[_LEFT] <= until:
            e.counts[_DEPTH] = d
            return OPEN
        a = next_action(d, e)
        if a < 0:
            result = e.worst[d]
            if result == LOSS:
                note(d, LOSS, e)
            continue
        e.line[d + 1] = e.line[d]
        play(v, e.line[d + 1], a)
        d += 1
        e.counts[_LEFT] -= 1
        result = enter(v, d, e) if e.counts[_LEFT] >= 0 else UNKNOWN


@jit
def enter(v: Variant, d: int, e: Endgame) -> int:
    """Return the result of the position at depth `d` if it is known at once; else prepare it and return OPEN."""
    s, mask = e.line[d], e.masks[d]
    e.marks[d] = signature(v, s)
    place = e.marks[d] & _MASK
    if e.keys[place] == e.marks[d]:
        return int(e.results[place])
    legal(v, s, mask)
    for a in range(1, len(mask)):
        kind = KIND[v.ranks, a]
        if mask[a] and NATURAL[kind] + WITH_JOKER[kind] == s.count[s.turn]:
            e.action[d] = a
            return WIN
    e.action[d], e.worst[d] = len(mask), LOSS
    return OPEN


@jit
def weigh(d: int, result: int, e: Endgame) -> int:
    """Take in the result of the position after an action; return WIN if that decides the one before, else OPEN."""
    if result == UNKNOWN:
        e.worst[d] = UNKNOWN
    elif (result == WIN) == (e.line[d + 1].turn == e.line[d].turn):
        note(d, WIN, e)
        return WIN
    return OPEN


@jit
def next_action(d: int, e: Endgame) -> int:
    """Go on to the next legal action, from the highest number down, and return it; negative if none is left."""
    a = e.action[d] - 1
    while a >= 0 and not e.masks[d, a]:
        a -= 1
    e.action[d] = a
    return a


@jit
def note(d: int, result: int, e: Endgame) -> None:
    """Keep a result in the table."""
    place = e.marks[d] & _MASK
    e.keys[place], e.results[place] = e.marks[d], result


@jit
def signature(v: Variant, s: Any) -> Any:
    """Return 64 bits that tell positions between two seats apart."""
    h = np.uint64(2 * s.turn + s.upside)
    h = (h * _FEW + np.uint64(s.laid)) * _MANY + np.uint64(s.rank + 1)
    h = h * _MANY + np.uint64(s.owner + 1)
    for k in range(v.players):
        if s.place[k] == IN:
            h = mixed(h * _FEW + np.uint64(s.passed[k]))
            hand = np.uint64(0)
            for r in range(JOKER + 1):
                hand = hand * _FEW + np.uint64(s.hand[k, r])
            h = mixed(h ^ hand)
    return h
