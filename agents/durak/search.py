"""Search players of Durak: an exact endgame for two, and before it imagined worlds with a value between rounds.

The worlds are deals that fit all that a seat has seen: who laid which card, and what it drew itself.
"""

from functools import cached_property
from math import tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.durak.beliefs import believe
from kozyr.agents.durak.endgame import PAUSED, Endgame, begin, endgame, in_order, plain, solve
from kozyr.agents.search import determinization, history_sampling
from kozyr.agents.search.pimc import Pimc
from kozyr.agents.search.searcher import UNSOLVED, Searcher
from kozyr.agents.search.solver import Solver
from kozyr.envs.compile import count_bits, jit, lowest_bit, read_bits
from kozyr.envs.core.dispatch import imagine, implements
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.actions import SHOW, WITH_CARD, split
from kozyr.envs.durak.cards import DECK, RANK, SUIT, SUITS, bit
from kozyr.envs.durak.rules import STOCK, Variant, trump_of_attack
from kozyr.envs.durak.view import Parts

WORLDS = 400  # as cheap as 100 played to the end, and clearly better than 100
ROUNDS = 4  # that two seats play on in an imagined world
_NODES = 20_000  # of the first compiled call

# The value of two hands between rounds: a logistic model of what perfect play makes of them, fitted to 16,000 solved
# endgames with 36 and 52 cards. Its 5 numbers explain half of the variance, as do 25 with one a rank.
_FROM = (0, 1, 4, 7, 13, 19, 25)  # stock at which each row of weights begins
_ROWS = np.searchsorted(_FROM, np.arange(DECK + 1), "right") - 1  # [stock]
_WORTH = np.array(
    [  # logits: a plain ace, less a rank, a trump ace, less a rank, to open the round
        (0.080, 0.110, 1.250, 0.110, 0.710),
        (0.135, 0.056, 0.792, 0.042, 0.331),
        (0.145, 0.038, 0.680, 0.038, 0.210),
        (0.098, 0.022, 0.528, 0.037, 0.125),
        (0.063, 0.013, 0.407, 0.033, 0.076),
        (0.038, 0.008, 0.317, 0.028, 0.056),
        (0.027, 0.005, 0.262, 0.022, 0.032),
    ]
)


class Duel(Searcher):
    """Play exactly once two seats have nothing hidden left."""

    nodes = 100_000  # an endgame that needs more is left to the player without it

    @cached_property
    def _end(self) -> Endgame:
        return endgame(self.game, self.variant)

    def solvable(self, view: NDArray[Any]) -> bool:
        """Return True if two seats have nothing hidden left."""
        return plain(self.variant, view)

    def solved(self, view: NDArray[Any], mask: NDArray[np.int8], base: int, seed: int) -> int:
        """Return `base` or an action worth more where nothing is hidden, UNSOLVED elsewhere."""
        if not self.solvable(view):
            return UNSOLVED
        begin(self.variant, view, self.nodes, self._end)
        for steps in self.pace(_NODES).calls():
            action = solve(self.variant, mask, base, steps, self._end)
            if action != PAUSED:
                return action
        return UNSOLVED

    def listed(self, view: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the legal actions that the endgame tries; elsewhere all."""
        if not self.solvable(view):
            return mask
        begin(self.variant, view, 1, self._end)
        return in_order(mask, self._end)


class DurakSolver(Duel, Solver):
    """Play the scripted player's action until two seats have nothing hidden left, and from then on exactly."""


class DurakPimc(Duel, Pimc):
    """Search imagined worlds, which last a few rounds only between two seats, and solve endgames."""

    def __init__(self, game: Game, variant: Any, level: int, budget: int = WORLDS, **options: Any) -> None:
        super().__init__(game, variant, level, budget, **options)


@implements(determinization.sample_world, Variant)
def sample_world(
    v: Variant, view: NDArray[Any], seed: int, world: int, level: int, board: determinization.Scratch
) -> int:
    """Imagine hands that the others may well hold."""
    believe(v, view, seed, level, board)
    return level


@implements(determinization.is_cutoff, Variant)
def is_cutoff(v: Variant, s: Any, root: Any) -> bool:
    """Return True if two seats are between rounds, ROUNDS later or with no stock left.

    A world in which nothing is hidden is played to the end.
    """
    hidden = v.deck - root.drawn > v.open_trump
    between = v.players == 2 and s.laid == 0 and (s.drawn == v.deck or s.rounds - root.rounds >= ROUNDS)
    return s.turn == OVER or (between and hidden)


@implements(determinization.evaluate, Variant)
def evaluate(v: Variant, s: Any, root: Any, seat: int) -> float:
    """Return the payoff, or between rounds of two seats the expected one."""
    if s.turn == OVER or v.players > 2:
        return 1.0 * s.payoff[seat]
    return promise(v, s) if seat == 0 else -promise(v, s)


@jit
def promise(v: Variant, s: Any) -> float:
    """Return the expected payoff of seat 0 between rounds, from −1 to 1."""
    row, ranks = _ROWS[v.deck - s.drawn], v.deck // SUITS
    w = _WORTH[row]
    plain, less, trump, less_trump, move = w[0], w[1], w[2], w[3], w[4]
    worth = move if s.turn == 0 else -move
    suits, all_ranks = SUIT[v.deck], RANK[v.deck]
    hands = s.cards[0] | s.cards[1]
    while hands:
        c = lowest_bit(hands)
        hands &= hands - 1
        below = ranks - 1 - all_ranks[c]
        card = trump - less_trump * below if suits[c] == s.trump else plain - less * below
        worth += card if s.cards[0] >> c & 1 else -card
    return tanh(worth / 2)


@history_sampling.follows_from_deal.register(Variant)
def follows_from_deal(v: Variant) -> bool:
    """Return True: all cards are laid openly, and the stock is shuffled once."""
    return True


@implements(history_sampling.begin, Variant)
def begin_deal(v: Variant, view: NDArray[Any], seed: int, s: Any) -> None:
    """Imagine the first round, whose number no view tells."""
    imagine(v, view, seed, s)
    s.rounds = 1


@implements(history_sampling.supply, Variant)
def supply(v: Variant, root: Any, s: Any, a: int, g: Any) -> None:
    """Give the seat to move the card that it lays or shows, for any hidden one of its hand."""
    kind, c = split(v, a)
    if kind == SHOW:
        c = lowest_bit(trump_of_attack(v, s))
    elif kind not in WITH_CARD:
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
