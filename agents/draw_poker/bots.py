"""Scripted poker players, and the one by priorities before the exchange and counted cards after it."""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.exchange import best_change, hand_without, is_hand, missing, priorities
from kozyr.agents.draw_poker.hands import COMBINATIONS, HIGH, STRAIGHT, STRAIGHT_FLUSH, VALUE, WHEEL
from kozyr.agents.draw_poker.heuristic import STYLE, play_style
from kozyr.agents.draw_poker.odds import count_unseen, hidden, odds_of_better
from kozyr.agents.draw_poker.two_card_hands import LOWER, beaten, look_at_two
from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.draw_poker.actions import CALL, FOLD, Actions, raise_number
from kozyr.envs.draw_poker.evaluate import DECK, HAND
from kozyr.envs.draw_poker.rules import EXCHANGE, FIRST, Variant
from kozyr.envs.draw_poker.view import Parts

HEURISTIC = 2  # level of LADDER

# Before the exchange: how boldly to bet on what may come, and the level of priority worth staying in for.
RISK = 0.36  # against one other player: 0 trusts the worst priority alone, 1 the best
FLOOR = 2.75
# After the exchange: what counts as a low and a high value of one's own hand.
LOW_VALUE, HIGH_VALUE = 2, 4
HIGH_CHANCE = 0.6  # of a better hand, with hands of two cards
BETTING = 1.0  # how much likelier a better hand is with somebody who has bet the most that is allowed
LESS_LIKELY = 0.5  # values above a limit, with somebody who has exchanged two or three cards
_FIVE = 3  # rank
UNREADABLE = -1  # instead of an action


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    a = play_style(v, view, mask, STYLE) if level == HEURISTIC else play_priority(v, view, mask, Parts(v))
    return a if v.max_discards == HAND or a < Actions(v).discard else within_limit(v, mask, a)


@jit
def within_limit(v: Variant, mask: NDArray[np.int8], a: int) -> int:
    """Return the nearest discard that is legal: the highest of its cards stay as long as there are too many."""
    first = Actions(v).discard
    subset = a - first
    for i in range(HAND - 1, -1, -1):
        if mask[first + subset]:
            break
        subset &= ~(1 << i)
    return first + subset


@jit
def play_priority(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Return the player's action."""
    if v.deck != DECK:
        return decide_on_two(v, view, mask, at)
    if not is_hand(view, at):
        return UNREADABLE
    if view[at.phase + EXCHANGE]:
        return Actions(v).discard + best_change(v, view, at)
    if view[at.phase + FIRST]:
        return bet_on_priority(v, view, mask, at)
    return bet_on_chance(v, view, mask, at)


@jit
def bet_on_priority(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Stake by the worst priority, that of what is in hand, and the best that the coming change serves.

    What is risked on the best one shrinks with every other player who is left.
    """
    worst, best = priorities(v, hand_without(view, at, best_change(v, view, at)))
    level = worst + RISK / sqrt(max(1, others(v, view, at))) * (best - worst)
    price = view[at.to_match] / max(1, view[at.chips])  # of all that it has left
    if level < FLOOR + price:
        return FOLD if view[at.to_match] > 0 else CALL
    return stake(v, view, mask, at, v.max_bet * (level - FLOOR + 1.0) / (COMBINATIONS - FLOOR + 1.0))


@jit
def others(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Count the other players who are left."""
    n = 0
    for j in range(1, v.players):
        n += not (view[at.folded + j] or view[at.out + j])
    return n


@jit
def bet_on_chance(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Fold, call or raise by the value in hand and the chance that somebody holds better.

    That chance is high where calling costs more of the pot than can be won back; a short stack calls with all it has.
    """
    k, mine = hand_without(view, at, 0), HIGH
    for combination in range(COMBINATIONS):
        if missing(v, k, combination) == 0 and VALUE[v.ranking, combination] > VALUE[v.ranking, mine]:
            mine = combination
    lead = _FIVE if k.ranks == WHEEL and mine in (STRAIGHT, STRAIGHT_FLUSH) else k.lead
    value, beaten = VALUE[v.ranking, mine], beaten_by_somebody(v, view, at, mine, lead)
    price = min(view[at.to_match], view[at.chips])
    if value <= LOW_VALUE and beaten > view[at.pot] / max(1, view[at.pot] + price):
        return FOLD if view[at.to_match] > 0 else CALL
    if value >= HIGH_VALUE:
        return stake(v, view, mask, at, v.max_bet * (1.0 - beaten))
    return CALL


@jit
def decide_on_two(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Play a hand of two cards by the same plan: a pair is the highest priority, and one card may bring it."""
    it = look_at_two(v, view, at)
    pair = it.low == it.high
    if view[at.phase + EXCHANGE]:
        return Actions(v).discard + (0 if pair else LOWER)
    if view[at.phase + FIRST]:
        lost, amount = not pair, 1.0 * v.max_bet
    else:
        risk = beaten(it)
        lost, amount = not pair and risk > HIGH_CHANCE, v.max_bet * (1.0 - risk)
    if lost:
        return FOLD if view[at.to_match] > 0 else CALL
    return stake(v, view, mask, at, amount) if pair else CALL


@jit
def stake(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, amount: float) -> int:
    """Raise as near to an amount as is legal, or call if it is no more than the highest bet."""
    for bet in range(min(v.max_bet, round(amount)), view[at.highest], -1):
        if mask[raise_number(v, bet)]:
            return raise_number(v, bet)
    return CALL


@jit
def beaten_by_somebody(v: Variant, view: NDArray[Any], at: Parts, mine: int, lead: int) -> float:
    """Estimate the chance that one of those left holds better than a combination led by a rank."""
    low, middle, high = odds_of_better(v, count_unseen(hidden(view, at)), mine, lead)
    safe = 1.0
    for j in range(1, v.players):
        if not (view[at.folded + j] or view[at.out + j]):
            exchanged = view[at.exchanged + j] - 1
            less = LESS_LIKELY if exchanged >= 3 else 1.0, LESS_LIKELY if exchanged >= 2 else 1.0
            better = low + middle * less[0] + high * less[1]
            safe *= max(0.0, 1.0 - better * (1.0 + BETTING * view[at.second + j] / v.max_bet))
    return 1.0 - safe
