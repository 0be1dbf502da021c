"""Imagine Durak hands that other players may well hold.

Who plays low cards first and saves trumps is left with high cards and trumps, while the stock is as it was shuffled.
So hidden cards are exchanged between hands and stock until the hands are as likely as a scripted player's, and that
again until the scripted player would have laid in this round what the others have laid. The view does not tell what
was laid in earlier rounds.
"""

from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.search.determinization import Scratch
from kozyr.envs.compile import count_bits, jit, lowest_bit
from kozyr.envs.core.dispatch import imagine
from kozyr.envs.core.rng import below, mixed, spread, unit
from kozyr.envs.durak.actions import Actions
from kozyr.envs.durak.cards import RANK, SUIT, SUITS, bit, ranks_of
from kozyr.envs.durak.rules import DISCARD, NO_CARD, STOCK, TABLE, Variant
from kozyr.envs.loops.single_table import RANDOM, choose, show

TRIES = 10  # worlds before one is taken that does not fit …
SURPRISE = 0.1  # … and the chance to take such a one at once, for nobody plays quite like the scripted player
_SWEEPS = 2  # exchanges tried for each hidden card in a hand
_PACE = 4.0  # how fast hands and stock come apart: at 1 / _PACE of the deck discarded, 63 % is reached
# Logits late in the game: how much likelier than a plain ace a card is to be in a hand. They were read off 40,000 games
# between two `heuristic` players with 36 and 52 cards.
_LESS = 0.09  # off for each rank that a plain card is lower
_TOPS, _TOP = 4, 1.35  # so many of the highest trumps are saved
_TRUMP, _LESS_TRUMP = 0.2, 0.11  # the highest of the others, and off for each rank below


@jit
def believe(v: Variant, view: NDArray[Any], seed: int, level: int, board: Scratch) -> None:
    """Write a world in which the other hands hold what players keep and have laid what the scripted player would."""
    g = board.rngs[0]
    g.rng = mixed(np.uint64(seed))
    for attempt in range(TRIES):
        imagine(v, view, spread(seed, attempt), board.states[0])
        exchange_all(v, board)
        if fits(v, level, board) or unit(g) < SURPRISE:
            return


@jit
def exchange_all(v: Variant, board: Scratch) -> None:
    """Exchange hidden cards between hands and stock until the hands are likely."""
    s, g, cards = board.states[0], board.rngs[0], board.notes
    stock = v.deck - s.drawn - v.open_trump  # cards of it that nobody has seen
    if stock <= 0:
        return
    hidden, theirs = 0, 0
    for k in range(1, v.players):
        theirs |= s.cards[k]
    theirs &= ~s.known
    while theirs:
        cards[hidden] = lowest_bit(theirs)
        theirs &= theirs - 1
        hidden += 1
    ripe = 1 - exp(-_PACE * count_bits(s.cards[DISCARD]) / v.deck)
    for _ in range(_SWEEPS * hidden):
        exchange(v, s, cards, below(g, hidden), s.drawn + below(g, stock), ripe, g)


@jit
def exchange(v: Variant, s: Any, cards: NDArray[np.int32], i: int, j: int, ripe: float, g: Any) -> None:
    """Exchange the i-th of the cards for the one at place j of the stock, if chance will (Metropolis's rule)."""
    c, d = cards[i], s.stock[j]
    if unit(g) < exp(min(0.0, ripe * (keeping_logit(v, s, d) - keeping_logit(v, s, c)))):
        both = bit(c) | bit(d)
        s.cards[holder(v, s, c)] ^= both
        s.cards[STOCK] ^= both
        s.stock[j], cards[i] = c, d


@jit
def holder(v: Variant, s: Any, c: int) -> int:
    """Return the other seat that holds a card."""
    k = 1
    while not s.cards[k] >> c & 1:
        k += 1
    return k


@jit
def keeping_logit(v: Variant, s: Any, c: int) -> float:
    """Return the logit by which a card is likelier than a plain ace to be in a hand late in the game."""
    lower = v.deck // SUITS - 1 - int(RANK[v.deck, c])
    if SUIT[v.deck, c] != s.trump:
        return -_LESS * lower
    return _TOP if lower < _TOPS else _TRUMP - _LESS_TRUMP * (lower - _TOPS)


@jit
def fits(v: Variant, level: int, board: Scratch) -> bool:
    """Return True if the scripted player would have laid the others' cards of this round, as far as they are known.

    With more than two seats the view tells only who opened the round and who beats.
    """
    s = board.states[0]
    if v.transfer or level == RANDOM:
        return True
    attacker, defender, at = s.attacker, s.defender, Actions(v)
    if s.taking and defender != 0 and not did(v, level, defender, s.beaten + 1, s.beaten, at.done, board):
        return False
    for i in range(min(s.laid, s.beaten + 1) - 1, -1, -1):
        beats, attacks = at.play + int(s.defence[i]), at.play + int(s.attack[i])
        if i < s.beaten and defender != 0 and not did(v, level, defender, i + 1, i, beats, board):
            return False
        if attacker != 0 and (i == 0 or v.players == 2) and not did(v, level, attacker, i, i, attacks, board):
            return False
    return True


@jit
def did(v: Variant, level: int, seat: int, attacks: int, beaten: int, action: int, board: Scratch) -> bool:
    """Return True if the scripted player would have taken an action when so many cards were laid and beaten."""
    board.states[2] = board.states[0]
    s = board.states[2]
    for i in range(attacks, s.laid):
        theirs = i == 0 or v.players == 2  # else the view does not tell whose it was
        take_back(s, s.attack, i, s.attacker if theirs else DISCARD)
        s.count[s.attacker] += theirs
    for i in range(beaten, s.beaten):
        take_back(s, s.defence, i, s.defender)
        s.count[s.defender] += 1
    s.laid, s.beaten, s.turn, s.taking = attacks, beaten, seat, 0
    s.fits = ranks_of(v.deck, s.cards[TABLE])
    show(v, s, board.observed, board.mask)
    return choose(v, level, board.observed, board.mask, board.rngs[0]) == action


@jit
def take_back(s: Any, row: NDArray[np.int8], i: int, place: int) -> None:
    """Put a card of the table where it came from."""
    card = bit(row[i])
    s.cards[TABLE] &= ~card
    s.cards[place] |= card
    row[i] = NO_CARD
