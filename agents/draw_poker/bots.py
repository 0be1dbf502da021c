"""Scripted poker players: one by priorities and counted cards, a compiled function of the view."""

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.hands import (
    COMBINATIONS,
    FLUSH,
    FOUR,
    FULL,
    HIGH,
    PAIR,
    ROYAL,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIRS,
    VALUE,
    WHEEL,
)
from kozyr.agents.draw_poker.heuristic import STYLE, play_style
from kozyr.agents.draw_poker.odds import counted, hidden, odds_of_better
from kozyr.agents.draw_poker.two import LOWER, beaten, look_at_two
from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.draw_poker.actions import SUBSETS
from kozyr.envs.draw_poker.evaluate import DECK, HAND, RANKS, SUITS
from kozyr.envs.draw_poker.rules import CALL, EXCHANGE, FIRST, FOLD, Variant
from kozyr.envs.draw_poker.view import Parts

HEURISTIC = 2
BEYOND = 9  # cards missing where the kept cards do not fit a combination

# Before the exchange: how boldly to bet on what may come, and the level of priority worth staying in for.
SAME = 0.01  # changes that serve this much less are as good if they spare higher cards
RISK = 0.25  # 0 trusts the worst priority alone, 1 the best
FLOOR = 2.75
# After the exchange: what counts as a high chance of a better hand, and as a low and a high value of one's own.
HIGH_CHANCE = 0.6
LOW_VALUE, HIGH_VALUE = 2, 4
# Values above the limit are less likely by this factor with somebody who has exchanged so many cards.
LESS_LIKELY = 0.5

UNSEEN = DECK - HAND  # cards that may come in the exchange
_OUTS = (0, 3, 3, 2, 3, 4, 9, 1, 1, 1)  # of each combination: cards that bring it one card nearer
CHANCE = np.array(  # [combination, cards missing, cards drawn]
    [[[min(1.0, comb(d, j) * (o / UNSEEN) ** j) for d in range(6)] for j in range(6)] for o in _OUTS]
)
NEW_PAIR = np.array([comb(d, 2) * 3 / UNSEEN for d in range(6)])  # [cards drawn]: two of them make a pair
_FIVE = 3  # rank
_ACE_HIGH = 0b11111 << 8  # ranks as bits
_CARD_BITS = 6

_RUNS = [[0b11111 << low for low in range(8)] + [WHEEL] * standard for standard in (0, 1)]
WINDOWS = np.array(  # [ranking, ranks as bits]: how many straights below the ace-high one they fit into
    [((np.arange(1 << RANKS)[:, None] & ~np.array(runs)) == 0).sum(1) for runs in _RUNS], np.int32
)
BITS = np.array([ranks.bit_count() for ranks in range(1 << RANKS)])
_FEW = np.flatnonzero(BITS <= HAND).tolist()  # the ranks that a hand without a pair may have


class Kept(NamedTuple):
    """What the cards kept in an exchange have in common."""

    cards: int
    most: int  # the largest number of cards of one rank
    second: int  # the same among the other ranks
    lead: int  # the rank that most cards have, the highest of several; −1 without cards
    ranks: int  # a bit for each rank
    suited: bool


def _missing(v: Variant, k: Kept, combination: int) -> int:
    """Return how many cards a combination still lacks, or BEYOND if the kept cards stand in its way."""
    drawn, loose = HAND - k.cards, k.most <= 1
    if combination <= TWO_PAIRS:
        lacks = max(0, 2 - k.most) if combination >= PAIR else 0
        return lacks + max(0, 2 - k.second) if combination == TWO_PAIRS else lacks
    if combination in (THREE, FOUR):
        return max(0, (3 if combination == THREE else 4) - k.most)
    if combination == FULL:
        fits = k.most <= 3 and k.second <= 2 and k.most + k.second == k.cards
    elif combination == ROYAL:
        fits = loose and k.suited and (k.ranks & ~_ACE_HIGH) == 0
    elif combination == FLUSH:
        fits = loose and k.suited
    else:
        high = combination == STRAIGHT and (k.ranks & ~_ACE_HIGH) == 0
        fits = loose and (WINDOWS[v.ranking, k.ranks] > 0 or high) and (k.suited or combination == STRAIGHT)
    return drawn if fits else BEYOND


