"""The hands that the others may hold, knowing how they play: a range that follows the whole hand.

Hands are dealt before anybody has acted. Each is weighed by how likely the known player would have bet and exchanged
with it as the others have done; which cards it exchanges is drawn from those chances. Where few hands carry the weight,
the range is drawn anew.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.agent import Agent
from kozyr.agents.search import history_sampling
from kozyr.agents.search.belief import likely, normal, resampled
from kozyr.agents.search.history_sampling import HIDDEN, begin_all, deals
from kozyr.envs.compile import jit
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.draw_poker.actions import DISCARD, split
from kozyr.envs.draw_poker.deck import hand_size, own
from kozyr.envs.draw_poker.evaluate import DECK
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts
from kozyr.envs.loops.single_table import show
from kozyr.envs.loops.tables import play_all

_LEAST = 1e-9  # chance of anything that a player has done


@history_sampling.is_open.register(Variant)
def is_open(v: Variant, action: int) -> bool:
    """Return True if all see an action: nobody sees the cards that another exchanges."""
    return split(v, action)[0] != DISCARD


class Range:
    """Hands that the others may hold, with weights.

    Attributes:
        states: [n] tables as they may be now, seen from the seat that is 0.

    Args:
        game: the game; variant: its options, for one hand.
        known: who plays all other seats.
        n: hands.
    """

    def __init__(self, game: Game, variant: Variant, known: Agent, n: int) -> None:
        self._game, self._variant, self._known, self._n = game, variant, known, n
        self.states, self._logs = np.zeros(n, game.layout(variant)), np.zeros(n)
        self._views = np.zeros((n, game.size(variant)), game.view_dtype)
        self._masks, self._fine = np.zeros((n, game.actions(variant)), np.int8), np.zeros(n, np.int8)
        split_all = [split(variant, action) for action in range(game.actions(variant))]
        self._counts = np.array([n.bit_count() if kind == DISCARD else -1 for kind, n in split_all])  # cards exchanged

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return the hands' weights: [n], together 1."""
        return normal(self._logs)

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a hand from what the seat sees first: [view]; the seed fixes its random choices."""
        self._rng, self._seed, self._plies = np.random.default_rng(seed), seed, 0
        self._imagine(view, seed)

    def _imagine(self, view: NDArray[Any], seed: int) -> None:
        """Fill the range with any hands."""
        sample = deals(self._game, self._variant, self._n, seed)
        begin_all(self._variant, view, sample)
        self.states, self._logs, self._hand = sample.roots, np.zeros(self._n), view

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Be told who acted (0 is the seat itself), how (or HIDDEN), and what it sees now: [view]."""
        v, self._plies = self._variant, self._plies + 1
        if seat:
            self._weigh(seat, action, view)
        else:
            if split(v, action)[0] == DISCARD:
                self._draw(view)
            play_all(v, self.states, np.full(self._n, action))
        self._hand = view.copy()
        if not np.isfinite(self._logs).any():
            self._imagine(view, int(spread(self._seed, self._plies)))
        weights = self.weights
        if 1 / np.square(weights).sum() < self._n / 2:
            self.states, self._logs = self.states[resampled(weights, self._rng)], np.zeros(self._n)

    def _weigh(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Weigh the range by another seat's action, and let the seat take it."""
        v, at = self._variant, Parts(self._variant)
        show_all(v, self.states, self._views, self._masks)
        chances: NDArray[np.float64] = likely(self._known, self._views, self._masks)
        actions = np.full(self._n, action)
        if action == HIDDEN:
            chances = (chances + _LEAST * self._masks) * (self._counts == view[at.exchanged + seat] - 1)
            ends = chances.cumsum(1)
            actions = (ends < (self._rng.random(self._n) * ends[:, -1])[:, None]).sum(1)
            likelihood = ends[:, -1]
        else:
            likelihood = chances[:, action]
        self._logs = self._logs + np.log(np.maximum(likelihood, _LEAST))
        play_all(v, self.states, actions)

    def _draw(self, view: NDArray[Any]) -> None:
        """Let the seat draw its new cards in the whole range; hands that hold such cards are out of it."""
        cards = slice(Parts(self._variant).cards, Parts(self._variant).cards + DECK)
        new_cards = np.flatnonzero((view[cards] != 0) & (self._hand[cards] == 0))
        draw_all(self._variant, self.states, new_cards, self._fine)
        self._logs = np.where(self._fine == 1, self._logs, -np.inf)


@jit
def show_all(v: Variant, states: NDArray[Any], views: NDArray[Any], masks: NDArray[np.int8]) -> None:
    """Write the views and masks of the seats to move."""
    for i in range(len(states)):
        show(v, states[i], views[i], masks[i])


@jit
def draw_all(v: Variant, states: NDArray[Any], cards: NDArray[np.int64], fine: NDArray[np.int8]) -> None:
    """Put cards on top of what the first seat is to draw; tell where nobody else holds one of them."""
    for i in range(len(states)):
        s, fine[i] = states[i], 1
        for j in range(len(cards)):
            place, top = 0, hand_size(v) + j
            while s.deck[place] != cards[j]:
                place += 1
            if is_dealt(v, s, place):
                fine[i] = 0
            else:
                s.deck[place], s.deck[top] = s.deck[top], s.deck[place]


@jit
def is_dealt(v: Variant, s: Any, place: int) -> bool:
    """Return True if a card of the deck is in another seat's hand, or was."""
    k = place // own(v)
    return 0 < k < v.players and place - own(v) * k < hand_size(v) + max(0, int(s.exchanged[k]))
