"""Scripted Durak players, from random play up: compiled functions of the view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, read_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.durak.actions import Actions
from kozyr.envs.durak.cards import RANK, SUIT, SUITS
from kozyr.envs.durak.rules import Variant
from kozyr.envs.durak.view import Parts

PASSIVE, LOW = 1, 2
NOTHING = -1
_TRUMP_COST = 13  # a trump is dearer than any card of another suit
_PAIR = 5  # ranks that each further card of an attack's rank in hand is worth, for it may be thrown in; two seats only
_TABLED = 3  # ranks that a beating card is cheaper if its rank lies on the table, for it invites no other
_WATCHED = 2  # ranks that an attack is dearer if the defender is known to hold a card of its suit that beats it
_BEATEN, _UNBEATEN = 4, 3  # the same, and how much cheaper one that nothing beats is, once two seats' hands are known
_SAVED = 4  # so many of the highest trumps beat nothing while cards are left to draw …
_SAVERS = 4  # … with up to so many seats
_CLOSING = 2  # stock at which two seats begin to throw in trumps


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    at = Parts(v)
    trump = suit_of_trump(view, at)
    if level == PASSIVE:
        return passive(v, view, mask, at, trump)
    if level == LOW:
        return low(v, view, mask, at, trump)
    return heuristic(v, view, mask, at, trump)


@jit
def suit_of_trump(view: NDArray[Any], at: Parts) -> int:
    """Return the trump suit."""
    for suit in range(SUITS):
        if view[at.trump + suit]:
            return suit
    return NOTHING


@jit
def cheapest(v: Variant, mask: NDArray[np.int8], trump: int, trumps: bool) -> int:
    """Return the play of the legal card of the lowest cost, trumps only if allowed, or NOTHING."""
    play, best, best_cost = Actions(v).play, NOTHING, 1000
    for c in range(v.deck):
        if mask[play + c]:
            is_trump = SUIT[v.deck, c] == trump
            cost = RANK[v.deck, c] + (_TRUMP_COST if is_trump else 0)
            if cost < best_cost and (trumps or not is_trump):
                best, best_cost = play + c, cost
    return best


@jit
def passive(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Attack once with the lowest card; beat with the lowest non-trump, with trumps once the stock is out."""
    done = Actions(v).done
    if not mask[done]:
        return cheapest(v, mask, trump, True)
    if not view[at.defender]:
        return done
    play = cheapest(v, mask, trump, view[at.stock] == 0)
    return done if play == NOTHING else play


@jit
def low(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Attack and beat as cheaply as possible, take only if forced.

    Throw in every fitting non-trump, and anything once the stock is out.
    """
    done = Actions(v).done
    trumps = view[at.defender] == 1 or not mask[done] or view[at.stock] == 0
    play = cheapest(v, mask, trump, trumps)
    return done if play == NOTHING else play


@jit
def heuristic(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Attack with what can be followed up and hardly be beaten; transfer, show, or beat without giving ranks away.

    While cards are left to draw, rather take than spend one of the highest trumps.
    """
    if not view[at.defender]:
        return heuristic_attack(v, view, mask, at, trump)
    if v.transfer:
        transfer = Actions(v).transfer
        for c in range(v.deck):
            if mask[transfer + c] and SUIT[v.deck, c] != trump:
                return transfer + c
    if v.show_trump and mask[Actions(v).show]:
        return Actions(v).show
    return heuristic_defence(v, view, mask, at, trump)


@jit
def heuristic_attack(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Return the cheapest attack, counting what it brings and meets; thrown in are trumps only towards the end."""
    choices, duel, ranks = Actions(v), v.players == 2, v.deck // SUITS
    opens = not mask[choices.done]
    trumps = opens or view[at.stock] <= (_CLOSING if duel else 0)
    mine, theirs = cards(view[at.hand : at.shown]), known_of_defender(v, view, at)
    over = duel and view[at.stock] == 0
    if over:
        theirs = unseen(v, view, at)
    theirs_trump = theirs >> (trump * ranks) & ((1 << ranks) - 1)
    suits, all_ranks = SUIT[v.deck], RANK[v.deck]
    best, best_cost = choices.done, 1000
    for c in range(v.deck):
        if mask[choices.play + c]:
            suit, rank = int(suits[c]), int(all_ranks[c])
            if suit != trump or trumps:
                cost = rank + (_TRUMP_COST if suit == trump else 0)
                if opens and duel:
                    cost -= _PAIR * (count_rank(mine, rank, ranks) - 1)
                if theirs >> (c + 1) & ((1 << (ranks - 1 - rank)) - 1):
                    cost += _BEATEN if over else _WATCHED
                elif over and (suit == trump or theirs_trump == 0):
                    cost -= _UNBEATEN
                if cost < best_cost:
                    best, best_cost = choices.play + c, cost
    return best


@jit
def known_of_defender(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Return the cards that the defender, another seat, is known to hold, a bit for each."""
    for j in range(1, v.players):
        if view[at.defender + j]:
            first = at.known + (j - 1) * v.deck
            return cards(view[first : first + v.deck])
    return 0


@jit
def unseen(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Return the cards that the view does not show, a bit for each."""
    visible = cards(view[at.hand : at.shown]) | cards(view[at.discard : at.bottom]) | tabled(view, at)
    return ((1 << v.deck) - 1) & ~visible


@jit
def tabled(view: NDArray[Any], at: Parts) -> int:
    """Return the cards on the table, a bit for each."""
    return cards(view[at.attack : at.defence]) | cards(view[at.defence : at.open])


@jit
def cards(part: NDArray[Any]) -> int:
    """Return the cards that a part of the view marks, a bit for each."""
    return read_bits(part, 0, len(part))


@jit
def count_rank(mine: int, rank: int, ranks: int) -> int:
    """Return the number of cards of a rank."""
    n = 0
    for suit in range(SUITS):
        n += mine >> (suit * ranks + rank) & 1
    return n


@jit
def heuristic_defence(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, trump: int) -> int:
    """Return the cheapest card that beats, ranks on the table first, or the pass if only the highest trumps do."""
    saves, ranks = view[at.stock] > 0 and v.players <= _SAVERS, v.deck // SUITS
    top = ranks - (_SAVED if saves else 0)
    table = tabled(view, at)
    suits, all_ranks, choices = SUIT[v.deck], RANK[v.deck], Actions(v)
    best, best_cost = choices.done, 1000
    for c in range(v.deck):
        if mask[choices.play + c]:
            is_trump, rank = suits[c] == trump, int(all_ranks[c])
            if not is_trump or rank < top:
                cost = rank + (_TRUMP_COST if is_trump else 0) - (_TABLED if count_rank(table, rank, ranks) else 0)
                if cost < best_cost:
                    best, best_cost = choices.play + c, cost
    return best
