"""Imagine Daifugo hands with which the others would have played as they did.

Only a view with `history` tells who laid what. A round is played again from its first set, which shows every moment at
which another seat laid a set or passed; whatever such a seat holds now, the sets that it has laid since were in its
hand. Hidden cards are exchanged between hands (Metropolis's rule), so that worlds come the more often the fewer of the
moments the scripted player would have played otherwise. Each world of a search begins where the one before ended, so
they are alike: late in a round a hundred of them say as much as a few dozen drawn one by one. Ten times as many
exchanges between them did not make the search stronger, though.

Without suits the rule also makes up for the number of ways in which hands that have laid cards can be dealt:
`hands.exchange_factor`.

Where cards have suits, up to three pairs change hands at once. One pair at a time got stuck: a few cards before the end
of a round some hands never came that were due in a third of the worlds.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.daifugo.hands import (
    copy_hand,
    exchange_factor,
    hidden,
    may_hold,
    nth_hidden,
    show_hand,
    swap,
    take_back,
)
from kozyr.agents.search.determinization import PAST, Scratch
from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core.dispatch import imagine, legal, observe, play
from kozyr.envs.core.rng import below, mixed, unit
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import PLAY, clear_table, follows
from kozyr.envs.daifugo.suited.rules import DIAMONDS, clear
from kozyr.envs.daifugo.suited.sets import CARDS_OF
from kozyr.envs.daifugo.variant import JOKER, SEATS, THREE_OF_DIAMONDS, Variant
from kozyr.envs.loops.single_table import RANDOM, choose, only_action

FIRST, SUITED, NEXT = 1000, 250, 20  # exchanges tried before the first world, with suits, and before each of the others
PAIRS = 3  # of cards with suits that are exchanged at once, at most
SURPRISE = 0.03  # chance that a seat plays otherwise than the scripted player
_ROOM = 4 * PAIRS
# What `notes` holds: how many moments there are, at how many of them each seat is a surprise, then for each moment …
_MOMENTS, _FIELDS = SEATS, 7
_SEAT, _ACTION, _LAID, _RANK, _UPSIDE, _LIES, _BOUND = range(_FIELDS)


@jit
def believe(v: Variant, view: NDArray[Any], seed: int, world: int, level: int, b: Scratch) -> None:
    """Write a world in which the others' hands fit all their actions of this round."""
    s, g = b.states[0], b.rngs[0]
    if world == 0 or b.notes[0] == 0:
        imagine(v, view, seed, s)
    g.rng = mixed(np.uint64(seed))
    s.rng = np.uint64(seed)  # its own luck is another in every world
    if world == 0:
        b.notes[0] = 0 if level == RANDOM or s.phase != PLAY else recall(v, b)
        for k in range(1, v.players):
            b.notes[k] = surprises(v, s, k, level, PAST, b)
    if b.notes[0]:
        for _ in range(NEXT if world else SUITED if v.suits else FIRST):
            exchange(v, s, level, g, b)


@jit
def recall(v: Variant, b: Scratch) -> Any:
    """Note the moments of this round at which another seat acted, and return their number."""
    now = b.states[0]
    b.states[2] = now
    s = b.states[2]
    if v.suits:
        clear(s)
    else:
        clear_table(s)
    for k in range(v.players):
        s.count[k] = now.count[k]
        copy_hand(v, now, k, s)
    for i in range(now.log):
        s.count[now.log_seat[i]] += take_back(v, s, now.log_seat[i], now.log_set[i])
    s.turn = s.leads = beginner(v, now)
    count = 0
    for i in range(now.log):
        count = pass_on(v, s, now.log_seat[i], now.log_lead[i] == 1, count, b)
        if s.turn != now.log_seat[i] or (s.laid == 0) != now.log_lead[i]:
            return 0  # a position that was put together, not played
        count = note(v, s, now.log_set[i], count, b)
        play(v, s, now.log_set[i])
    return pass_on(v, s, now.turn, now.laid == 0, count, b)


@jit
def beginner(v: Variant, now: Any) -> int:
    """Return the seat that had the first turn of this round, or the one that laid the first set if that is unknown."""
    if not v.leader_may_pass:
        return int(now.log_seat[0])
    if now.log == 0:
        return int(now.leads)
    if v.start == THREE_OF_DIAMONDS:
        for i in range(now.log):
            if CARDS_OF[now.log_set[i], DIAMONDS] & 1:
                return int(now.log_seat[i])
        return 0 if now.cards[0, DIAMONDS] & 1 else int(now.log_seat[0])
    for k in range(v.players):
        if now.before[k] == v.players - 1 and follows(v, now):
            return k
    return int(now.log_seat[0])


@jit
def pass_on(v: Variant, s: Any, seat: int, lead: bool, count: Any, b: Scratch) -> Any:
    """Let everybody pass until a seat is to lead, or to answer, and return the number of noted moments."""
    while s.turn >= 0 and (s.turn != seat or (lead and s.laid)) and may_pass(v, s):
        count = note(v, s, PASS, count, b)
        play(v, s, PASS)
    return count


@jit
def may_pass(v: Variant, s: Any) -> bool:
    """Return True if the seat to move may have passed, and the round went on."""
    return (s.laid > 0 or v.leader_may_pass) and (v.pass_limit == 0 or s.passes + 1 < v.pass_limit)


