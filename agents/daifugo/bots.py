"""Scripted Daifugo players, from random cards up: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.daifugo.heuristic import heuristic
from kozyr.agents.daifugo.suited import longest_sequence, plain, plain_mask, plain_view
from kozyr.agents.daifugo.suited_heuristic import best_gift, suited_heuristic
from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.daifugo.actions import PASS, joker_set, natural_set, single
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.suited.sets import KIND, SEQUENCE
from kozyr.envs.daifugo.variant import JOKER, RANKS, Variant
from kozyr.envs.daifugo.view import Parts
from kozyr.envs.loops.single_table import random_action

ONE_CARD, LITTLE_THINK, COURSE, LOW = 1, 2, 3, 4
NOTHING = -1
FEW = 5  # cards with which sets are broken and the top card is used
_VIEW, _ACTIONS = 256, 7 * RANKS + 2  # of a table without suits: room for a view, and actions
COURT = 3  # the strongest ranks: kings and above


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER; from the course player on they give their weakest cards."""
    if v.suits:
        return decide_suited(v, level, view, mask, g)
    return decide_ranks(v, level, view, mask, g)


@jit
def decide_ranks(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Decide where suits do not matter."""
    at = Parts(v)
    if level == ONE_CARD:
        return one_card(v, view, mask, at, g)
    if level == LITTLE_THINK:
        return little_think(v, view, mask, at, g)
    if gives(v, view, at):
        return weakest_single(v, view, mask, at)
    if level == COURSE:
        return course(v, view, mask, at)
    return low(v, view, mask, at) if level == LOW else heuristic(v, view, mask, at)


@jit
def decide_suited(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Decide where they do: as without suits, but for the two players that know sequences."""
    at, free = Parts(v), view[Parts(v).pile] == 0
    if v.exchange and view[at.phase] != PLAY:
        return random_action(mask, g) if level < COURSE else best_gift(v, view, mask, at)
    if level > LOW:
        return suited_heuristic(v, view, mask, at)
    if level == LOW and v.sequences and (free or KIND[view[at.lies]] == SEQUENCE):
        a = longest_sequence(mask)
        if a != NOTHING:
            return a
    w = plain(v)
    rank_view, legal, first = (
        stack_array(_VIEW, np.int16),
        stack_array(_ACTIONS, np.int8),
        stack_array(_ACTIONS, np.int32),
    )
    plain_view(v, view, at, rank_view, Parts(w))
    plain_mask(mask, legal, first)
    if free:
        legal[PASS] = 0
    a = decide_ranks(w, level, rank_view, legal, g)
    return first[a] if legal[a] and a else fallback(mask, free)


@jit
def fallback(mask: NDArray[np.int8], free: bool) -> int:
    """Return a pass, or the first set where one is led."""
    a = 1 if free or not mask[PASS] else PASS
    while a < len(mask) - 1 and not mask[a]:
        a += 1
    return a


@jit
def one_card(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, g: Any) -> int:
    """Put down one random card; pass where it does not fit. Give random cards away."""
    card = random_card(view, at, g)
    return fitting(mask, single(v, card))


@jit
def little_think(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, g: Any) -> int:
    """Complete a random card with its rank up to the pile's size; pass where that does not fit.

    An empty pile sets no limit: all cards of the rank are led. Random cards are given away.
    """
    card = random_card(view, at, g)
    if card == JOKER or gives(v, view, at):
        return fitting(mask, single(v, card))
    size = view[at.pile] if view[at.pile] > 0 else view[at.hand + card]
    return fitting(mask, natural_set(v, card, size))


@jit
def course(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Get rid of weak sets early and keep strength together, as a course on the game teaches.

    It leads triples (or fours), then pairs of the weaker half of its ranks, else its weakest card. The answers are
    those of `answer_single`, `answer_pair` and, to larger sets, natural sets of the weaker half.
    """
    size = view[at.pile]
    if size == 0:
        return lead(v, view, mask, at)
    if size == 1:
        return answer_single(v, view, mask, at)
    if size == 2:
        return answer_pair(v, view, mask, at)
    return max(PASS, weakest_set(v, view, mask, at, size, 1, 2))


@jit
def low(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Lead all cards of the weakest rank; answer with the weakest set that fits, with the joker only if it must."""
    size = view[at.pile]
    for step in range(v.ranks):
        r = rank_at(v, view, at, step)
        n = size if size > 0 else view[at.hand + r]
        if n > 0 and mask[natural_set(v, r, n)]:
            return natural_set(v, r, n)
    for step in range(v.ranks if size > 1 else 0):
        a = joker_set(v, rank_at(v, view, at, step), size)
        if mask[a]:
            return a
    return fitting(mask, single(v, JOKER))


@jit
def lead(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Return a set of four or three, then of two cards of the weaker half of the ranks held, else the weakest card."""
    for size in (4, 3, 2):
        a = weakest_set(v, view, mask, at, size, 1, 2)
        if a != NOTHING:
            return a
    return weakest_single(v, view, mask, at)


@jit
def answer_single(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Return the weakest beating card, with more than five in hand none of a set and not the top card; else a pass."""
    many, top = view[at.sizes] > FEW, strongest(v, view, at)
    for step in range(v.ranks):
        r = rank_at(v, view, at, step)
        if mask[single(v, r)] and not (many and (view[at.hand + r] > 1 or r == top)):
            return single(v, r)
    return PASS if many else fitting(mask, single(v, JOKER))


@jit
def answer_pair(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Return the weakest beating pair of the weaker two thirds, else the joker with a king or above; else a pass."""
    a = weakest_set(v, view, mask, at, 2, 2, 3)
    if a != NOTHING:
        return a
    for step in range(max(0, v.ranks - COURT), v.ranks):
        a = joker_set(v, rank_at(v, view, at, step), 2)
        if mask[a]:
            return a
    return PASS


@jit
def weakest_set(
    v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, size: int, part: int, of: int
) -> int:
    """Return the weakest legal natural set of a size among the weaker `part` / `of` of my ranks, or NOTHING."""
    ranks = 0
    for r in range(v.ranks):
        ranks += view[at.hand + r] > 0
    met = 0
    for step in range(v.ranks):
        r = rank_at(v, view, at, step)
        if view[at.hand + r] > 0:
            if met * of >= ranks * part:
                return NOTHING
            if mask[natural_set(v, r, size)]:
                return natural_set(v, r, size)
            met += 1
    return NOTHING


@jit
def weakest_single(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Return my weakest legal single card."""
    for step in range(v.ranks):
        a = single(v, rank_at(v, view, at, step))
        if mask[a]:
            return a
    return single(v, JOKER)


@jit
def strongest(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Return the rank of my top card."""
    if view[at.hand + JOKER] > 0:
        return JOKER
    top = NOTHING
    for step in range(v.ranks):
        r = rank_at(v, view, at, step)
        if view[at.hand + r] > 0:
            top = r
    return top


@jit
def rank_at(v: Variant, view: NDArray[Any], at: Parts, step: int) -> int:
    """Return the rank that has `step` weaker ones at the moment."""
    return v.ranks - 1 - step if v.revolution and view[at.upside] else step


@jit
def gives(v: Variant, view: NDArray[Any], at: Parts) -> bool:
    """Return True if cards are exchanged instead of played."""
    return v.exchange and view[at.phase] != PLAY


@jit
def random_card(view: NDArray[Any], at: Parts, g: Any) -> int:
    """Return the rank of one of my cards, each with the same chance."""
    rest = below(g, view[at.sizes])
    for r in range(JOKER):
        rest -= view[at.hand + r]
        if rest < 0:
            return r
    return JOKER


@jit
def fitting(mask: NDArray[np.int8], a: int) -> int:
    """Return the action if it is legal, else a pass."""
    return a if mask[a] else PASS
