"""Deals of Durak that fit all that a seat has seen: who laid which card, and what it drew itself."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search import history_sampling
from kozyr.envs.compile import count_bits, jit, lowest_bit, read_bits
from kozyr.envs.core.dispatch import imagine, implements
from kozyr.envs.core.rng import below
from kozyr.envs.durak.actions import WITH_CARD, split
from kozyr.envs.durak.cards import bit
from kozyr.envs.durak.rules import STOCK, Variant
from kozyr.envs.durak.view import Parts


@history_sampling.follows_from_deal.register(Variant)
def follows_from_deal(v: Variant) -> bool:
    """Return True: all cards are laid openly, and the stock is shuffled once."""
    return True


@implements(history_sampling.begin, Variant)
def begin(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Imagine the first round, whose number no view tells."""
    imagine(v, view, seed, s)
    s.rounds = 1


@implements(history_sampling.supply, Variant)
def supply(v: Variant, root: Any, s: Any, a: int, g: Any) -> None:
    """Give the seat to move the card that it lays, for any hidden one of its hand."""
    kind, c = split(v, a)
    if kind not in WITH_CARD:
        return
    free = s.cards[s.turn] & ~s.known
    if not s.cards[s.turn] >> c & 1 and free:
        x = nth(free, below(g, count_bits(free)))
        trade(v, root, c, x)
        trade(v, s, c, x)


@implements(history_sampling.receive, Variant)
def receive(v: Variant, root: Any, s: Any, view: NDArray[Any], g: Any) -> None:
    """Give the first seat the cards that it has drawn."""
    hand = read_bits(view, Parts(v).hand, v.deck)
    lacking, wrong = hand & ~s.cards[0], s.cards[0] & ~hand
    while lacking and wrong:
        c, x = lowest_bit(lacking), lowest_bit(wrong)
        trade(v, root, c, x)
        trade(v, s, c, x)
        lacking &= lacking - 1
        wrong &= wrong - 1


@implements(history_sampling.vary, Variant)
def vary(v: Variant, root: Any, s: Any, g: Any) -> bool:
    """Exchange a hidden card of another hand for any hidden card, or for any that was hidden once."""
    theirs = 0
    for k in range(1, v.players):
        theirs |= s.cards[k]
    theirs &= ~s.known
    open_card = bit(int(s.stock[v.deck - 1])) if v.open_trump else np.int64(0)
    stock = s.cards[STOCK] & ~open_card
    if not theirs or (not stock and v.players == 2):
        return False
    c = nth(theirs, below(g, count_bits(theirs)))
    others = theirs | stock if below(g, 2) else bit(v.deck) - 1 & ~open_card
    trade(v, root, c, nth(others, below(g, count_bits(others))))
    return True


@jit
def nth(cards: int, n: int) -> int:
    """Return the n-th of some cards, from 0."""
    for _ in range(n):
        cards &= cards - 1
    return lowest_bit(cards)


@jit
def trade(v: Variant, s: Any, c: int, x: int) -> None:
    """Let two cards, each in a hand or in the stock, change places."""
    both = bit(c) | bit(x)
    for place in range(STOCK + 1):
        here = s.cards[place] & both
        if here and here != both:
            s.cards[place] ^= both
    for i in range(s.drawn, v.deck):
        if s.stock[i] == c:
            s.stock[i] = x
        elif s.stock[i] == x:
            s.stock[i] = c
