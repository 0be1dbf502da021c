"""Local best response: a lower bound of what can be won from a poker player whose policy is known.

Lisý and Bowling, "Equilibrium approximation quality of current no-limit poker bots", AAAI-17 workshop. The responder
keeps a range: hands that the others may hold, weighed by how likely the known player would have bet and exchanged so.
Whenever it is to bet it takes the action that wins most chips if everybody checks and calls from then on. But those who
have still to act in this round fold where the known player would. The known player exchanges the others' cards, and the
strongest scripted player the responder's own, in the range as in the game.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.base import Agent, Scripted
from kozyr.agents.search import past
from kozyr.agents.search.belief import likely, normal, resampled
from kozyr.agents.search.past import HIDDEN, begin_all, deals
from kozyr.agents.search.rolls import Rolls, rolls
from kozyr.agents.search.worlds import Scratch, ply, scratch
from kozyr.envs.api import check
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import mixed, spread
from kozyr.envs.core.row import show
from kozyr.envs.core.state import OVER
from kozyr.envs.core.tables import play_all
from kozyr.envs.draw_poker.deck import hand_size, own
from kozyr.envs.draw_poker.evaluate import DECK
from kozyr.envs.draw_poker.rules import CALL, EXCHANGE, FOLD, TOURNAMENT, Variant
from kozyr.envs.draw_poker.view import Parts

HANDS = 200  # in the range
MOST = 10_000  # of them
SIZES = 3  # of raises that are compared: the lowest, the highest, and some between


@past.is_open.register(Variant)
def is_open(v: Variant, action: int) -> bool:
    """Tell whether all see an action: nobody sees which cards another exchanges."""
    return action < 2 + v.max_bet


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
        self.simulations = n = check.count("simulations", simulations, 1, MOST)
        self._game, self._variant, self._known, self._level = game, variant, known, level
        self._exchanger, self._board = Scripted(game, variant, level, "exchanger"), scratch(game, variant)
        self._views, self._masks = (
            np.zeros((n, game.size(variant)), game.view_dtype),
            np.zeros((n, game.actions(variant)), np.int8),
        )
        self._lines, self._fine = rolls(game, variant, n, 2 + SIZES), np.zeros(n, np.int8)
        changes = range(-2 - variant.max_bet, game.actions(variant) - 2 - variant.max_bet)
        self._counts = np.array([one.bit_count() if one >= 0 else -1 for one in changes])  # [actions] cards exchanged

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a hand from what the seat sees first: [view]; the seed fixes its random choices."""
        self._rng, self._seed, self._plies = np.random.default_rng(seed), seed, 0
        self._exchanger.reset(0, seed)
        self._imagine(view, seed)

    def _imagine(self, view: NDArray[Any], seed: int) -> None:
        """Fill the range with any hands."""
        found = deals(self._game, self._variant, self.simulations, seed)
        begin_all(self._variant, view, found)
        self._states, self._logs, self._hand = found.roots, np.zeros(self.simulations), view

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Be told who acted (0 is the seat itself), how (or HIDDEN), and what it sees now: [view]."""
        v, self._plies = self._variant, self._plies + 1
        if seat:
            self._weigh(seat, action, view)
        else:
            if action >= 2 + v.max_bet:
                self._draw(view)
            play_all(v, self._states, np.full(self.simulations, action))
        self._hand = view.copy()
        if not np.isfinite(self._logs).any():
            self._imagine(view, int(spread(self._seed, self._plies)))
        weights = normal(self._logs)
        if 1 / np.square(weights).sum() < self.simulations / 2:
            self._states, self._logs = self._states[resampled(weights, self._rng)], np.zeros(self.simulations)

    def _weigh(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Weigh the range by another seat's action, and let the seat take it."""
        v, at = self._variant, Parts(self._variant)
        show_all(v, self._states, self._views, self._masks)
        chances: NDArray[np.float64] = likely(self._known, self._views, self._masks)
        actions = np.full(self.simulations, action)
        if action == HIDDEN:
            chances = chances * (self._counts == view[at.exchanged + seat] - 1)
            ends = chances.cumsum(1)
            actions = (ends < (self._rng.random(self.simulations) * ends[:, -1])[:, None]).sum(1)
            given = ends[:, -1]
        else:
            given = chances[:, action]
        self._logs = self._logs + np.log(np.maximum(given, 1e-9))
        play_all(v, self._states, actions)

    def _draw(self, view: NDArray[Any]) -> None:
        """Let the seat draw in the whole range what it has drawn; hands that hold such cards are out of it."""
        cards = slice(Parts(self._variant).cards, Parts(self._variant).cards + DECK)
        drawn = np.flatnonzero((view[cards] != 0) & (self._hand[cards] == 0))
        draw_all(self._variant, self._states, drawn, self._fine)
        self._logs = np.where(self._fine == 1, self._logs, -np.inf)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for what the seat sees, [view], and may do, [actions]."""
        if mask[FOLD] == 0 or mask.sum() == 1:
            return int(self._exchanger.act(view, mask))
        at = Parts(self._variant)
        raises = np.flatnonzero(mask[: 2 + self._variant.max_bet])[2:]
        raises = raises[np.unique(np.linspace(0, len(raises) - 1, SIZES).astype(int))] if len(raises) else raises
        actions = np.array([CALL, *raises.tolist()])
        values = normal(self._logs) @ self._won(actions)
        if view[at.to_match] and values.max() < -float(view[at.paid]):
            return FOLD
        return int(actions[values.argmax()])

    def _won(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the chips that each action wins against each hand of the range: [hands, actions]."""
        v, n, lines = self._variant, self.simulations * len(actions), self._lines
        bet_all(v, self._states, actions, int(spread(self._seed, self._plies)), lines)
        while asked := go_on(v, n, self._level, self._board, lines):
            answer(v, lines, self._known.act_batch(lines.views[:asked], lines.masks[:asked]))
        return lines.won[:n].reshape(self.simulations, -1).copy()


