"""One table: functions that choose an action, show views, deal and step. This file knows no rules.

Every back end runs these functions: the processor in a loop over tables (`tables`, `episodes`), the GPU in a thread for
each table (`kernels`), WebAssembly for the only one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, inlined, jit, lowest_bit, read_bits
from kozyr.envs.core.dispatch import decide, legal, observe, play, start
from kozyr.envs.core.rng import below, bits
from kozyr.envs.core.state import OVER

RANDOM = 0  # level of the player that chooses among the legal actions at random
RUNNING, TERMINATED, TRUNCATED = 0, 1, 2  # how a step left a table
_GUESSES = 4
_WORD = 64  # actions whose marks make a word


@jit
def random_action(mask: NDArray[np.int8], g: Any) -> int:
    """Return a legal action, each with the same chance; the mask must not be empty.

    A few guesses find one where most actions are legal; else count them, a word of marks at a time, and go to the
    chosen one.
    """
    n, total = len(mask), 0
    for _ in range(_GUESSES):
        a = below(g, n)
        if mask[a]:
            return a
    for first in range(0, n, _WORD):
        total += count_bits(marks(mask, first))
    skip, first = below(g, total), 0
    word = marks(mask, first)
    while skip >= count_bits(word):
        skip -= count_bits(word)
        first += _WORD
        word = marks(mask, first)
    while skip > 0:
        word &= word - 1  # the lowest mark goes
        skip -= 1
    return first + lowest_bit(word)


@inlined
def marks(mask: NDArray[np.int8], first: int) -> int:
    """Return the legal ones among the next _WORD actions from `first` on: a bit for each."""
    return read_bits(mask, first, min(_WORD, len(mask) - first))


@jit
def only_action(mask: NDArray[np.int8]) -> int:
    """Return the action that is the only legal one, or −1 if there are more."""
    only = -1
    for a in range(len(mask)):
        if mask[a]:
            if only >= 0:
                return -1
            only = a
    return only


def decide_at_random(v: Any, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Decide for a game without scripted players, whose only level is RANDOM."""
    return random_action(mask, g)


@jit
def choose(v: Any, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the scripted player `level`."""
    if level == RANDOM:
        return random_action(mask, g)
    return decide(v, level, view, mask, g)


@jit
def show(v: Any, s: Any, view: NDArray[Any], mask: NDArray[np.int8]) -> None:
    """Write the view and the legal actions of the seat to move."""
    legal(v, s, mask)
    observe(v, s, s.turn, view)


@inlined
def allowed(mask: NDArray[np.int8], action: int) -> bool:
    """Return True if an action is in range and legal."""
    return action >= 0 and action < len(mask) and mask[action] != 0


@inlined
def deal_row(v: Any, s: Any, g: Any) -> None:
    """Start a game with a seed drawn from a table's own generator."""
    start(v, s, np.int64(bits(g) >> np.uint64(1)), -1)


@inlined
def step_row(
    v: Any, s: Any, action: int, g: Any, view: NDArray[Any], mask: NDArray[np.int8], payoff: NDArray[np.float32]
) -> int:
    """Play an action, deal a finished table anew, show it, and return how the step left the game that was played."""
    play(v, s, action)
    for k in range(len(payoff)):
        payoff[k] = s.payoff[k]
    end = RUNNING
    if s.turn == OVER:
        end = TRUNCATED if s.truncated else TERMINATED
        deal_row(v, s, g)
    show(v, s, view, mask)
    return end


@jit
def playout(v: Any, s: Any, g: Any, mask: NDArray[np.int8]) -> int:
    """Play at random to the end and return the number of moves."""
    moves = 0
    while s.turn != OVER:
        legal(v, s, mask)
        play(v, s, random_action(mask, g))
        moves += 1
    return moves
