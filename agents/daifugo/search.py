"""Search players of Daifugo: to the end of the round and no further, and exactly once two seats are left.

A place in a round is taken for good, so a world is played on only until the first seat has its own; later rounds are
dealt anew. When two seats are left and nobody else keeps cards, all unseen cards are the other's: nothing is hidden.
From the history of a deal, deals are sampled in which every seat holds the sets that it laid.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.daifugo.beliefs import believe
from kozyr.agents.daifugo.endgame import OPEN, UNKNOWN, WIN, Endgame, begin, duel, endgame, forget, outlook
from kozyr.agents.daifugo.hands import exchange_factor, hidden, nth_hidden, swap
from kozyr.agents.nets.condensed import bundled_policy
from kozyr.agents.nets.condensed_loops import NONE, Net
from kozyr.agents.search import determinization, history_sampling, response
from kozyr.agents.search.pimc import Pimc
from kozyr.agents.search.searcher import UNSOLVED, Searcher
from kozyr.agents.search.solver import Solver
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import imagine, implements
from kozyr.envs.core.rng import below, unit
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.variant import JOKER, Variant
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
        """Return True if two seats are left; with suits, or forbidden last sets, nothing is solved."""
        if self.variant.suits or self.variant.foul_finish:
            return False
        at = Parts(self.variant)
        return int((view[at.place : at.turn] == 0).sum()) == 2

    def solved(self, view: NDArray[Any], mask: NDArray[np.int8], base: int, seed: int) -> int:
        """Return an action after which the first seat surely goes out before the last other one, or UNSOLVED."""
        if self.variant.suits or self.variant.foul_finish:
            return UNSOLVED
        result = set_up(self.variant, view, self.nodes, seed, self._end)
        for steps in self.pace(_NODES).calls():
            if result != OPEN:
                break
            result = outlook(self.variant, steps, self._end)
        return int(self._end.action[0]) if result == WIN else UNSOLVED


class DaifugoSolver(Duel, Solver):
    """Solve the positions that can be solved; else act as the scripted player does."""


class DaifugoPimc(Duel, Pimc):
    """Solve the positions that can be solved; else depart from the usual action where another is clearly better."""

    def network(self) -> Net:
        """Return the network that is bundled for the variant, which improves on scripted players."""
        return bundled_policy(self.game, self.variant) if self.playing != RANDOM else NONE


@jit
def set_up(v: Variant, view: NDArray[Any], nodes: int, seed: int, e: Endgame) -> int:
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
    """Imagine hands that fit the others' actions, as far as the view tells it."""
    if v.history:
        believe(v, view, seed, world, level, board)
    else:
        imagine(v, view, seed, board.states[0])
    return level


@implements(response.is_decided, Variant)
@implements(determinization.is_cutoff, Variant)
def is_cutoff(v: Variant, s: Any, root: Any) -> bool:
    """Return True if the first seat has taken its place in the round."""
    return s.turn == OVER or place_in_round(s, root, 0) != IN


@implements(determinization.evaluate, Variant)
def evaluate(v: Variant, s: Any, root: Any, seat: int) -> float:
    """Return a seat's place in the round, 1 for the first and −1 for the last; those still in share the rest."""
    place = 1.0 * place_in_round(s, root, seat)
    if place == IN:
        rest, seats = 0.5 * v.players * (v.players - 1), v.players
        for k in range(v.players):
            if place_in_round(s, root, k) != IN:
                rest -= place_in_round(s, root, k)
                seats -= 1
        place = rest / seats
    return 1 - 2 * place / (v.players - 1)


@jit
def place_in_round(s: Any, root: Any, seat: int) -> int:
    """Return the place that a seat has taken in the round, or IN."""
    return s.place[seat] if s.rounds == root.rounds else s.total[seat] - root.total[seat]


@history_sampling.follows_from_deal.register(Variant)
def follows_from_deal(v: Variant) -> bool:
    """Return True if there is one deal and no exchange of cards; with suits no mending of deals is implemented."""
    return v.rounds == 1 and not v.suits


@implements(history_sampling.supply, Variant)
def supply(v: Variant, root: Any, s: Any, a: int, g: Any) -> None:
    """Give the seat to move the set that it lays, for any other cards of its hand."""
    if a == PASS:
        return
    kind = KIND[v.ranks, a]
    r, natural, joker = int(RANK[v.ranks, a]), int(NATURAL[kind]), int(WITH_JOKER[kind])
    fetch(v, root, s, JOKER, joker, r, natural, g)
    fetch(v, root, s, r, natural, JOKER, joker, g)


@jit
def fetch(v: Variant, root: Any, s: Any, r: int, needed: int, other: int, reserve: int, g: Any) -> None:
    """Fetch cards of a rank from other hands for cards that the mover does not need; `reserve` of another rank stay."""
    k = s.turn
    while s.hand[k, r] < needed:
        available, free = 0, s.count[k] - s.hand[k, r] - min(s.hand[k, other], reserve)
        for j in range(1, v.players):
            available += s.hand[j, r] if j != k else 0
        if available == 0 or free <= 0:
            return
        i, j, n, x = below(g, available), 1, below(g, free), 0
        while j == k or i >= s.hand[j, r]:
            i -= s.hand[j, r] if j != k else 0
            j += 1
        while n >= spare(s, k, x, r, other, reserve):
            n -= spare(s, k, x, r, other, reserve)
            x += 1
        swap(v, s, k, x, j, r)
        swap(v, root, k, x, j, r)


@jit
def spare(s: Any, k: int, x: int, r: int, other: int, reserve: int) -> Any:
    """Return the number of cards of rank x that a hand can spare."""
    if x == r:
        return 0
    return s.hand[k, x] - (min(s.hand[k, x], reserve) if x == other else 0)


@implements(history_sampling.vary, Variant)
def vary(v: Variant, root: Any, s: Any, g: Any) -> bool:
    """Exchange hidden cards of two hands by Metropolis's rule, so that all deals stay equally likely."""
    holders = 0
    for k in range(1, v.players):
        holders += s.count[k] > 0
    if holders < 2:
        return False
    i, j = 1 + below(g, v.players - 1), 1 + below(g, v.players - 1)
    mine, theirs = hidden(v, s, i), hidden(v, s, j)
    if i != j and mine and theirs:
        c, d = nth_hidden(v, s, i, below(g, mine)), nth_hidden(v, s, j, below(g, theirs))
        given = exchange_factor(s.hand[i, c], root.hand[i, c], s.hand[j, c], root.hand[j, c])
        taken = exchange_factor(s.hand[j, d], root.hand[j, d], s.hand[i, d], root.hand[i, d])
        if c != d and unit(g) < given * taken:
            swap(v, root, i, c, j, d)
    return True