def _chance(v: Variant, k: Kept, combination: int, lacks: int) -> float:
    """Estimate the chance that the exchange brings the cards which a combination lacks."""
    ways = CHANCE[combination, lacks, HAND - k.cards]
    if combination == STRAIGHT:
        return ways * (WINDOWS[v.ranking, k.ranks] + ((k.ranks & ~_ACE_HIGH) == 0))
    if combination == STRAIGHT_FLUSH:
        return ways * WINDOWS[v.ranking, k.ranks]
    if combination in (TWO_PAIRS, FULL) and lacks == 2 and k.second == 0:
        return NEW_PAIR[HAND - k.cards]
    return ways


def _service(v: Variant, k: Kept) -> float:
    """Return what a change serves: combinations that need the same cards changed add up, each by its chance."""
    total = 0.0
    for combination in range(COMBINATIONS):
        lacks = _missing(v, k, combination)
        if lacks <= HAND - k.cards:
            total += (VALUE[v.ranking, combination] - lacks) * _chance(v, k, combination, lacks)
    return total


def _services() -> NDArray[np.float64]:
    """Return what every sort of kept cards serves: [ranking, cards, most, second, windows, fit the highest, suited]."""
    services = np.zeros((2, HAND + 1, HAND, 3, WINDOWS.max() + 1, 2, 2))
    for ranking in (0, 1):
        v = Variant(ranking=ranking)
        for most, second in ((2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1)):
            for n in range(most + second, HAND + 1):
                services[ranking, n, most, second] = _service(v, Kept(n, most, second, 0, 0, False))
        sorts = {(int(BITS[r]), int(WINDOWS[ranking, r]), r & ~_ACE_HIGH == 0): r for r in _FEW}
        for (n, windows, high), ranks in sorts.items():
            for suited in (False, True):
                k = Kept(n, min(1, n), int(n > 1), 0, ranks, suited)
                services[ranking, n, k.most, k.second, windows, int(high), int(suited)] = _service(v, k)
    return services


missing = jit(_missing)
SERVICE = _services()


@jit
def service(v: Variant, k: Kept) -> float:
    """Look up what a change serves."""
    if k.most > 1:
        return SERVICE[v.ranking, k.cards, k.most, k.second, 0, 0, 0]
    high = int((k.ranks & ~_ACE_HIGH) == 0)
    return SERVICE[v.ranking, k.cards, k.most, k.second, WINDOWS[v.ranking, k.ranks], high, int(k.suited)]


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    at = Parts(v)
    if level == HEURISTIC:
        return play_style(v, view, mask, STYLE)
    if v.deck != DECK:
        return decide_on_two(v, view, mask, at)
    if view[at.phase + EXCHANGE]:
        return 2 + v.max_bet + best_change(v, view, at)
    if view[at.phase + FIRST]:
        return bet_on_priority(v, view, mask, at)
    return bet_on_chance(v, view, mask, at)


@jit
def cards(view: NDArray[Any], at: Parts) -> int:
    """Pack the hand into a number, _CARD_BITS a card."""
    packed = 0
    for i in range(HAND):
        own = at.suits + SUITS * i
        suit = int(view[own + 1]) + 2 * int(view[own + 2]) + 3 * int(view[own + 3])
        packed |= (SUITS * (int(view[at.slots + i]) - 1) + suit) << _CARD_BITS * i
    return packed


@jit
def kept(view: NDArray[Any], at: Parts, change: int) -> Kept:
    """Describe the hand without the cards whose bits are set; equal ranks lie side by side in it."""
    return left(cards(view, at), change)


