"""Positions played forward: an action at each of many states, what follows, and random games from there.

This file knows no rules.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import legal, observe, play
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import allowed, playout


@jit
def play_forward(
    v: Any, states: NDArray[Any], actions: NDArray[np.int64], masks: NDArray[np.int8], mask: NDArray[np.int8]
) -> int:
    """Play an action at every state that is not over, and overwrite masks [N, actions] with what is legal then.

    Nothing is legal where the game is over. Return the first row whose action is not legal, or −1; the rows before it
    have been played. `mask` is scratch.
    """
    for i in range(len(states)):
        s = states[i]
        if s.turn != OVER:
            legal(v, s, mask)
            if not allowed(mask, actions[i]):
                return i
            play(v, s, actions[i])
        if s.turn == OVER:
            masks[i] = 0
        else:
            legal(v, s, masks[i])
    return -1


@jit
def show_movers(v: Any, states: NDArray[Any], views: NDArray[Any]) -> None:
    """Overwrite views [N, view] with what the seat to move knows; a state that is over shows its first seat's view."""
    for i in range(len(states)):
        observe(v, states[i], max(states[i].turn, 0), views[i])


@jit
def random_values(
    v: Any,
    states: NDArray[Any],
    games: int,
    rngs: NDArray[Any],
    board: NDArray[Any],
    mask: NDArray[np.int8],
    values: NDArray[np.float32],
) -> None:
    """Overwrite values [N, seats] with the mean payoffs of random games that go on from each state.

    States stay as they are; of one that is over the payoffs are final. `board` [1] and `mask` are scratch.
    """
    for i in range(len(states)):
        n = 1 if states[i].turn == OVER else games
        values[i] = 0
        for _ in range(n):
            board[0] = states[i]
            playout(v, board[0], rngs[0], mask)
            for k in range(values.shape[1]):
                values[i, k] += board[0].payoff[k] / np.float32(n)
