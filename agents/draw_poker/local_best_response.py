"""Local best response: a lower bound of what can be won from a poker player whose policy is known.

Lisý and Bowling, "Equilibrium approximation quality of current no-limit poker bots", AAAI-17 workshop. The responder
keeps a range of hands that the others may hold. Whenever it is to bet it takes the action that wins most chips if
everybody checks and calls from then on. But those who have still to act in this round fold where the known player
would. The known player exchanges the others' cards, and the strongest scripted player the responder's own, in
the range as in the game. `RangeSearch` asks more: in the same hands the known player plays on as it does.

The range follows the whole hand. Hands are dealt before anybody has acted. Each is weighed by how likely the known
player would have bet and exchanged with it as the others have done; which cards it exchanges is drawn from those
chances. Where few hands carry the weight, the range is drawn anew.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.agent import Agent, Scripted
from kozyr.agents.search import history_sampling
from kozyr.agents.search.belief import likely, normal, resampled
from kozyr.agents.search.determinization import Scratch, ply, scratch
from kozyr.agents.search.guided_rollouts import Rolls, rolls
from kozyr.agents.search.history_sampling import HIDDEN, begin_all, deals
from kozyr.agents.search.response import SearchResponder
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import mixed, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.actions import CALL, DISCARD, FOLD, RAISE, Actions, split
from kozyr.envs.draw_poker.deck import hand_size, own
from kozyr.envs.draw_poker.evaluate import DECK
from kozyr.envs.draw_poker.rules import EXCHANGE, TOURNAMENT, Variant
from kozyr.envs.draw_poker.view import Parts
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops.single_table import show
from kozyr.envs.loops.tables import play_all

_LEAST = 1e-9  # chance of anything that a player has done
HANDS = 200  # in the range
MOST = 10_000  # of them
SIZES = 3  # of raises that are compared: the lowest, the highest, and some between


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


class LocalResponse:
    """Bet as if everybody checked and called from then on.

    Args:
        game: the game; variant: its options.
        known: who plays all other seats.
        level: the scripted player that exchanges cards.
        simulations: hands in the range.

    Raises:
        ValueError: for a tournament, and no number of hands from 1 to MOST.
    """

    def __init__(self, game: Game, variant: Variant, known: Agent, level: int, simulations: int = HANDS) -> None:
        if variant.episode == TOURNAMENT:
            raise ValueError("a local best response counts the chips of a hand: leave out episode=tournament")
        self.simulations = n = argument_checks.count("simulations", simulations, 1, MOST)
        self._game, self._variant, self._known, self._level = game, variant, known, level
        self._exchanger, self._board = Scripted(game, variant, level, "exchanger"), scratch(game, variant)
        self._lines, self._range = rolls(game, variant, n, 2 + SIZES), Range(game, variant, known, n)

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a hand from what the seat sees first: [view]; the seed fixes its random choices."""
        self._seed, self._plies = seed, 0
        self._exchanger.reset(0, seed)
        self._range.begin(view, seed)

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Be told who acted (0 is the seat itself), how (or HIDDEN), and what it sees now: [view]."""
        self._plies += 1
        self._range.saw(seat, action, view)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for what the seat sees, [view], and may do, [actions]."""
        if mask[FOLD] == 0 or mask.sum() == 1:
            return int(self._exchanger.act(view, mask))
        at = Parts(self._variant)
        bets = Actions(self._variant).spans()["raises"]
        raises = bets.start + np.flatnonzero(mask[bets])
        raises = raises[np.unique(np.linspace(0, len(raises) - 1, SIZES).astype(int))] if len(raises) else raises
        actions = np.array([CALL, *raises.tolist()])
        values = self._range.weights @ self._won(actions)
        if view[at.to_match] and values.max() < -float(view[at.paid]):
            return FOLD
        return int(actions[values.argmax()])

    def _won(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the chips that each action wins against each hand of the range: [hands, actions]."""
        v, n, lines = self._variant, self.simulations * len(actions), self._lines
        bet_all(v, self._range.states, actions, int(spread(self._seed, self._plies)), lines)
        while count := go_on(v, n, self._level, self._board, lines):
            answer(v, lines, self._known.act_batch(lines.views[:count], lines.masks[:count]))
        return lines.won[:n].reshape(self.simulations, -1).copy()


class RangeSearch(SearchResponder):
    """Search as `SearchResponder` does, in hands of the range."""

    def __init__(self, game: Game, variant: Variant, known: Agent, level: int, **budget: int) -> None:
        super().__init__(game, variant, known, level, **budget)
        self._range = Range(game, variant, known, self.simulations)

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a hand."""
        super().begin(view, seed)
        self._range.begin(view, seed)

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Be told what has happened."""
        super().saw(seat, action, view)
        self._range.saw(seat, action, view)

    def worlds(self, view: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the range, [n], and its weights, [n]."""
        return self.shuffled(self._range.states, self._range.weights)


def search(game: Game, variant: Variant, known: Agent, level: int, **budget: int) -> SearchResponder:
    """Return the search that fits: a range follows one hand, and no tournament."""
    return (SearchResponder if variant.episode == TOURNAMENT else RangeSearch)(game, variant, known, level, **budget)


@jit
def bet_all(v: Variant, states: NDArray[Any], actions: NDArray[np.int64], seed: int, lines: Rolls) -> None:
    """Take each action against each hand."""
    n = 0
    for w in range(len(states)):
        for a in actions:
            lines.states[n] = states[w]
            lines.rngs[n].rng = mixed(np.uint64(spread(seed, w)))
            play(v, lines.states[n], a)
            lines.plies_left[n], lines.over[n] = states[w].phase, 0
            n += 1


@jit
def go_on(v: Variant, n: int, level: int, board: Scratch, lines: Rolls) -> int:
    """Check and call in the first `n` lines; note in which the known player is asked: how many."""
    pending: Any = 0
    for i in range(n):
        if lines.over[i]:
            continue
        s: Any = lines.states[i]
        phase = lines.plies_left[i]
        while s.turn != OVER:
            if s.turn and (s.phase == EXCHANGE or s.phase == phase):
                show(v, s, lines.views[pending], lines.masks[pending])
                lines.pending[pending] = i
                pending += 1
                break
            if s.phase == EXCHANGE:
                ply(v, s, level, lines.rngs[i], board)
            else:
                play(v, s, CALL)
        if s.turn == OVER:
            lines.won[i], lines.over[i] = s.change[0], 1
    return pending


@jit
def answer(v: Variant, lines: Rolls, actions: NDArray[np.int64]) -> None:
    """Let the others act as the known player does, but no more than call."""
    for j in range(len(actions)):
        s: Any = lines.states[lines.pending[j]]
        play(v, s, CALL if split(v, actions[j])[0] == RAISE else actions[j])