@jit
def left(packed: int, change: int) -> Kept:
    """Describe what is left of a packed hand without the cards whose bits are set."""
    cards, most, second, lead, ranks, run, last, suit, suited = 0, 0, 0, -1, 0, 0, -1, -1, True
    for i in range(HAND):
        if (change >> i) & 1:
            continue
        card = packed >> _CARD_BITS * i
        rank, mine = (card >> 2) & 15, card & 3
        suited = suited and (suit < 0 or suit == mine)
        run = run + 1 if rank == last else 1
        if run >= most:
            second = most if rank != lead else second
            most, lead = run, rank
        else:
            second = max(second, run)
        cards, ranks, last, suit = cards + 1, ranks | (1 << rank), rank, mine
    return Kept(cards, most, second, lead, ranks, suited)


@jit
def best_change(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Return the subset of cards whose change serves the most valuable combinations; of equals, the lowest cards."""
    best, most, packed = 0, -1.0, cards(view, at)
    for change in range(SUBSETS):
        served = service(v, left(packed, change))
        if served > most + SAME:
            best, most = change, served
    return best


@jit
def bet_on_priority(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Stake by the worst priority, that of what is in hand, and the best that the coming change serves."""
    k = kept(view, at, best_change(v, view, at))
    worst, best = 0, 0
    for combination in range(COMBINATIONS):
        lacks, value = missing(v, k, combination), VALUE[v.ranking, combination]
        if lacks <= HAND - k.cards:
            best = max(best, value - lacks)
            worst = max(worst, value if lacks == 0 else 0)
    level = worst + RISK * (best - worst)
    price = view[at.to_match] / max(1, view[at.chips])  # of all that it has left
    if level < FLOOR + price:
        return FOLD if view[at.to_match] > 0 else CALL
    return stake(v, view, mask, at, v.max_bet * (level - FLOOR + 1.0) / (COMBINATIONS - FLOOR + 1.0))


@jit
def bet_on_chance(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts) -> int:
    """Fold, call or raise by the value in hand and the chance that somebody holds better."""
    k, mine = kept(view, at, 0), HIGH
    for combination in range(COMBINATIONS):
        if missing(v, k, combination) == 0 and VALUE[v.ranking, combination] > VALUE[v.ranking, mine]:
            mine = combination
    lead = _FIVE if k.ranks == WHEEL and mine in (STRAIGHT, STRAIGHT_FLUSH) else k.lead
    value, beaten = VALUE[v.ranking, mine], beaten_by_somebody(v, view, at, mine, lead)
    if value <= LOW_VALUE and beaten > HIGH_CHANCE:
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
        return 2 + v.max_bet + (0 if pair else LOWER)
    if view[at.phase + FIRST]:
        lost, amount = not pair, 1.0 * v.max_bet
    else:
        chance = beaten(it)
        lost, amount = not pair and chance > HIGH_CHANCE, v.max_bet * (1.0 - chance)
    if lost:
        return FOLD if view[at.to_match] > 0 else CALL
    return stake(v, view, mask, at, amount) if pair else CALL


@jit
def stake(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, amount: float) -> int:
    """Raise as near to an amount as is legal, or call if it is no more than the highest bet."""
    for bet in range(min(v.max_bet, round(amount)), view[at.highest], -1):
        if mask[CALL + bet]:
            return CALL + bet
    return CALL


@jit
def beaten_by_somebody(v: Variant, view: NDArray[Any], at: Parts, mine: int, lead: int) -> float:
    """Estimate the chance that one of those left holds better than a combination led by a rank."""
    low, middle, high = odds_of_better(v, counted(hidden(view, at)), mine, lead)
    safe = 1.0
    for j in range(1, v.players):
        if not (view[at.folded + j] or view[at.out + j]):
            exchanged = view[at.exchanged + j] - 1
            less = LESS_LIKELY if exchanged >= 3 else 1.0, LESS_LIKELY if exchanged >= 2 else 1.0
            safe *= max(0.0, 1.0 - low - middle * less[0] - high * less[1])
    return 1.0 - safe
