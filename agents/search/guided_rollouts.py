"""Guided rollouts: the guide plays the first seat's later moves in all worlds and actions at once, in batches.

A guide that is much stronger than the scripted player gives better values.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.interruptible import Pace
from kozyr.agents.search.determinization import Question, Scratch, evaluate, is_cutoff, ply, sample_world
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import GENERATOR, mixed, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import show

_WORLDS, _LINES = 1, 64  # of the first compiled call


class Rolls(NamedTuple):
    """Lines of play under way: one for each world and action, in this order."""

    roots: NDArray[Any]  # [worlds] as they were sampled
    states: NDArray[Any]  # [lines]
    world: NDArray[np.int64]  # [lines]
    rival: NDArray[np.int64]  # [lines] level of the other seats
    rngs: NDArray[Any]  # [lines] generators
    plies_left: NDArray[np.int64]  # [lines] plies left, counted down; without end from 0
    won: NDArray[np.float64]  # [lines] value for the first seat, once the line is over
    over: NDArray[np.int8]  # [lines] 1 if the line is over
    pending: NDArray[np.int64]  # [lines] the lines in which the first seat is to move
    views: NDArray[Any]  # [lines, view] its view there
    masks: NDArray[np.int8]  # [lines, actions] its mask there
    done: NDArray[np.int64]  # [1] number of those lines


def rolls(game: Game, v: Any, worlds: int, actions: int) -> Rolls:
    """Return room for so many worlds and actions."""
    n = worlds * actions
    return Rolls(
        roots=np.zeros(worlds, game.layout(v)),
        states=np.zeros(n, game.layout(v)),
        world=np.zeros(n, np.int64),
        rival=np.zeros(n, np.int64),
        rngs=np.zeros(n, GENERATOR),
        plies_left=np.zeros(n, np.int64),
        won=np.zeros(n),
        over=np.zeros(n, np.int8),
        pending=np.zeros(n, np.int64),
        views=np.zeros((n, game.size(v)), game.view_dtype),
        masks=np.zeros((n, game.actions(v)), np.int8),
        done=np.zeros(1, np.int64),
    )


def compare_guided(
    v: Any,
    q: Question,
    first: int,
    last: int,
    guide: Any,
    board: Scratch,
    lines: Rolls,
    pace: Callable[[int], Pace] = Pace,
) -> None:
    """Compare actions as `determinization.compare` does, but with the guide in the first seat of the worlds.

    Args:
        v, q, first, last, board: as there; guide: the agent; lines: room for them.
        pace: returns a new `Pace`, which limits the steps of each compiled call.
    """
    n, world, steps = 0, first, pace(_WORLDS).calls()
    while world < last:
        some = min(world + next(steps), last)
        n = begin(v, q, first, world, some, n, board, lines)
        world = some
    while pending := _waiting(v, n, board, lines, pace(_LINES).calls()):
        answer(v, lines, guide.act_batch(lines.views[:pending], lines.masks[:pending]))
    won, actions = lines.won[:n].reshape(last - first, -1), np.flatnonzero(q.alive)
    due = won[:, actions == q.base]
    more = won - due
    q.due[0] += due.sum()
    q.sums[actions] += more.sum(0)
    q.squares[actions] += np.square(more).sum(0)


def _waiting(v: Any, n: int, board: Scratch, lines: Rolls, steps: Iterator[int]) -> int:
    """Let the others play on in the first `n` lines; note and count those in which the first is to move."""
    lines.done[:], at = 0, 0
    while at < n:
        some = min(at + next(steps), n)
        go_on(v, at, some, board, lines)
        at = some
    return int(lines.done[0])


@jit
def begin(v: Any, q: Question, first: int, world: int, last: int, n: int, board: Scratch, lines: Rolls) -> int:
    """Sample the worlds `world` to `last` − 1, play every action that is alive in each, and return the number of lines.

    Chance is the same for all actions of a world. `n` lines were there before; `first` is the first world of all.
    """
    for w in range(world, last):
        rngs = spread(q.seed, w)
        rival = sample_world(v, q.root_view, rngs, w, q.level, board)
        lines.roots[w - first] = board.states[0]
        for a in range(len(q.alive)):
            if q.alive[a]:
                lines.states[n] = board.states[0]
                lines.rngs[n].rng = mixed(np.uint64(rngs))
                play(v, lines.states[n], a)
                lines.world[n], lines.rival[n], lines.plies_left[n], lines.over[n] = w - first, rival, q.depth, 0
                n += 1
    return n


@jit
def go_on(v: Any, first: int, last: int, board: Scratch, lines: Rolls) -> None:
    """Let the others play on in the lines `first` to `last` − 1, and note those in which the first is to move."""
    pending: Any = lines.done[0]
    for i in range(first, last):
        if lines.over[i]:
            continue
        s, root, out = lines.states[i], lines.roots[lines.world[i]], False
        while True:
            out = s.turn == OVER or is_cutoff(v, s, root) or lines.plies_left[i] < 0
            if out or s.turn == 0:
                break
            ply(v, s, lines.rival[i], lines.rngs[i], board)
            count_down(lines.plies_left, i)
        if out:
            lines.won[i], lines.over[i] = evaluate(v, s, root, 0), 1
        else:
            show(v, s, lines.views[pending], lines.masks[pending])
            lines.pending[pending] = i
            pending += 1
    lines.done[0] = pending


@jit
def count_down(plies_left: NDArray[np.int64], i: int) -> None:
    """Count a ply; −1 tells that it was the last one, and 0 that there is no last one."""
    if plies_left[i] > 0:
        plies_left[i] = plies_left[i] - 1 if plies_left[i] > 1 else -1


@jit
def answer(v: Any, lines: Rolls, actions: NDArray[np.int64]) -> None:
    """Play the first seat's actions."""
    for j in range(len(actions)):
        i = lines.pending[j]
        play(v, lines.states[i], actions[j])
        count_down(lines.plies_left, i)
