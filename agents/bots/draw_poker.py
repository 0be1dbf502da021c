"""Scripted poker players: the document's plan of priorities and counted cards, a compiled function of the view."""

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.jit import jit
from kozyr.envs.draw_poker.actions import SUBSETS
from kozyr.envs.draw_poker.evaluate import DECK, HAND, RANKS, STANDARD, SUITS
from kozyr.envs.draw_poker.rules import CALL, EXCHANGE, FIRST, FOLD, Variant
from kozyr.envs.draw_poker.view import Parts, parts

LADDER = ("random", "document")
HIGH, PAIR, TWO_PAIRS, THREE, FULL, STRAIGHT, FLUSH, STRAIGHT_FLUSH, FOUR, ROYAL = range(10)
COMBINATIONS = 10
VALUE = np.array([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 7, 5, 6, 9, 8, 10]], np.int32)  # [ranking, combination]
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
MIDDLE, TOP = 4, 7  # the limit after three cards or more, and after two

UNSEEN = DECK - HAND  # cards that may come in the exchange
_OUTS = (0, 3, 3, 2, 3, 4, 9, 1, 1, 1)  # of each combination: cards that bring it one card nearer
CHANCE = np.array(  # [combination, cards missing, cards drawn]
    [[[min(1.0, comb(d, j) * (o / UNSEEN) ** j) for d in range(6)] for j in range(6)] for o in _OUTS]
)
NEW_PAIR = np.array([comb(d, 2) * 3 / UNSEEN for d in range(6)])  # [cards drawn]: two of them make a pair
CHOOSE = np.array([[comb(n, k) for k in range(6)] for n in range(RANKS + 1)], np.float64)  # [n, k]
BITS = np.array([ranks.bit_count() for ranks in range(1 << RANKS)])
_FIVE, _SIX = 3, 4  # ranks
_ACE_HIGH, _WHEEL = 0b11111 << 8, 0b1000000001111  # ranks as bits

_RUNS = [[0b11111 << low for low in range(8)] + [_WHEEL] * standard for standard in (0, 1)]
WINDOWS = np.array(  # [ranking, ranks as bits]: how many straights below the ace-high one they fit into
    [((np.arange(1 << RANKS)[:, None] & ~np.array(runs)) == 0).sum(1) for runs in _RUNS], np.int32
)


class Kept(NamedTuple):
    """What the cards kept in an exchange have in common."""

    cards: int
    most: int  # the largest number of cards of one rank
    second: int  # the same among the other ranks
    lead: int  # the rank that most cards have, the highest of several; −1 without cards
    ranks: int  # a bit for each rank
    suited: bool