@jit
def note(v: Variant, s: Any, a: int, count: Any, b: Scratch) -> Any:
    """Note a moment with what the seat to move, unless it is the first, has done; return how many are noted."""
    if s.turn == 0 or count == PAST:
        return count
    observe(v, s, s.turn, b.past[count])
    at = _MOMENTS + _FIELDS * count
    b.notes[at + _SEAT], b.notes[at + _ACTION] = s.turn, a
    b.notes[at + _LAID], b.notes[at + _RANK], b.notes[at + _UPSIDE] = s.laid, s.rank, s.upside
    b.notes[at + _LIES], b.notes[at + _BOUND] = s.lies, s.bound
    return count + 1


@jit
def surprises(v: Variant, world: Any, k: int, level: int, most: Any, b: Scratch) -> Any:
    """Return the number of moments at which a seat, with its hand of this world, differed from the scripted player.

    The answer is right up to `most`; where it is more, it is any larger number.
    """
    s, count = b.states[2], 0
    s.turn, s.phase = k, PLAY
    copy_hand(v, world, k, s)
    for i in range(b.notes[0] - 1, -1, -1):
        at = _MOMENTS + _FIELDS * i
        if b.notes[at + _SEAT] != k:
            continue
        a, view = b.notes[at + _ACTION], b.past[i]
        if a != PASS:
            take_back(v, s, k, a)
        show_hand(v, s, k, view)
        s.laid, s.rank, s.upside = b.notes[at + _LAID], b.notes[at + _RANK], b.notes[at + _UPSIDE]
        s.lies, s.bound = b.notes[at + _LIES], b.notes[at + _BOUND]
        legal(v, s, b.mask)
        count += only_action(b.mask) < 0 and choose(v, level, view, b.mask, b.rngs[0]) != a
        if count > most:
            break
    return count


@jit
def exchange(v: Variant, s: Any, level: int, g: Any, b: Scratch) -> None:
    """Exchange hidden cards between hands, two by two, if chance will."""
    pairs, counts = stack_array(_ROOM, np.int32), stack_array(SEATS, np.int32)
    n = draw_pairs(v, s, 1 + below(g, PAIRS) if v.suits else 1, g, pairs)
    if n == 0:
        return
    before = 0
    for k in range(1, v.players):
        counts[k] = -1
        for p in range(n):
            if pairs[4 * p] == k or pairs[4 * p + 2] == k:
                counts[k] = 0
        before += b.notes[k] if counts[k] == 0 else 0
    most, chance = before, unit(g) / (1.0 if v.suits else ways_ratio(v, s, pairs))
    while chance < SURPRISE and most < 2 * PAST:
        chance /= SURPRISE
        most += 1
    while chance >= 1 and most >= 0:
        chance *= SURPRISE
        most -= 1
    total = 0
    for k in range(1, v.players):
        if counts[k] == 0 and total <= most:
            counts[k] = surprises(v, s, k, level, most - total, b)
            total += counts[k]
    if total <= most:
        for k in range(1, v.players):
            b.notes[k] = counts[k] if counts[k] >= 0 else b.notes[k]
        return
    for p in range(n - 1, -1, -1):
        swap(v, s, pairs[4 * p], pairs[4 * p + 3], pairs[4 * p + 2], pairs[4 * p + 1])


@jit
def ways_ratio(v: Variant, s: Any, pair: NDArray[np.int32]) -> float:
    """Return the factor of Metropolis's rule for two cards without suits that have changed hands."""
    i, c, j, d = pair[0], pair[1], pair[2], pair[3]
    return ways_ratio_of_card(v, s, i, c, j) * ways_ratio_of_card(v, s, j, d, i)


@jit
def ways_ratio_of_card(v: Variant, s: Any, giver: int, r: int, taker: int) -> float:
    """Return the factor of a card of a rank that has gone from one hand to another."""
    giver_hidden = s.hand[giver, r] - s.known[giver, r] + 1
    taker_hidden = s.hand[taker, r] - s.known[taker, r] - 1
    giver_dealt = giver_hidden + cards_laid(v, s, giver, r)
    taker_dealt = taker_hidden + cards_laid(v, s, taker, r)
    return exchange_factor(giver_hidden, giver_dealt, taker_hidden, taker_dealt)


@jit
def cards_laid(v: Variant, s: Any, k: int, r: int) -> int:
    """Return the number of cards of a rank that a seat has laid in this round, and that were not known before.

    Known ones count as laid first (§13). Those that were known and have all been laid cannot be told from others.
    """
    if s.known[k, r]:
        return 0
    count = 0
    for i in range(s.log):
        a = s.log_set[i]
        if s.log_seat[i] == k:
            kind = KIND[v.ranks, a]
            natural, joker = int(NATURAL[kind]), int(WITH_JOKER[kind])
            count += joker if r == JOKER else natural if RANK[v.ranks, a] == r else 0
    return count


@jit
def draw_pairs(v: Variant, s: Any, most: int, g: Any, pairs: NDArray[np.int32]) -> int:
    """Exchange up to so many pairs of hidden cards, note their owners and cards, and return the number of pairs."""
    n = 0
    for _ in range(most):
        i, j = 1 + below(g, v.players - 1), 1 + below(g, v.players - 1)
        mine, theirs = hidden(v, s, i), hidden(v, s, j)
        if i == j or mine == 0 or theirs == 0:
            continue
        c, d = nth_hidden(v, s, i, below(g, mine)), nth_hidden(v, s, j, below(g, theirs))
        if c == d or not may_hold(v, s, j, c) or not may_hold(v, s, i, d):
            continue
        swap(v, s, i, c, j, d)
        pairs[4 * n], pairs[4 * n + 1], pairs[4 * n + 2], pairs[4 * n + 3] = i, c, j, d
        n += 1
    return n
