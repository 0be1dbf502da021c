"""Episodes in which some seats are played inside: compiled loops that stop where an outside player must act.

`occupants` [N, seats] tells who plays each seat: a level ≥ 0 is a scripted player inside the loop, LEARNER and
everything below it play from outside (`OUTSIDE − j` is the j-th outside opponent). This file knows no rules.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit, merged
from kozyr.envs.core.dispatch import has_result, legal, observe, play, start
from kozyr.envs.core.rng import below, bits, unit
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import (
    RANDOM,
    RUNNING,
    TERMINATED,
    TRUNCATED,
    allowed,
    choose,
    random_action,
    show,
)

LEARNER = -1
OUTSIDE = -2
NOBODY = 0  # a table that waits for nobody: its episode is over and none follows
ANY = -1  # in place of the only level at the tables: there are several


class Episodes(NamedTuple):
    """The arrays of N tables; every loop below changes only the rows it is given."""

    states: NDArray[Any]  # [N]
    deals: NDArray[Any]  # [N] generators of the deals' seeds; `seed`: where the one in `rngs` was after `reseat`
    rngs: NDArray[Any]  # [N] generators of scripted players and of who sits where
    occupants: NDArray[np.int32]  # [N, seats]
    seat: NDArray[np.int32]  # [N] the learner's seat
    acted: NDArray[np.int8]  # [N] 1 once the learner has acted in this episode
    waiting: NDArray[np.int32]  # [N] whose action a table waits for: LEARNER, an outside opponent or NOBODY
    views: NDArray[Any]  # [N, view] what the waiting seat sees
    masks: NDArray[np.int8]  # [N, actions]
    rewards: NDArray[np.float32]  # [N] the learner's, of the last step
    ends: NDArray[np.int8]  # [N] RUNNING, TERMINATED or TRUNCATED: how the last step left the episode
    finals: NDArray[Any]  # [N, view] the learner's last view of an episode that has ended


class Finals(NamedTuple):
    """Final observations of the episodes that the last step has ended, beside those in `Episodes`."""

    others: NDArray[Any]  # [N, others, view] what the other seats knew, clockwise; no others where nobody asks
    results: NDArray[np.int8]  # [N] 1 where the learner's payoff was certain before a cap ended the game


class OpponentMix(NamedTuple):
    """Opponent mix of new episodes: the learner's seat (−1: drawn), the odds of the opponents and random plies."""

    seat: int
    again: bool  # begin another episode where one has ended
    candidates: NDArray[np.int32]  # [K] who may sit in the other seats
    odds: NDArray[np.float64]  # [seats − 1, K] cumulative chances, clockwise from the learner
    opening: int  # random plies, whoever sits where
    only: int = ANY  # the only level beside RANDOM among the candidates: where it is a constant, no other is compiled


@inlined
def with_rows(c: Episodes, states: NDArray[Any], views: NDArray[Any], masks: NDArray[np.int8]) -> Episodes:
    """Return the same tables with their states, views and masks elsewhere."""
    return Episodes(
        states,
        c.deals,
        c.rngs,
        c.occupants,
        c.seat,
        c.acted,
        c.waiting,
        views,
        masks,
        c.rewards,
        c.ends,
        c.finals,
    )


def only_level(levels: Collection[int]) -> int:
    """Return the only level beside RANDOM, RANDOM if there is none, or ANY if there are several."""
    others = {*levels} - {RANDOM}
    return ANY if len(others) > 1 else max(others, default=RANDOM)


@inlined
def with_only_level(mix: OpponentMix, only: int) -> OpponentMix:
    """Return the mix with the only level among its candidates."""
    return OpponentMix(mix.seat, mix.again, mix.candidates, mix.odds, mix.opening, only)


@inlined
def one_of(level: int, only: int) -> int:
    """Return the level of a scripted player, told by what may be known of all of them."""
    if only == ANY:
        return level
    return only if level != RANDOM else RANDOM


@jit
def scripted(
    v: Any, s: Any, occupants: NDArray[np.int32], only: int, g: Any, view: NDArray[Any], mask: NDArray[np.int8]
) -> int:
    """Let scripted seats play until someone else is to move or the game is over; return how often they did.

    The mover's view and mask are left in `view` and `mask` unless the game is over.
    """
    moves = 0
    while s.turn != OVER:
        show(v, s, view, mask)
        level: Any = occupants[s.turn]
        if level < 0:
            break
        play(v, s, choose(v, one_of(level, only), view, mask, g))
        moves += 1
    return moves


@jit
def reseat(c: Episodes, mix: OpponentMix, i: int) -> None:
    """Draw who plays the next episode at table `i`."""
    seats = c.occupants.shape[1]
    me = mix.seat if mix.seat >= 0 else below(c.rngs[i], seats)
    c.seat[i], c.acted[i] = me, 0
    c.occupants[i, me] = LEARNER
    for j in range(1, seats):
        chance, k = unit(c.rngs[i]), 0
        while k + 1 < len(mix.candidates) and chance >= mix.odds[j - 1, k]:
            k += 1
        c.occupants[i, (me + j) % seats] = mix.candidates[k]


@jit
def open_game(v: Any, c: Episodes, mix: OpponentMix, i: int, seed: int, starter: int) -> None:
    """Seat and deal a new episode at table `i`; a negative seed is drawn. See `replay` for what is noted."""
    reseat(c, mix, i)
    c.deals[i].seed = c.rngs[i].rng
    random_seed = np.int64(bits(c.deals[i]) >> np.uint64(1))
    start(v, c.states[i], random_seed if seed < 0 else seed, starter)
    at_random(v, c.states[i], mix.opening, c.masks[i], c.rngs[i])