class Unseen(NamedTuple):
    """The cards that may be in other hands."""

    bits: int  # one for each card
    cards: int
    two: int  # ways to take two cards of different ranks
    three: int
    four: int
    pairs: int  # ways to take two of the same rank


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of the bot at a level of LADDER."""
    at = parts(v)
    if view[at.phase + EXCHANGE]:
        return 2 + v.max_bet + best_change(v, view, at)
    if view[at.phase + FIRST]:
        return bet_on_priority(v, view, mask, at)
    return bet_on_chance(v, view, mask, at)


@jit
def kept(view: NDArray[Any], at: Parts, change: int) -> Kept:
    """Describe the hand without the cards whose bits are set; equal ranks lie side by side in it."""
    cards, most, second, lead, ranks, run, last, suit, suited = 0, 0, 0, -1, 0, 0, -1, -1, True
    for i in range(HAND):
        if (change >> i) & 1:
            continue
        own = at.suits + SUITS * i
        rank, mine = int(view[at.slots + i]) - 1, int(view[own + 1] + 2 * view[own + 2] + 3 * view[own + 3])
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
def missing(v: Variant, k: Kept, combination: int) -> int:
    """Return how many cards a combination still lacks, or BEYOND if the kept cards stand in its way."""
    drawn, loose = HAND - k.cards, k.most <= 1
    if combination <= TWO_PAIRS:
        lacks = max(0, 2 - k.most) if combination else 0
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


@jit
def chance(v: Variant, k: Kept, combination: int, lacks: int) -> float:
    """Estimate the chance that the exchange brings the cards which a combination lacks."""
    ways = CHANCE[combination, lacks, HAND - k.cards]
    if combination == STRAIGHT:
        return ways * (WINDOWS[v.ranking, k.ranks] + ((k.ranks & ~_ACE_HIGH) == 0))
    if combination == STRAIGHT_FLUSH:
        return ways * WINDOWS[v.ranking, k.ranks]
    if combination in (TWO_PAIRS, FULL) and lacks == 2 and k.second == 0:
        return NEW_PAIR[HAND - k.cards]
    return ways


@jit
def service(v: Variant, k: Kept) -> float:
    """Return what a change serves: combinations that need the same cards changed add up, each by its chance."""
    total = 0.0
    for combination in range(COMBINATIONS):
        lacks = missing(v, k, combination)
        if lacks <= HAND - k.cards:
            total += (VALUE[v.ranking, combination] - lacks) * chance(v, k, combination, lacks)
    return total


@jit
def best_change(v: Variant, view: NDArray[Any], at: Parts) -> int:
    """Return the subset of cards whose change serves the most valuable combinations; of equals, the lowest cards."""
    best, most = 0, -1.0
    for change in range(SUBSETS):
        served = service(v, kept(view, at, change))
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
    lead = _FIVE if k.ranks == _WHEEL and mine in (STRAIGHT, STRAIGHT_FLUSH) else k.lead
    value, beaten = VALUE[v.ranking, mine], beaten_by_somebody(v, view, at, mine, lead)
    if value <= LOW_VALUE and beaten > HIGH_CHANCE:
        return FOLD if view[at.to_match] > 0 else CALL
    if value >= HIGH_VALUE:
        return stake(v, view, mask, at, v.max_bet * (1.0 - beaten))
    return CALL


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
    low, middle, high = odds_of_better(v, counted(hidden(view, at), RANKS), mine, lead)
    safe = 1.0
    for j in range(1, v.players):
        if not (view[at.folded + j] or view[at.out + j]):
            exchanged = view[at.exchanged + j] - 1
            less = LESS_LIKELY if exchanged >= 3 else 1.0, LESS_LIKELY if exchanged >= 2 else 1.0
            safe *= max(0.0, 1.0 - low - middle * less[0] - high * less[1])
    return 1.0 - safe


@jit
def hidden(view: NDArray[Any], at: Parts) -> int:
    """Return the cards that are neither in the hand nor among the own discards, as bits."""
    bits = 0
    for c in range(DECK):
        bits |= (1 - int(view[at.cards + c] | view[at.gone + c])) << c
    return bits


@jit
def counted(bits: int, ranks: int) -> Unseen:
    """Count the unseen cards of the lowest ranks."""
    cards, two, three, four, pairs = 0, 0, 0, 0, 0
    for rank in range(ranks):
        n = number(bits, rank)
        four += three * n
        three += two * n
        two += cards * n
        cards += n
        pairs += n * (n - 1) // 2
    return Unseen(bits, cards, two, three, four, pairs)


@jit
def number(bits: int, rank: int) -> int:
    """Return how many cards of a rank are unseen."""
    cards = bits >> rank
    return (cards & 1) + (cards >> RANKS & 1) + (cards >> 2 * RANKS & 1) + (cards >> 3 * RANKS & 1)


@jit
def odds_of_better(v: Variant, u: Unseen, mine: int, lead: int) -> tuple[float, float, float]:
    """Return the chances of better cards worth up to MIDDLE, up to TOP and above; those led alike count half."""
    low, middle, high, value = 0.0, 0.0, 0.0, VALUE[v.ranking, mine]
    for combination in range(COMBINATIONS):
        theirs, ways = VALUE[v.ranking, combination], 0.0
        for rank in range(lead if combination == mine else 0, RANKS if theirs >= value else 0):
            ways += hands(v, u, combination, rank) * (0.5 if combination == mine and rank == lead else 1.0)
        low += ways if theirs <= MIDDLE else 0.0
        middle += ways if MIDDLE < theirs <= TOP else 0.0
        high += ways if theirs > TOP else 0.0
    n = u.cards
    every = n * (n - 1.0) * (n - 2.0) * (n - 3.0) * (n - 4.0) / 120.0
    return low / every, middle / every, high / every


@jit
def hands(v: Variant, u: Unseen, combination: int, rank: int) -> float:
    """Count the hands of five unseen cards that are a combination led by a rank."""
    n = number(u.bits, rank)
    others = u.cards - n
    two = u.two - n * others  # cards of different ranks among the others
    if combination == HIGH:
        return 1.0 * n * counted(u.bits, rank).four
    if combination == PAIR:
        return CHOOSE[n, 2] * (u.three - n * two)
    if combination == TWO_PAIRS:  # a lower pair takes its whole rank from the fifth card
        return CHOOSE[n, 2] * counted(u.bits, rank).pairs * (others - SUITS)
    if combination == THREE:
        return CHOOSE[n, 3] * two
    if combination == FULL:
        return CHOOSE[n, 3] * (u.pairs - CHOOSE[n, 2])
    if combination == FOUR:
        return CHOOSE[n, 4] * others
    if combination == FLUSH:
        return suited(u, rank, 0)
    wheel = v.ranking == STANDARD and rank == _FIVE
    if (rank < _SIX and not wheel) or (combination != STRAIGHT and (combination == ROYAL) != (rank == RANKS - 1)):
        return 0.0
    run, ways = _WHEEL if wheel else 0b11111 << (rank - 4), 1.0
    if combination != STRAIGHT:
        return suited(u, rank, run)
    for other in range(RANKS):
        ways *= number(u.bits, other) if run >> other & 1 else 1
    return ways


@jit
def suited(u: Unseen, rank: int, run: int) -> float:
    """Count the unseen flushes of which this rank is the highest, or the runs of ranks, given as bits, in one suit."""
    ways = 0.0
    for suit in range(SUITS):
        ranks = u.bits >> RANKS * suit
        flush = (ranks >> rank & 1) * CHOOSE[BITS[ranks & ((1 << rank) - 1)], 4]
        ways += flush if run == 0 else 1.0 * ((ranks & run) == run)
    return ways
