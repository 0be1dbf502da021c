"""Determinization: actions are compared in sampled worlds, by compiled loops that know no rules.

A game may implement three functions for its variant: `sample_world` draws the worlds, `is_cutoff` ends their playouts,
and `evaluate` gives a world's value at the end.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.nets.condensed_loops import NONE, Net, answer
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import generic, imagine, legal, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import GENERATOR, mixed, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import RANDOM, choose, only_action, random_action

PAST = 512  # earlier moments that a game may note to sample worlds that fit them
MOST_PLIES = 1_000_000  # that a world is played on, if its end does not come before
NOTES = 8 * (PAST + 1)  # numbers that a game may note for that
WORLD, _ACTION, _RIVAL = range(3)  # of `place`
_NEW = -1  # the action of a world that is not sampled yet


class Scratch(NamedTuple):
    """Buffers of a search; compiled code allocates nothing."""

    states: NDArray[Any]  # [3] the sampled world, the copy that is played on, and one for the game's own use
    rngs: NDArray[Any]  # [1] generator of the players inside
    observed: NDArray[Any]  # [view]; Numba takes an attribute named view for a cast
    mask: NDArray[np.int8]  # [actions]
    notes: NDArray[np.int32]  # [NOTES]
    past: NDArray[Any]  # [PAST, view] views of earlier moments
    net: Net  # plays on in the first seat of the worlds, if there is one


class Question(NamedTuple):
    """A comparison of a position's actions with the default one, and its sums so far."""

    root_view: NDArray[Any]  # [view]
    alive: NDArray[np.int8]  # [actions] 1 for those that are still compared
    base: int  # the default action
    seed: int
    level: int  # the scripted player in the first seat of the worlds
    depth: int  # plies that a world is played on; 0: to its end
    sums: NDArray[np.float64]  # [actions] each one's results minus the default action's, over all worlds
    squares: NDArray[np.float64]  # [actions] the same, each difference squared
    due: NDArray[np.float64]  # [2] results of the default action: over all worlds, and in the newest one
    place: NDArray[np.int64]  # [3] progress of `compare`: WORLD, _ACTION, and the level of the others there


def question(
    root_view: NDArray[Any], alive: NDArray[np.int8], base: int, seed: int, level: int, depth: int
) -> Question:
    """Return a question about which nothing is known yet."""
    sums, squares = np.zeros((2, len(alive)))
    place = np.array([0, _NEW, 0])
    return Question(root_view, alive, base, seed, level, depth, sums, squares, np.zeros(2), place)


def scratch(game: Game, v: Any, net: Net = NONE) -> Scratch:
    """Return the buffers of a search, with the network that plays on in its worlds."""
    view, mask = np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8)
    past, notes = np.zeros((PAST, len(view)), view.dtype), np.zeros(NOTES, np.int32)
    return Scratch(np.zeros(3, game.layout(v)), np.zeros(1, GENERATOR), view, mask, notes, past, net)


def any_world(v: Any, view: NDArray[Any], seed: int, world: int, level: int, board: Scratch) -> int:
    """Sample any world that fits the view."""
    imagine(v, view, seed, board.states[0])
    return level


def at_the_end(v: Any, s: Any, root: Any) -> bool:
    """Return True if the game is over."""
    return s.turn == OVER


def payoff(v: Any, s: Any, root: Any, seat: int) -> float:
    """Return a seat's payoff."""
    return 1.0 * s.payoff[seat]


sample_world = generic(
    "sample_world",
    "sample_world(v, view, seed, world, level, board): imagine world number `world` into board.states[0] for a search "
    "with the scripted player `level`, and return the level that the other seats play at in it.",
    any_world,
)
is_cutoff = generic(
    "is_cutoff", "is_cutoff(v, s, root): tell whether a world that began as `root` need not be played on.", at_the_end
)
evaluate = generic(
    "evaluate", "evaluate(v, s, root, seat): return the value of a world for a seat, from −1 to 1 like payoffs.", payoff
)


@jit
def ply(v: Any, s: Any, level: int, rngs: Any, board: Scratch) -> None:
    """Let a scripted player make the move that is due."""
    legal(v, s, board.mask)
    if level == RANDOM:
        play(v, s, random_action(board.mask, rngs))
        return
    a = only_action(board.mask)
    if a < 0:
        observe(v, s, s.turn, board.observed)
        a = choose(v, level, board.observed, board.mask, rngs)
    play(v, s, a)


@jit
def own_ply(v: Any, s: Any, level: int, rngs: Any, board: Scratch) -> None:
    """Let the network make the first seat's move, or the scripted player where there is none."""
    if not len(board.net.rows):
        ply(v, s, level, rngs, board)
        return
    legal(v, s, board.mask)
    a = only_action(board.mask)
    if a < 0:
        observe(v, s, s.turn, board.observed)
        a = answer(board.net, board.observed, board.mask)
    play(v, s, a)


@jit
def play_out(v: Any, s: Any, root: Any, level: int, rival: int, depth: int, board: Scratch) -> None:
    """Play a world to its cutoff, by the network or `level` in the first seat and by `rival` in the others.

    If `depth` is above 0, they stop after so many plies.
    """
    plies_left = depth
    while s.turn != OVER and not is_cutoff(v, s, root):
        if s.turn:
            ply(v, s, rival, board.rngs[0], board)
        else:
            own_ply(v, s, level, board.rngs[0], board)
        plies_left -= 1
        if plies_left == 0:
            return


@jit
def outcome(v: Any, a: int, seed: int, level: int, rival: int, depth: int, board: Scratch) -> float:
    """Return the first seat's value after an action in the sampled world; chance is the same for every action."""
    board.states[1] = board.states[0]
    s = board.states[1]
    board.rngs[0].rng = mixed(np.uint64(seed))
    play(v, s, a)
    play_out(v, s, board.states[0], level, rival, depth, board)
    return evaluate(v, s, board.states[0], 0)


@jit
def compare(v: Any, q: Question, first: int, last: int, steps: int, board: Scratch) -> int:
    """Add up the results of the actions alive, minus the default one's, in the worlds `first` to `last` − 1.

    After so many playouts it pauses, and returns how many there were; called again, it goes on.
    """
    at, steps_left = q.place, steps
    at[WORLD] = max(at[WORLD], first)
    while at[WORLD] < last and steps_left > 0:
        rngs, a = spread(q.seed, at[WORLD]), at[_ACTION]
        if a == _NEW:
            at[_RIVAL] = sample_world(v, q.root_view, rngs, at[WORLD], q.level, board)
            q.due[1] = outcome(v, q.base, rngs, q.level, at[_RIVAL], q.depth, board)
            q.due[0] += q.due[1]
            steps_left, a = steps_left - 1, 0
        while a < len(q.alive) and steps_left > 0:
            if q.alive[a] and a != q.base:
                more = outcome(v, a, rngs, q.level, at[_RIVAL], q.depth, board) - q.due[1]
                q.sums[a] += more
                q.squares[a] += more * more
                steps_left -= 1
            a += 1
        at[_ACTION] = a
        if a == len(q.alive):
            at[WORLD], at[_ACTION] = at[WORLD] + 1, _NEW
    return steps - steps_left
