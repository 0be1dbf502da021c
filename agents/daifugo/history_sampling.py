"""Deals of Daifugo that fit all that a seat has seen: who laid which set."""

from typing import Any

from kozyr.agents.daifugo.hands import hidden, nth_hidden, swap
from kozyr.agents.search import history_sampling
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.variant import JOKER, Variant


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
def fetch(v: Variant, root: Any, s: Any, r: int, needed: int, other: int, kept: int, g: Any) -> None:
    """Fetch cards of a rank from other hands for cards that the mover does not need; `kept` of another rank stay."""
    k = s.turn
    while s.hand[k, r] < needed:
        found, free = 0, s.count[k] - s.hand[k, r] - min(s.hand[k, other], kept)
        for j in range(1, v.players):
            found += s.hand[j, r] if j != k else 0
        if found == 0 or free <= 0:
            return
        i, j, n, x = below(g, found), 1, below(g, free), 0
        while j == k or i >= s.hand[j, r]:
            i -= s.hand[j, r] if j != k else 0
            j += 1
        while n >= spare(s, k, x, r, other, kept):
            n -= spare(s, k, x, r, other, kept)
            x += 1
        swap(v, s, k, x, j, r)
        swap(v, root, k, x, j, r)


@jit
def spare(s: Any, k: int, x: int, r: int, other: int, kept: int) -> Any:
    """Return the number of cards of rank x that a hand can spare."""
    if x == r:
        return 0
    return s.hand[k, x] - (min(s.hand[k, x], kept) if x == other else 0)


@implements(history_sampling.vary, Variant)
def vary(v: Variant, root: Any, s: Any, g: Any) -> bool:
    """Exchange hidden cards of two hands."""
    holders = 0
    for k in range(1, v.players):
        holders += s.count[k] > 0
    if holders < 2:
        return False
    i, j = 1 + below(g, v.players - 1), 1 + below(g, v.players - 1)
    mine, theirs = hidden(v, s, i), hidden(v, s, j)
    if i != j and mine and theirs:
        swap(v, root, i, nth_hidden(v, s, i, below(g, mine)), j, nth_hidden(v, s, j, below(g, theirs)))
    return True
