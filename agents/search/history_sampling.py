"""History sampling: deals that fit a seat's whole history, drawn by compiled loops that know no rules.

A view forgets. But where all chance is in the deal and all actions are open, a deal and the actions determine every
moment of the game. So a deal is sampled, played again, and repaired where a card that was played or drawn lay
elsewhere; then it determines the view of each other seat at every choice, and a known player can be asked about it.
Each card that lay elsewhere changes places with one that any other could stand for: deals come out equally likely.
"""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.determinization import Scratch
from kozyr.envs.compile import jit
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.core.dispatch import generic, imagine, legal, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators, mixed
from kozyr.envs.core.state import OVER
from kozyr.envs.loops.single_table import only_action

HIDDEN = -1  # an action that is hidden from the seat
_ROOM = 32  # plies at first
_PLACES, _TRIES = 1 << 17, 16  # of a memory, and how many of them a key may stand in
_FIRST_KEY = np.uint64(0x9E3779B97F4A7C15)
_NO_KEY = np.uint64(0)


class Past(NamedTuple):
    """History of one seat, which is 0 here, in a game of `plies` actions so far."""

    views: NDArray[Any]  # [plies + 1, view] at the beginning and after each action
    seats: NDArray[np.int64]  # [plies] the actors
    actions: NDArray[np.int64]  # [plies] their actions, or HIDDEN


class Deals(NamedTuple):
    """Sampled deals, and the states that they lead to."""

    roots: NDArray[Any]  # [n] as they were dealt
    states: NDArray[Any]  # [n] now
    rngs: NDArray[Any]  # [n] generators
    fine: NDArray[np.int8]  # [n] 1 if playing the game again leads to the seat's view


class Choices(NamedTuple):
    """Moments at which another seat chose among several actions, deal after deal."""

    views: NDArray[Any]  # [rows, view] its view
    masks: NDArray[np.int8]  # [rows, actions] its mask
    actions: NDArray[np.int64]  # [rows] its action
    deals: NDArray[np.int64]  # [rows] index of the deal
    keys: NDArray[np.uint64]  # [rows] of the moment in `memory`


class Memory(NamedTuple):
    """Log-likelihoods of earlier questions to the known player: the same moment comes again in many deals."""

    keys: NDArray[np.uint64]  # [places] 0 where a place is free
    logs: NDArray[np.float64]  # [places] log-likelihood


