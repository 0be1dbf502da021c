"""Belief about hidden cards when the others' policy is known: a particle filter over the whole history.

The particles are deals (`kozyr.agents.search.history_sampling`). Each is weighted by the probability that the known
player would have acted in it as the others did, resampled if few of them carry the weight, and moved by exchanges of
hidden cards that Metropolis's rule accepts (resample and move: Gilks and Berzuini, JRSS B 63, 2001).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.agent import Agent
from kozyr.agents.nets.trained import Trained
from kozyr.agents.search.determinization import scratch
from kozyr.agents.search.history_sampling import (
    Deals,
    Past,
    begin_all,
    choices,
    deals,
    memory,
    mend_all,
    remember,
    retell,
    vary_all,
)
from kozyr.envs.core.game import Game

MOVES = 8  # exchanges tried in every particle before a decision
SURPRISE = 0.1  # weight of a player's probabilities, or of pure chance, beside its certain action
_LEAST = 1e-9  # lowest probability of an action that a player has taken


def likely(known: Any, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return a known player's probability of each action: [n, actions].

    An action that the player surely does not take keeps a small probability: SURPRISE times that of its network, or of
    pure chance. No belief then rests on particles that happen to be perfect. A player that has no `chances` is asked
    for one action a view.

    Args:
        known: the player; views: [n, view]; masks: [n, actions].
    """
    if isinstance(known, Trained):
        doubt = _probabilities(known, views, masks)
        if not getattr(known, "greedy", True):
            return doubt
        sure = np.eye(masks.shape[1])[doubt.argmax(1)]
    else:
        doubt = masks / masks.sum(1, keepdims=True)
        if hasattr(known, "chances"):
            sure = np.asarray(known.chances(views, masks), np.float64)
        else:
            sure = np.eye(masks.shape[1])[known.act_batch(views, masks)]
    mixed: NDArray[np.float64] = (1 - SURPRISE) * sure + SURPRISE * doubt
    return mixed


def _probabilities(known: Any, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return a network's probability of each action."""
    return known.probabilities(views, masks)


class Belief:
    """Deals that fit a seat's history, with weights.

    Attributes:
        weights: [n] of the particles, together 1.
        certain: whether nothing is hidden any more, so that one particle says all.

    Args:
        game: the game; variant: its options, for which `history_sampling.follows_from_deal` is true.
        known: the player in all other seats.
        n: particles.
    """

    def __init__(self, game: Game, variant: Any, known: Agent, n: int) -> None:
        self._variant, self._known, self._n = variant, known, n
        self._game, self._board = game, scratch(game, variant)
        self._rows = choices(game, variant, 0)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget the game, and seed the draws."""
        self._rng = np.random.default_rng(seed)
        self._deals, self._new = (deals(self._game, self._variant, self._n, one) for one in (seed, 0))
        self._memory, self._started, self.certain = memory(), False, False
        self._log_weights, self._log_likelihoods = np.zeros(self._n), np.zeros(self._n)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return the particles' weights: [n], together 1."""
        return normal(self._log_weights)

    def worlds(self, past: Past) -> NDArray[Any]:
        """Return states [n] that are possible now, after the seat's whole history; `weights` has their weights.

        Raises:
            RuntimeError: if no deal fits, as the game does not follow from its deal.
        """
        v, d = self._variant, self._deals
        if not self._started:
            begin_all(v, past.views[0], d)
            self._started = True
        mend_all(v, past, d, self._board)
        logs = self._likelihoods(past, d)
        if not d.fine.any():
            raise RuntimeError(
                f"no deal of {self._game.id} fits what the seat has seen: `follows_from_deal` is wrong about it"
            )
        self._log_weights, self._log_likelihoods = _sound(self._log_weights + logs - self._log_likelihoods), logs
        weights = self.weights
        if 1 / np.square(weights).sum() < self._n / 2:
            self._resample(weights)
        for _ in range(MOVES):
            self.certain = vary_all(v, d, self._new) == 0
            if self.certain:
                break
            self._move(past)
        return d.states

    def _likelihoods(self, past: Past, d: Deals) -> NDArray[np.float64]:
        """Play all deals up to now and return the log-likelihood of the others' choices in each: [n]."""
        most = self._n * int((past.seats != 0).sum())
        if most >= len(self._rows.actions):
            self._rows = choices(self._game, self._variant, 2 * most)
        totals, moments = np.zeros(self._n), self._rows
        rows = retell(self._variant, past, d, self._memory, totals, moments, self._board)
        if rows:
            chances = likely(self._known, moments.views[:rows], moments.masks[:rows])
            logs = np.log(np.maximum(chances[np.arange(rows), moments.actions[:rows]], _LEAST))
            remember(self._memory, moments.keys[:rows], logs)
            totals += np.bincount(moments.deals[:rows], logs, self._n)
        return totals

    def _resample(self, weights: NDArray[np.float64]) -> None:
        """Draw the particles anew by their weights."""
        rows = resampled(weights, self._rng)
        self._deals.roots[:], self._deals.states[:] = self._deals.roots[rows], self._deals.states[rows]
        self._log_likelihoods, self._log_weights = self._log_likelihoods[rows], np.zeros(self._n)

    def _move(self, past: Past) -> None:
        """Accept exchanges of hidden cards by Metropolis's rule."""
        logs = self._likelihoods(past, self._new)
        better = np.log(self._rng.random(self._n)) < logs - self._log_likelihoods
        self._deals.roots[better], self._deals.states[better] = self._new.roots[better], self._new.states[better]
        self._log_likelihoods[better] = logs[better]


def _sound(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms of weights of which one at least is above zero."""
    logs = np.nan_to_num(logs, nan=-np.inf, posinf=0.0, neginf=-np.inf)
    return logs if np.isfinite(logs).any() else np.zeros_like(logs)


def normal(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights [n], together 1, from their logarithms [n]."""
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def resampled(weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return indices [n] of the particles to keep, some more than once, by weights [n] (systematic resampling)."""
    points = (np.arange(len(weights)) + rng.random()) / len(weights)
    return np.minimum(np.searchsorted(np.cumsum(weights), points), len(weights) - 1)
