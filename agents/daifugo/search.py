"""Search players of Daifugo: to the end of the round and no further, and exactly once two seats are left.

A place in a round is taken for good, so a world is played on only until the first seat has its own; later rounds are
dealt anew. When two seats are left and nobody else keeps cards, all unseen cards are the other's: nothing is hidden.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.daifugo import history_sampling as history_sampling  # registers what a seat remembers
from kozyr.agents.daifugo.beliefs import believe
from kozyr.agents.daifugo.endgame import OPEN, UNKNOWN, WIN, Endgame, begin, duel, endgame, forget, outlook
from kozyr.agents.nets.condensed import bundled_policy
from kozyr.agents.nets.condensed_loops import NONE, Net
from kozyr.agents.search import determinization, response
from kozyr.agents.search.pimc import Pimc
from kozyr.agents.search.searcher import UNSOLVED, Searcher
from kozyr.agents.search.solver import Solver
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import imagine, implements
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.variant import Variant
from kozyr.envs.daifugo.view import Parts
from kozyr.envs.loops.single_table import RANDOM

_NODES = 5_000  # positions of the first compiled call


class Duel(Searcher):
    """Win the end of a round for sure if that can be done."""

    nodes = 20_000

    @cached_property
    def _end(self) -> Endgame:
        return endgame(self.game, self.variant)

    def solvable(self, view: NDArray[Any]) -> bool:
        """Return True if two seats are left; with suits nothing is solved."""
        if self.variant.suits:
            return False
        at = Parts(self.variant)
        return int((view[at.place : at.turn] == 0).sum()) == 2

    def solved(self, view: NDArray[Any], mask: NDArray[np.int8], base: int, seed: int) -> int:
        """Return an action after which the first seat surely goes out before the last other one, or UNSOLVED."""
        if self.variant.suits:
            return UNSOLVED
        found = posed(self.variant, view, self.nodes, seed, self._end)
        for steps in self.pace(_NODES).calls():
            if found != OPEN:
                break
            found = outlook(self.variant, steps, self._end)
        return int(self._end.action[0]) if found == WIN else UNSOLVED


class DaifugoSolver(Duel, Solver):
    """Solve what can be solved; else do as the scripted player does."""


class DaifugoPimc(Duel, Pimc):
    """Solve what can be solved; else depart from what is usual where that is clearly better."""

    def network(self) -> Net:
        """Return the network that is bundled for the variant, which improves on scripted players."""
        return bundled_policy(self.game, self.variant) if self.playing != RANDOM else NONE


@jit
def posed(v: Variant, view: NDArray[Any], nodes: int, seed: int, e: Endgame) -> int:
    """Set up the position of a view, to be solved within so many positions; return as `begin`, UNKNOWN for no duel."""
    s = e.line[0]
    imagine(v, view, seed, s)
    if not duel(v, s):
        return UNKNOWN
    forget(e)
    return begin(v, s, nodes, e)


@implements(determinization.sample_world, Variant)
def sample_world(
    v: Variant, view: NDArray[Any], seed: int, world: int, level: int, board: determinization.Scratch
) -> int:
    """Imagine hands that fit what the others have done, as far as the view tells it."""
    if v.history:
        believe(v, view, seed, world, level, board)
    else:
        imagine(v, view, seed, board.states[0])
    return level


@implements(response.is_decided, Variant)
@implements(determinization.is_cutoff, Variant)
def is_cutoff(v: Variant, s: Any, root: Any) -> bool:
    """Return True if the first seat has taken its place in the round."""
    return s.turn == OVER or taken(s, root, 0) != IN


@implements(determinization.evaluate, Variant)
def evaluate(v: Variant, s: Any, root: Any, seat: int) -> float:
    """Return a seat's place in the round, 1 for the first and −1 for the last; those still in share what is left."""
    place = 1.0 * taken(s, root, seat)
    if place == IN:
        rest, seats = 0.5 * v.players * (v.players - 1), v.players
        for k in range(v.players):
            if taken(s, root, k) != IN:
                rest -= taken(s, root, k)
                seats -= 1
        place = rest / seats
    return 1 - 2 * place / (v.players - 1)


@jit
def taken(s: Any, root: Any, seat: int) -> int:
    """Return the place that a seat has taken in the round, or IN."""
    return s.place[seat] if s.rounds == root.rounds else s.total[seat] - root.total[seat]
