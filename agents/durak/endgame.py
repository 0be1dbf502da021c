"""Solve Durak for two once nothing is hidden any more: a compiled search that knows no rules.

It asks whether seat 0 gets at least so much, which is alpha-beta with an empty window, first for a win and then for
a draw. Where transfers bring a position back, that counts as a draw.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.searcher import UNSOLVED
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import imagine, legal, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import mixed
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.actions import SHOW, TRANSFER, WITH_CARD, split
from kozyr.envs.durak.cards import RANK, SUIT
from kozyr.envs.durak.rules import DISCARD, TABLE, Variant
from kozyr.envs.durak.view import Parts

_DEEPEST = 400  # plies; a longer line ends the search
_SLOTS = 1 << 18  # positions remembered; a power of 2
_LEFT, _SEARCH, _LIVE, _GOAL, _NEXT, _DEPTH = range(6)  # places in `counts`
_UNKNOWN, _NO, _YES, _OPEN = range(4)  # answers; open is a position on the line that is looked at
_BASE = -1  # the usual action, which is looked at before those in `order`
_TRUMPS_LATER, _PASS_LAST = 100, 1000
PAUSED = -2  # instead of an action
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SLOT = np.uint64(_SLOTS - 1)


class Endgame(NamedTuple):
    """Working memory of the search; compiled code allocates nothing."""

    states: NDArray[Any]  # [plies] the line that is looked at
    keys: NDArray[np.uint64]  # [plies] of its positions
    moves: NDArray[np.int32]  # [plies, actions] legal there, in the order they are tried
    tried: NDArray[np.int32]  # [plies] how many of them have been
    known: NDArray[np.uint64]  # [slots] keys of positions with an answer
    answers: NDArray[np.int8]  # [slots]
    order: NDArray[np.int32]  # [actions] with cards in play, in the order they are tried
    mask: NDArray[np.int8]  # [actions]
    counts: NDArray[np.int64]  # nodes left, searches so far, actions in `order`, what seat 0 is to get, and what is
    # looked at: an action's place in `order` or _BASE, and the depth of the line, 0 where none is begun


def endgame(game: Game, v: Variant) -> Endgame:
    """Return the working memory of a search."""
    plies, actions = _DEEPEST, game.actions(v)
    return Endgame(
        np.zeros(plies, game.layout(v)),
        np.zeros(plies, np.uint64),
        np.zeros((plies, actions + 1), np.int32),
        np.zeros(plies, np.int32),
        np.zeros(_SLOTS, np.uint64),
        np.zeros(_SLOTS, np.int8),
        np.zeros(actions, np.int32),
        np.zeros(actions, np.int8),
        np.zeros(6, np.int64),
    )


@jit
def plain(v: Variant, view: NDArray[Any]) -> bool:
    """Return True if two seats are left and counting reveals every hidden card."""
    stock = view[Parts(v).stock]
    return v.players == 2 and (stock == 0 or (v.open_trump and stock == 1))


@jit
def begin(v: Variant, view: NDArray[Any], nodes: int, e: Endgame) -> None:
    """Set up the position of a view, to be solved within so many nodes."""
    s = e.states[0]
    imagine(v, view, 0, s)
    s.rounds = v.max_rounds + 1  # the view does not tell how near the cap is
    put_in_order(v, s, e)
    e.counts[_LEFT] = nodes
    aim_at(1, e)


@jit
def aim_at(goal: int, e: Endgame) -> None:
    """Begin to look for an action that brings seat 0 so much."""
    e.counts[_GOAL], e.counts[_NEXT], e.counts[_DEPTH] = goal, _BASE, 0
    e.counts[_SEARCH] += 1


@jit
def solve(v: Variant, mask: NDArray[np.int8], base: int, steps: int, e: Endgame) -> int:
    """Return `base`, an action worth more if there is one, or UNSOLVED if the nodes do not suffice to tell.

    After so many nodes it returns PAUSED; called again, it goes on.
    """
    counts, until = e.counts, e.counts[_LEFT] - steps
    while True:
        while counts[_NEXT] < counts[_LIVE]:
            a: Any = base if counts[_NEXT] == _BASE else e.order[counts[_NEXT]]
            if counts[_NEXT] == _BASE or (mask[a] and a != base):
                answer = attempt(v, a, until, e)
                if answer == _UNKNOWN:
                    return PAUSED
                if answer == _YES:
                    return a
            counts[_NEXT] += 1
        if counts[_LEFT] < 0:
            return UNSOLVED
        if counts[_GOAL] == 0:
            return base
        aim_at(0, e)


@jit
def put_in_order(v: Variant, s: Any, e: Endgame) -> None:
    """List the actions with cards in play: transfers, others from the lowest rank up, trumps, then the pass."""
    n = 0
    for a in range(len(e.order)):
        kind, c = split(v, a)
        if kind not in WITH_CARD or not s.cards[DISCARD] >> c & 1:
            e.order[n] = a
            i = n
            while i > 0 and cost(v, s, e.order[i - 1]) > cost(v, s, a):
                e.order[i] = e.order[i - 1]
                i -= 1
            e.order[i] = a
            n += 1
    e.counts[_LIVE] = n


def in_order(mask: NDArray[np.int8], e: Endgame) -> NDArray[np.int8]:
    """Return those of the legal actions that are tried, a 1 each."""
    actions = np.zeros_like(mask)
    order = e.order[: e.counts[_LIVE]]
    actions[order] = mask[order]
    return actions


@jit
def cost(v: Variant, s: Any, a: int) -> int:
    """Return a number by which actions are put in order."""
    kind, c = split(v, a)
    if kind == SHOW:
        return 0
    if kind not in WITH_CARD:
        return _PASS_LAST
    later = _TRUMPS_LATER if SUIT[v.deck, c] == s.trump else 0
    return later + int(RANK[v.deck, c]) - (_TRUMPS_LATER // 2 if kind == TRANSFER else 0)


@jit
def attempt(v: Variant, first: int, until: int, e: Endgame) -> int:
    """Return _YES if an action at the first position wins seat 0 the value searched for; _NO if not or out of nodes.

    Once no more than `until` nodes are left it returns _UNKNOWN; called again, it goes on.
    """
    depth: Any = e.counts[_DEPTH]
    answer: Any = _UNKNOWN
    if depth == 0:
        if e.counts[_LEFT] < 0:
            return _NO
        e.states[1] = e.states[0]
        play(v, e.states[1], first)
        depth, answer = 1, look(v, 1, e)
    while True:
        if answer == _UNKNOWN:
            if e.counts[_LEFT] <= until:
                e.counts[_DEPTH] = depth
                return _UNKNOWN
            a: Any = e.moves[depth, e.tried[depth]]
            if a == UNSOLVED:  # none is left, and none has brought the mover what it wants
                answer = _NO if e.states[depth].turn == 0 else _YES
            else:
                e.tried[depth] += 1
                e.states[depth + 1] = e.states[depth]
                play(v, e.states[depth + 1], a)
                depth += 1
                answer = look(v, depth, e)
                continue
            keep(depth, answer, e)
        if depth == 1 or e.counts[_LEFT] < 0:
            e.counts[_DEPTH] = 0
            return _YES if answer == _YES and e.counts[_LEFT] >= 0 else _NO
        depth -= 1
        if answer == (_YES if e.states[depth].turn == 0 else _NO):
            keep(depth, answer, e)
        else:
            answer = _UNKNOWN


@jit
def keep(depth: int, answer: int, e: Endgame) -> None:
    """Remember the answer at a position."""
    slot = np.int64(e.keys[depth] & _SLOT)
    e.known[slot], e.answers[slot] = e.keys[depth], answer


@jit
def look(v: Variant, depth: int, e: Endgame) -> int:
    """Return the answer at a position if it is known, else list its actions."""
    s = e.states[depth]
    if s.turn == OVER:
        return _YES if s.payoff[0] > e.counts[_GOAL] - 0.5 else _NO
    e.counts[_LEFT] = e.counts[_LEFT] - 1 if depth + 1 < len(e.states) else -1
    if e.counts[_LEFT] < 0:
        return _NO
    key = key_of(v, s) ^ (np.uint64(e.counts[_SEARCH]) * _GOLDEN)
    slot = np.int64(key & _SLOT)
    if e.known[slot] == key:
        answer = e.answers[slot]
        return answer if answer != _OPEN else _YES if e.counts[_GOAL] == 0 else _NO
    e.keys[depth], e.tried[depth] = key, 0
    if v.transfer:
        keep(depth, _OPEN, e)
    legal(v, s, e.mask)
    n, moves = 0, e.moves[depth]
    for i in range(e.counts[_LIVE]):
        moves[n] = e.order[i]
        n += e.mask[e.order[i]]
    moves[n] = UNSOLVED
    return _UNKNOWN


@jit
def key_of(v: Variant, s: Any) -> np.uint64:
    """Return a number that tells positions apart."""
    mine, theirs, table = s.cards[0], s.cards[1], s.cards[TABLE]
    rest = s.turn + 2 * (s.attacker + 2 * (s.taking + 2 * (s.limit + 8 * (s.laid + 8 * s.drawn))))
    if v.show_trump:
        rest = 2 * rest + s.trump_shown
    for i in range(s.beaten, s.laid):
        rest = rest * 64 + s.attack[i] + 1
    key = mixed(np.uint64(mine) * _GOLDEN + np.uint64(rest))
    return mixed(mixed(key + np.uint64(theirs)) + np.uint64(table))