@jit
def show_all(v: Variant, states: NDArray[Any], views: NDArray[Any], masks: NDArray[np.int8]) -> None:
    """Write what the seats to move see and may do."""
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
    """Tell whether a card of the deck is in another seat's hand, or was."""
    k = place // own(v)
    return 0 < k < v.players and place - own(v) * k < hand_size(v) + max(0, int(s.exchanged[k]))


@jit
def bet_all(v: Variant, states: NDArray[Any], actions: NDArray[np.int64], seed: int, lines: Rolls) -> None:
    """Take each action against each hand."""
    n = 0
    for w in range(len(states)):
        for a in actions:
            lines.states[n] = states[w]
            lines.rngs[n].rng = mixed(np.uint64(spread(seed, w)))
            play(v, lines.states[n], a)
            lines.left[n], lines.over[n] = states[w].phase, 0
            n += 1


@jit
def go_on(v: Variant, n: int, level: int, board: Scratch, lines: Rolls) -> int:
    """Check and call in the first `n` lines; note in which the known player is asked: how many."""
    asked: Any = 0
    for i in range(n):
        if lines.over[i]:
            continue
        s: Any = lines.states[i]
        phase = lines.left[i]
        while s.turn != OVER:
            if s.turn and (s.phase == EXCHANGE or s.phase == phase):
                show(v, s, lines.views[asked], lines.masks[asked])
                lines.asked[asked] = i
                asked += 1
                break
            if s.phase == EXCHANGE:
                ply(v, s, level, lines.rngs[i], board)
            else:
                play(v, s, CALL)
        if s.turn == OVER:
            lines.won[i], lines.over[i] = s.change[0], 1
    return asked


@jit
def answer(v: Variant, lines: Rolls, actions: NDArray[np.int64]) -> None:
    """Let the others do what the known player does, but no more than call."""
    for j in range(len(actions)):
        s: Any = lines.states[lines.asked[j]]
        play(v, s, actions[j] if s.phase == EXCHANGE else min(actions[j], CALL))
