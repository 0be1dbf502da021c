"""Imagine Daifugo hands with which the others would have played as they did.

Only a view with `history` tells who laid what. A round is played again from its first set, which shows every moment at
which another seat laid a set or passed; whatever such a seat holds now, the sets that it has laid since were in its
hand. Hidden cards are exchanged between hands (Metropolis's rule), so that worlds come the more often the fewer of the
moments the scripted player would have played otherwise. Each world of a search begins where the one before ended, so
they are alike: late in a round a hundred of them say as much as a few dozen drawn one by one. Ten times as many
exchanges between them did not make the search stronger, though.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.worlds import PAST, Scratch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import imagine, legal, observe, play
from kozyr.envs.core.rng import below, mixed, unit
from kozyr.envs.core.row import RANDOM, choose, only_action
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.round import clear_table
from kozyr.envs.daifugo.rules import KIND, NATURAL, RANK, WITH_JOKER
from kozyr.envs.daifugo.variant import JOKER, SEATS, Variant
from kozyr.envs.daifugo.view import Parts, write_counts

FIRST, NEXT = 1000, 20  # exchanges tried before the first world, and before each of the others
SURPRISE = 0.03  # chance that a seat plays otherwise than the scripted player
_PASS = 0
# What `notes` holds: how many moments there are, at how many of them each seat is a surprise, then for each moment …
_MOMENTS, _FIELDS = SEATS, 5
_SEAT, _ACTION, _LAID, _RANK, _UPSIDE = range(_FIELDS)


@jit
def believe(v: Variant, view: NDArray[Any], seed: int, world: int, level: int, b: Scratch) -> None:
    """Write a world in which the others hold what fits all that they have done in this round."""
    s, g = b.states[0], b.rngs[0]
    if world == 0 or b.notes[0] == 0:
        imagine(v, view, seed, s)
    g.rng = mixed(np.uint64(seed))
    if world == 0:
        b.notes[0] = 0 if level == RANDOM or s.phase != PLAY else recall(v, b)
        for k in range(1, v.players):
            b.notes[k] = surprises(v, s, k, level, PAST, b)
    if b.notes[0]:
        for _ in range(NEXT if world else FIRST):
            exchange(v, s, level, g, b)


@jit
def recall(v: Variant, b: Scratch) -> Any:
    """Note the moments of this round at which another seat acted, and return how many there were."""
    now = b.states[0]
    b.states[2] = now
    s = b.states[2]
    clear_table(s)
    for k in range(v.players):
        s.count[k] = now.count[k]
        write_counts(now.hand[k], s.hand[k])
    for i in range(now.log):
        s.count[now.log_seat[i]] += take_back(v, s, now.log_seat[i], now.log_set[i])
    s.turn, count = now.log_seat[0], 0
    for i in range(now.log):
        count = pass_on(v, s, now.log_seat[i], now.log_lead[i] == 1, count, b)
        if s.turn != now.log_seat[i]:
            return 0  # a position that was put together, not played
        count = note(v, s, now.log_set[i], count, b)
        play(v, s, now.log_set[i])
    return pass_on(v, s, now.turn, now.laid == 0, count, b)


@jit
def take_back(v: Variant, s: Any, k: int, a: int) -> Any:
    """Put the cards of a set into a hand and return how many they are."""
    kind = KIND[v.ranks, a]
    natural, joker = NATURAL[kind], WITH_JOKER[kind]
    s.hand[k, RANK[v.ranks, a]] += natural
    s.hand[k, JOKER] += joker
    return natural + joker


@jit
def pass_on(v: Variant, s: Any, seat: int, lead: bool, count: Any, b: Scratch) -> Any:
    """Let everybody pass until a seat is to lead, or to answer, and return how many moments are noted."""
    while s.laid and s.turn >= 0 and (lead or s.turn != seat):
        count = note(v, s, _PASS, count, b)
        play(v, s, _PASS)
    return count


@jit
def note(v: Variant, s: Any, a: int, count: Any, b: Scratch) -> Any:
    """Note a moment with what the seat to move, unless it is the first, has done; return how many are noted."""
    if s.turn == 0 or count == PAST:
        return count
    observe(v, s, s.turn, b.past[count])
    at = _MOMENTS + _FIELDS * count
    b.notes[at + _SEAT], b.notes[at + _ACTION] = s.turn, a
    b.notes[at + _LAID], b.notes[at + _RANK], b.notes[at + _UPSIDE] = s.laid, s.rank, s.upside
    return count + 1


@jit
def surprises(v: Variant, world: Any, k: int, level: int, most: Any, b: Scratch) -> Any:
    """Return at how many moments a seat with its hand of this world did what the scripted player would not have.

    The answer is right up to `most`; where it is more, it is any larger number.
    """
    s, found = b.states[2], 0
    s.turn, s.phase = k, PLAY
    write_counts(world.hand[k], s.hand[k])
    for i in range(b.notes[0] - 1, -1, -1):
        at = _MOMENTS + _FIELDS * i
        if b.notes[at + _SEAT] != k:
            continue
        a, seen = b.notes[at + _ACTION], b.past[i]
        if a != _PASS:
            take_back(v, s, k, a)
        write_counts(s.hand[k], seen[Parts(v).hand :])
        s.laid, s.rank, s.upside = b.notes[at + _LAID], b.notes[at + _RANK], b.notes[at + _UPSIDE]
        legal(v, s, b.mask)
        found += only_action(b.mask) < 0 and choose(v, level, seen, b.mask, b.rngs[0]) != a
        if found > most:
            break
    return found


@jit
def exchange(v: Variant, s: Any, level: int, g: Any, b: Scratch) -> None:
    """Exchange two hidden cards between two hands, if chance will."""
    i, j = 1 + below(g, v.players - 1), 1 + below(g, v.players - 1)
    mine, theirs = hidden(s, i), hidden(s, j)
    if i == j or mine == 0 or theirs == 0:
        return
    c, d = nth_hidden(s, i, below(g, mine)), nth_hidden(s, j, below(g, theirs))
    if c == d or c > s.top[j] or d > s.top[i]:
        return
    swap(s, i, c, j, d)
    most, chance = b.notes[i] + b.notes[j], unit(g)
    while chance < SURPRISE and most < 2 * PAST:
        chance /= SURPRISE
        most += 1
    first = surprises(v, s, i, level, most, b)
    second = surprises(v, s, j, level, most - first, b) if first <= most else 0
    if first + second <= most:
        b.notes[i], b.notes[j] = first, second
    else:
        swap(s, i, d, j, c)


@jit
def hidden(s: Any, k: int) -> int:
    """Return how many cards of a hand are not known to all."""
    n = s.count[k]
    for r in range(JOKER + 1):
        n -= s.known[k, r]
    return n


@jit
def nth_hidden(s: Any, k: int, n: int) -> int:
    """Return the rank of the n-th card of a hand that is not known to all, from 0."""
    r = 0
    while n >= s.hand[k, r] - s.known[k, r]:
        n -= s.hand[k, r] - s.known[k, r]
        r += 1
    return r


@jit
def swap(s: Any, i: int, c: int, j: int, d: int) -> None:
    """Exchange a card of rank c of one hand for one of rank d of another."""
    s.hand[i, c] -= 1
    s.hand[j, c] += 1
    s.hand[j, d] -= 1
    s.hand[i, d] += 1