class History:
    """History of a seat during a game.

    Args:
        view: the first one: [view].
    """

    def __init__(self, view: NDArray[Any]) -> None:
        self._views, self._moves, self.plies = np.zeros((_ROOM, len(view)), view.dtype), np.zeros((2, _ROOM), int), 0
        self._views[0] = view

    def add(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Add an actor, its action or HIDDEN, and the view after that: [view]."""
        if self.plies + 1 == len(self._views):
            self._views, self._moves = np.tile(self._views, (2, 1)), np.tile(self._moves, 2)
        self._moves[:, self.plies] = seat, action
        self.plies += 1
        self._views[self.plies] = view

    @property
    def past(self) -> Past:
        """Return the history so far as arrays."""
        return Past(self._views[: self.plies + 1], *self._moves[:, : self.plies])


@singledispatch
def follows_from_deal(variant: Any) -> bool:
    """Return True if the deal and the actions, all of which are open, determine every moment of a game."""
    return perfect_information(variant)


@singledispatch
def is_open(variant: Any, action: int) -> bool:
    """Return True if all seats see the action."""
    return follows_from_deal(variant)


def _nothing(v: Any, root: Any, s: Any, what: Any, g: Any) -> None:
    """Change nothing."""


def _any_state(v: Any, view: NDArray[Any], seed: int, s: Any) -> None:
    """Sample any state that fits the view."""
    imagine(v, view, seed, s)


def _alone(v: Any, root: Any, s: Any, g: Any) -> bool:
    """Return False: nothing is hidden."""
    return False


begin = generic("begin", "begin(v, view, seed, s): imagine the beginning of a game from the view there.", _any_state)
supply = generic("supply", "supply(v, root, s, action, g): give the seat to move in `s` what it plays.", _nothing)
receive = generic("receive", "receive(v, root, s, view, g): give the first seat what it has drawn.", _nothing)
vary = generic(
    "vary",
    "vary(v, root, s, g): exchange hidden cards of `root`, so that deals that were equally likely stay so; False: "
    "nothing is hidden in `s`.",
    _alone,
)


def deals(game: Game, v: Any, n: int, seed: int) -> Deals:
    """Return room for `n` deals."""
    return Deals(np.zeros(n, game.layout(v)), np.zeros(n, game.layout(v)), generators(seed, n), np.zeros(n, np.int8))


def choices(game: Game, v: Any, rows: int) -> Choices:
    """Return room for so many moments, and one to look at."""
    rows += 1
    views, masks = np.zeros((rows, game.size(v)), game.view_dtype), np.zeros((rows, game.actions(v)), np.int8)
    return Choices(views, masks, np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(rows, np.uint64))


def memory() -> Memory:
    """Return an empty memory."""
    return Memory(np.zeros(_PLACES, np.uint64), np.zeros(_PLACES))


@jit
def begin_all(v: Any, view: NDArray[Any], d: Deals) -> None:
    """Sample all deals from the first view."""
    for i in range(len(d.roots)):
        begin(v, view, np.int64(d.rngs[i].rng >> np.uint64(1)), d.roots[i])


@jit
def mend_all(v: Any, past: Past, d: Deals, board: Scratch) -> None:
    """Repair all deals so that the game's actions are legal in them."""
    for i in range(len(d.roots)):
        s, root, g = d.states[i], d.roots[i], d.rngs[i]
        d.states[i] = d.roots[i]
        d.fine[i] = 1
        for t in range(len(past.actions)):
            if past.seats[t]:
                supply(v, root, s, past.actions[t], g)
            if not may(v, s, past.actions[t], board.mask):
                d.fine[i] = 0
                break
            play(v, s, past.actions[t])
            receive(v, root, s, past.views[t + 1], g)


@jit
def may(v: Any, s: Any, a: int, mask: NDArray[np.int8]) -> bool:
    """Return True if the seat to move may take an action; the mask is written on."""
    if s.turn == OVER:
        return False
    legal(v, s, mask)
    return mask[a] != 0


@jit
def retell(v: Any, past: Past, d: Deals, m: Memory, logs: NDArray[np.float64], moments: Choices, board: Scratch) -> int:
    """Play the game again in all deals, and add the log-likelihoods of the others' choices to `logs` [n].

    Moments that the memory does not know are noted; returns their number.
    """
    rows: Any = 0
    for i in range(len(d.roots)):
        first, s = rows, d.states[i]
        d.states[i] = d.roots[i]
        d.fine[i], logs[i] = 1, 0.0
        for t in range(len(past.actions)):
            if not may(v, s, past.actions[t], moments.masks[rows]):
                d.fine[i] = 0
                break
            if past.seats[t] and only_action(moments.masks[rows]) < 0:
                observe(v, s, s.turn, moments.views[rows])
                key = key_of(moments.views[rows], past.actions[t])
                place = place_of(m, key)
                if place >= 0 and m.keys[place] == key:
                    logs[i] += m.logs[place]
                else:
                    moments.actions[rows], moments.deals[rows], moments.keys[rows] = past.actions[t], i, key
                    rows += 1
            play(v, s, past.actions[t])
        if d.fine[i] and not has_view(v, s, past.views[len(past.actions)], board):
            d.fine[i] = 0
        if not d.fine[i]:
            rows, logs[i] = first, -np.inf
    return rows


@jit
def key_of(view: NDArray[Any], action: int) -> Any:
    """Return a hash of a view and an action; two of them share it with a chance of 2⁻⁶⁴."""
    key = _FIRST_KEY + np.uint64(action)
    for x in view:
        key = (key ^ np.uint64(x)) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return mixed(key) | np.uint64(1)


@jit
def place_of(m: Memory, key: Any) -> Any:
    """Return a key's place in the memory, or a free place for it, or −1 if there is none."""
    first = np.int64(key & np.uint64(_PLACES - 1))
    for i in range(_TRIES):
        place = (first + i) & (_PLACES - 1)
        if m.keys[place] == key or m.keys[place] == _NO_KEY:
            return place
    return -1


@jit
def remember(m: Memory, keys: NDArray[np.uint64], logs: NDArray[np.float64]) -> None:
    """Store log-likelihoods, as long as there is room."""
    for i in range(len(keys)):
        place = place_of(m, keys[i])
        if place >= 0:
            m.keys[place], m.logs[place] = keys[i], logs[i]


@jit
def has_view(v: Any, s: Any, view: NDArray[Any], board: Scratch) -> bool:
    """Return True if the first seat has this view."""
    observe(v, s, 0, board.observed)
    same = True
    for e in range(len(view)):
        same &= view[e] == board.observed[e]
    return same


@jit
def vary_all(v: Any, d: Deals, new: Deals) -> int:
    """Write each deal with hidden cards exchanged to `new`, and return the number of those with hidden cards."""
    hidden: Any = 0
    for i in range(len(d.roots)):
        new.roots[i] = d.roots[i]
        if vary(v, new.roots[i], d.states[i], d.rngs[i]):
            hidden += 1
    return hidden
