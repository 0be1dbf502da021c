"""Compare actions in imagined worlds: compiled loops that know no rules."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.dispatch import imagine, legal, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.jit import jit
from kozyr.envs.core.rng import GENERATOR, mixed, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.core.tables import RANDOM, choose, random_action, show


class Scratch(NamedTuple):
    """What a search writes on; compiled code allocates nothing."""

    states: NDArray[Any]  # [2] the imagined world, and the copy that is played on
    luck: NDArray[Any]  # [1] generator of the players inside
    seen: NDArray[Any]  # [view]; Numba takes an attribute named view for a cast
    mask: NDArray[np.int8]  # [actions]


def scratch(game: Game, v: Any) -> Scratch:
    """Return what a search of a game writes on."""
    view, mask = np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8)
    return Scratch(np.zeros(2, game.state), np.zeros(1, GENERATOR), view, mask)


@jit
def play_out(v: Any, s: Any, level: int, depth: int, board: Scratch) -> None:
    """Let the scripted player `level` play all seats to the end, or `depth` plies far if that is above 0."""
    left = depth
    while s.turn != OVER:
        if level == RANDOM:
            legal(v, s, board.mask)
            play(v, s, random_action(board.mask, board.luck[0]))
        else:
            show(v, s, board.seen, board.mask)
            play(v, s, choose(v, level, board.seen, board.mask, board.luck[0]))
        left -= 1
        if left == 0:
            return


@jit
def outcome(v: Any, a: int, world: int, level: int, depth: int, board: Scratch) -> float:
    """Return the first seat's payoff after an action in the imagined world; the luck is the same for every action."""
    board.states[1] = board.states[0]
    s = board.states[1]
    board.luck[0].rng = mixed(np.uint64(world))
    play(v, s, a)
    play_out(v, s, level, depth, board)
    return s.payoff[0]


@jit
def compare(
    v: Any,
    view: NDArray[Any],
    alive: NDArray[np.int8],
    base: int,
    first: int,
    last: int,
    seed: int,
    level: int,
    depth: int,
    board: Scratch,
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> None:
    """Add up by how much each action still `alive` pays more than `base`, in the worlds `first` to `last` − 1."""
    for w in range(first, last):
        world = spread(seed, w)
        imagine(v, view, world, board.states[0])
        due = outcome(v, base, world, level, depth, board)
        for a in range(len(alive)):
            if alive[a] and a != base:
                more = outcome(v, a, world, level, depth, board) - due
                sums[a] += more
                squares[a] += more * more