@jit
def at_random(v: Any, s: Any, plies: int, mask: NDArray[np.int8], g: Any) -> int:
    """Play so many random plies, fewer if the game ends before; return how many."""
    moves = 0
    while moves < plies and s.turn != OVER:
        legal(v, s, mask)
        play(v, s, random_action(mask, g))
        moves += 1
    return moves


@jit
def go_on(v: Any, c: Episodes, mix: OpponentMix, i: int) -> None:
    """Bring table `i` to the next decision from outside; note the end of the episode and begin another.

    An episode in which the learner never acts leaves no trace.
    """
    s = c.states[i]
    while True:
        scripted(v, s, c.occupants[i], mix.only, c.rngs[i], c.views[i], c.masks[i])
        if s.turn != OVER:
            c.waiting[i] = c.occupants[i, s.turn]
            return
        if c.acted[i]:
            c.rewards[i] = s.payoff[c.seat[i]]
            c.ends[i] = TRUNCATED if s.truncated else TERMINATED
            observe(v, s, c.seat[i], c.finals[i])
            if not mix.again:
                c.waiting[i] = NOBODY
                return
        open_game(v, c, mix, i, -1, -1)


@inlined
def open_row(v: Any, c: Episodes, mix: OpponentMix, i: int, seed: int, starter: int) -> None:
    """Begin a new episode at table `i`, whatever was played there; −1 draws a seed or a starter."""
    c.rewards[i], c.ends[i] = 0.0, RUNNING
    open_game(v, c, mix, i, seed, starter)
    go_on(v, c, mix, i)


@inlined
def learn_row(v: Any, c: Episodes, mix: OpponentMix, i: int, action: int) -> None:
    """Play the learner's action at table `i` and go on to the next decision from outside."""
    c.rewards[i], c.ends[i], c.acted[i] = 0.0, RUNNING, 1
    play(v, c.states[i], action)
    go_on(v, c, mix, i)


@jit
def open_all(
    v: Any,
    c: Episodes,
    mix: OpponentMix,
    rows: NDArray[np.int64],
    seeds: NDArray[np.int64],
    starters: NDArray[np.int64],
) -> None:
    """Begin a new episode at each of `rows`, whatever was played there; −1 draws a seed or a starter."""
    for j in range(len(rows)):
        open_row(v, c, mix, rows[j], seeds[j], starters[j])


@jit
def learn_step(v: Any, c: Episodes, mix: OpponentMix, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    """Play the learner's action at each of `rows`, go on to the next decision from outside; count tables that ended."""
    over = 0
    for j in range(len(rows)):
        learn_row(v, c, mix, rows[j], actions[j])
        over += c.waiting[rows[j]] == NOBODY
    return over


@merged
def learn_legal(v: Any, c: Episodes, mix: OpponentMix, actions: NDArray[np.int64]) -> int:
    """Do what `learn_step` does at all tables if all actions are legal; else do nothing and return −1 − that table."""
    for i in range(len(actions)):
        if not allowed(c.masks[i], actions[i]):
            return -1 - i
    over = 0
    for i in range(len(actions)):
        learn_row(v, c, mix, i, actions[i])
        over += c.waiting[i] == NOBODY
    return over


@jit
def answer(v: Any, c: Episodes, mix: OpponentMix, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    """Play an outside opponent's action at each of `rows`, and do as `learn_step` does."""
    over = 0
    for j in range(len(rows)):
        play(v, c.states[rows[j]], actions[j])
        go_on(v, c, mix, rows[j])
        over += c.waiting[rows[j]] == NOBODY
    return over


@jit
def take_up(v: Any, c: Episodes, mix: OpponentMix, rows: NDArray[np.int64]) -> int:
    """Do as `learn_step` does at each of `rows`, where the game has been ended from outside."""
    over = 0
    for j in range(len(rows)):
        go_on(v, c, mix, rows[j])
        over += c.waiting[rows[j]] == NOBODY
    return over


@jit
def look_back(v: Any, c: Episodes, into: Finals, rows: NDArray[np.int64]) -> None:
    """Keep what is known of the episodes that have ended at `rows`, where no other has begun yet."""
    others = into.others.shape[1]
    for i in rows:
        s: Any = c.states[i]
        into.results[i] = s.truncated != 0 and has_result(v, s, c.seat[i])
        for j in range(others):
            observe(v, s, (c.seat[i] + 1 + j) % (others + 1), into.others[i, j])


@jit
def arrange(
    v: Any,
    states: NDArray[Any],
    seeds: NDArray[np.int64],
    starters: NDArray[np.int64],
    opening: int,
    occupants: NDArray[np.int32],
    rngs: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[np.int8],
    moves: NDArray[np.int64],
) -> None:
    """Deal one game a table and let scripted seats play up to the first decision from outside; count moves.

    The first `opening` plies are random, whoever sits where.
    """
    for i in range(len(states)):
        s = states[i]
        start(v, s, seeds[i], starters[i])
        moves[i] = at_random(v, s, opening, masks[i], rngs[i])
        moves[i] += scripted(v, s, occupants[i], ANY, rngs[i], views[i], masks[i])


@jit
def reply(
    v: Any,
    states: NDArray[Any],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    occupants: NDArray[np.int32],
    rngs: NDArray[Any],
    views: NDArray[Any],
    masks: NDArray[np.int8],
    moves: NDArray[np.int64],
) -> None:
    """Play an outside action at each of `rows`, then let scripted seats play; tables are not dealt anew."""
    for j in range(len(rows)):
        i = rows[j]
        play(v, states[i], actions[j])
        moves[i] += 1 + scripted(v, states[i], occupants[i], ANY, rngs[i], views[i], masks[i])
