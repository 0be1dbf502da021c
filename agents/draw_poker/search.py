"""Search player of draw poker: actions are compared in worlds where the others hold what fits bets and exchanges.

Hands that fit are sampled as if the others played like a scripted player. A seat that has not folded is dealt anew
until the scripted player would have bet, exchanged and bet as it did. Of the order of bets a view tells only who raised
last, so each seat is asked what it would do at one simple moment a round: nobody has bet before it, or only the last
raiser has.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search import determinization
from kozyr.agents.search.determinization import Scratch
from kozyr.agents.search.pimc import Pimc
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import imagine, implements
from kozyr.envs.core.rng import below, mixed, unit
from kozyr.envs.core.seats import clockwise
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.actions import CALL, FOLD, RAISE, split
from kozyr.envs.draw_poker.deck import deal_to, hand_size, own
from kozyr.envs.draw_poker.evaluate import HAND, NO_CARD, sort
from kozyr.envs.draw_poker.rules import EXCHANGE, FIRST, NOBODY, NOT_YET, SECOND, Variant
from kozyr.envs.draw_poker.view import Parts
from kozyr.envs.loops.single_table import choose, show

Z = 0.0  # where worlds fit the betting, waiting for clear differences costs more than it saves: a fifth of the gain
OTHERWISE = 3  # in one of so many worlds the others play as the next weaker scripted player does
SILENT, CHECKED, RAISED, CALLED = range(4)  # what a seat has done in a betting round
TRIES = 60  # deals to a seat before any hand is taken
CHANGE_OF_MIND = 0.3  # chance to believe in a call by somebody who would have raised
SURPRISE = 0.02  # chance to believe in what the scripted player would not have done


class Believer(Pimc):
    """Play the action that wins most chips in worlds that fit the betting; a world ends with the hand."""

    def __init__(self, game: Any, variant: Any, level: int, z: float = Z, **options: Any) -> None:
        super().__init__(game, variant, level, z=z, **options)

    def candidates(self, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return all actions but to fold where nothing is to be paid."""
        actions = mask.copy()
        if view[Parts(self.variant).to_match] == 0:
            actions[FOLD] = 0
        return actions


@implements(determinization.sample_world, Variant)
def sample_world(v: Variant, view: NDArray[Any], seed: int, world: int, level: int, board: Scratch) -> int:
    """Imagine hands that fit the others' actions, as players of the level that is returned do it."""
    rival = level - 1 if level > 1 and world % OTHERWISE == 0 else level
    believe(v, view, seed, rival, board)
    return rival


@implements(determinization.is_cutoff, Variant)
def is_cutoff(v: Variant, s: Any, root: Any) -> bool:
    """Return True if the hand is over."""
    return s.turn == OVER or s.hands != root.hands


@implements(determinization.evaluate, Variant)
def evaluate(v: Variant, s: Any, root: Any, seat: int) -> float:
    """Return the chips that a seat has won in the hand, as a share of all chips that it can."""
    return s.change[seat] / ((v.players - 1.0) * v.stack)


@jit
def believe(v: Variant, view: NDArray[Any], world: int, level: int, t: Scratch) -> None:
    """Write a world in which the others' hands fit their actions."""
    s = t.states[0]
    imagine(v, view, world, s)
    t.rngs[0].rng = mixed(np.uint64(world) ^ np.uint64(2 * HAND))
    n = hand_size(v) + max(0, int(s.exchanged[0]))
    count = 0
    for i in range(n, v.deck):
        t.notes[count] = i
        count += 1
    for i in range(1, v.players + 1):  # the button is the last
        k = clockwise(s.button, i, v.players)
        if k != 0 and not (s.folded[k] or s.out[k]):
            for attempt in range(TRIES):
                deal(v, s, k, count, t)
                if fits(v, s, k, level, attempt == TRIES - 1, t):
                    break
            count = without(v, t.notes, count, k)
    for k in range(1, v.players):
        if s.folded[k]:  # it holds what the others have left in its places
            lay_down(v, s, k)


@jit
def without(v: Variant, free: NDArray[np.int32], count: int, k: int) -> int:
    """Take a seat's own places out of the free ones and return the number of those left."""
    n, mine = 0, own(v)
    for i in range(count):
        if not mine * k <= free[i] < mine * (k + 1):
            free[n] = free[i]
            n += 1
    return n


@jit
def deal(v: Variant, s: Any, k: int, count: int, t: Scratch) -> None:
    """Give a seat other cards: those that it was dealt, then those that it draws."""
    mine = own(v)
    for i in range(mine * k, mine * (k + 1)):
        j = t.notes[below(t.rngs[0], count)]
        s.deck[i], s.deck[j] = s.deck[j], s.deck[i]
    lay_down(v, s, k)


@jit
def lay_down(v: Variant, s: Any, k: int) -> None:
    """Give a seat the hand that lies in its places, and no discards."""
    for i in range(HAND):
        s.discarded[k, i] = NO_CARD
    deal_to(v, s, k)


@jit
def fits(v: Variant, s: Any, k: int, level: int, last: bool, t: Scratch) -> bool:
    """Return True if the scripted player would have acted as a seat has; a hand that fits is exchanged too.

    The last hand tried is kept anyway.
    """
    fine = bets_so(v, s, k, FIRST, level, t)
    if s.exchanged[k] != NOT_YET and (fine or last):
        fine = exchanges_so(v, s, k, level, t) and fine
        if fine and s.phase == SECOND:
            fine = bets_so(v, s, k, SECOND, level, t)
    return fine


@jit
def exchanges_so(v: Variant, s: Any, k: int, level: int, t: Scratch) -> bool:
    """Exchange a seat's cards as the scripted player would and return True if their number is right."""
    p = t.states[2]
    go_back(v, s, k, EXCHANGE, SILENT, t)
    show(v, p, t.observed, t.mask)
    change = split(v, choose(v, level, t.observed, t.mask, t.rngs[0]))[1]
    fine = ones(change) == s.exchanged[k]
    if not fine:  # exchange the lowest cards instead, in case nothing fits
        change = (1 << s.exchanged[k]) - 1
    n, first = 0, own(v) * k + hand_size(v)
    for i in range(HAND):
        if (change >> i) & 1:
            s.discarded[k, n], s.hand[k, i] = s.hand[k, i], s.deck[first + n]
            n += 1
    sort(s.hand[k])
    return fine or unit(t.rngs[0]) < SURPRISE


@jit
def ones(subset: int) -> int:
    """Return the number of cards in a subset."""
    n = 0
    for i in range(HAND):
        n += (subset >> i) & 1
    return n


@jit
def bets_so(v: Variant, s: Any, k: int, phase: int, level: int, t: Scratch) -> bool:
    """Return True if the scripted player would have bet as a seat has in a round."""
    done = role(v, s, k, phase)
    if done == SILENT:
        return True
    p = t.states[2]
    go_back(v, s, k, phase, done, t)
    show(v, p, t.observed, t.mask)
    kind = split(v, choose(v, level, t.observed, t.mask, t.rngs[0]))[0]
    if done == CALLED and kind == RAISE:
        return unit(t.rngs[0]) < CHANGE_OF_MIND
    right = kind == RAISE if done == RAISED else (kind == CALL if done == CALLED else kind != RAISE)
    return right or unit(t.rngs[0]) < SURPRISE


@jit
def role(v: Variant, s: Any, k: int, phase: int) -> int:
    """Return the last action of a seat in a betting round: RAISED, CALLED, CHECKED, or SILENT without one."""
    bets, highest = s.bet[phase >> 1], 0
    for j in range(v.players):
        highest = max(highest, bets[j])
    over = s.phase > phase
    if s.chips[k] + s.bet[1, k] + (s.bet[0, k] if phase == FIRST else 0) == 0:
        return SILENT  # all in before this round
    if highest == 0:
        return CHECKED if over or not s.pending[k] else SILENT
    raiser = last_raiser(v, s, phase)
    if raiser == k or (0 < bets[k] < highest and s.chips[k] > 0):
        return RAISED
    if bets[k] > 0:
        return CALLED
    return CHECKED if order(v, s, k) < order(v, s, raiser) else SILENT


@jit
def last_raiser(v: Variant, s: Any, phase: int) -> int:
    """Return the last raiser of a round; of a first round that is over, the first seat with the highest bet."""
    if s.raiser != NOBODY and (s.phase == phase or s.phase == EXCHANGE):
        return s.raiser
    bets, best = s.bet[phase >> 1], clockwise(s.button, 1, v.players)
    for i in range(1, v.players + 1):
        k = clockwise(s.button, i, v.players)
        if bets[k] > bets[best]:
            best = k
    return best


@jit
def order(v: Variant, s: Any, k: int) -> int:
    """Return the number of seats that act before this one."""
    return k - s.button - 1 if k > s.button else k - s.button - 1 + v.players


@jit
def go_back(v: Variant, s: Any, k: int, phase: int, done: int, t: Scratch) -> None:
    """Write the moment at which a seat was to act: nobody, or the last raiser alone, has bet."""
    t.states[2] = s
    p = t.states[2]
    raiser = last_raiser(v, s, phase) if done == CALLED else NOBODY
    p.phase, p.turn, p.raiser, p.highest = phase, k, raiser, 0
    for j in range(v.players):
        for r in range(2):
            if phase == EXCHANGE:
                back = r == 1
            else:
                back = r > phase >> 1 or (r == phase >> 1 and j != raiser)
            if back:
                p.chips[j] += p.bet[r, j]
                p.paid[j] -= p.bet[r, j]
                p.bet[r, j] = 0
        if phase != SECOND:
            p.exchanged[j] = NOT_YET
        p.pending[j] = j == k or (p.folded[j] == 0 and p.chips[j] > 0 and order(v, s, j) > order(v, s, k))
    if raiser != NOBODY:
        p.highest = p.bet[phase >> 1, raiser]
    p.full_raise = p.highest if v.min_raise else 0
