"""Approximate best responses by search, against players whose policy is known.

Sampled worlds fit the seat's whole history, weighted by the probability that the known player would have acted as the
others did (`belief`). Each action is played on in them: the others by the known player, the seat itself by the known
player and, once more, by the strongest scripted one. An action's value is the better of the two (rollouts of several
policies: Chang, Givan and Chong, DEDS 14, 2004). So the seat's result is a lower bound of a best response's; compare
ISMCTS-BR in Timbers et al., "Approximate exploitability", IJCAI 2022.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents import roster
from kozyr.agents.agent import Agent
from kozyr.agents.nets.trained import Trained
from kozyr.agents.search.belief import Belief
from kozyr.agents.search.determinization import Scratch, at_the_end, evaluate, is_cutoff, ply, sample_world, scratch
from kozyr.agents.search.guided_rollouts import Rolls, answer, rolls
from kozyr.agents.search.history_sampling import History, follows_from_deal
from kozyr.envs import registry
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import generic, legal, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import mixed, spread
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops.single_table import only_action

SIMULATIONS = 100  # worlds
MOST = 10_000  # of them
ASK = -1  # the level of a seat whose moves the known player makes
PLIES = 24  # after which a world may end at the cutoff of the game's own searches; before, it is played on
_FEWEST = 10  # worlds after which hopeless arms are left, and again after twice as many
_HOPELESS = 2.0  # standard errors below the best

is_decided = generic(
    "is_decided", "is_decided(v, s, root): tell whether the first seat's payoff is certain.", at_the_end
)


class SearchResponder:
    """Play a best response to players whose policy is known.

    Args:
        game: the game; variant: its options.
        known: the player in all other seats.
        level: the strongest scripted player, 0 for none.
        simulations: worlds a decision.

    Raises:
        ValueError: for no number of worlds from 1 to MOST.
    """

    def __init__(self, game: Game, variant: Any, known: Agent, level: int, simulations: int = SIMULATIONS) -> None:
        self.simulations = argument_checks.count("simulations", simulations, 1, MOST)
        self._game, self._variant, self._known, self._level = game, variant, known, level
        registry.seat_bots(game)
        roster.load_worlds(game)
        self._belief = Belief(game, variant, known, simulations) if follows_from_deal(variant) else None
        self._board, self._lines = scratch(game, variant), rolls(game, variant, simulations, 0)
        self._sure = isinstance(known, Trained) and getattr(known, "greedy", True)
        self._levels = np.array([ASK, level] if level else [ASK])

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a game from the seat's first view [view]; the seed fixes its random choices."""
        self._history, self._seed = History(view), seed
        if self._belief is not None:
            self._belief.reset(seed)

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Note the actor (0 is the seat itself), its action (or `HIDDEN`), and the seat's new view [view]."""
        self._history.add(seat, action, view)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for a view [view] and a mask [actions]."""
        if mask.sum() == 1:
            return int(mask.argmax())
        states, weights = self.worlds(view)
        arms = _arms(np.flatnonzero(mask), self._levels)
        won, last = np.zeros((len(states), len(arms))), 0
        while last < len(states) and len(np.unique(arms[:, 0])) > 1:
            first, last = last, min(max(2 * last, _FEWEST), len(states))
            won[first:last] = self._won(states[first:last], arms)
            hopeful = _hopeful(won[:last], weights[:last])
            arms, won = arms[hopeful], won[:, hopeful]
        return int(arms[(weights[:last] @ won[:last]).argmax(), 0])

    def worlds(self, view: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return worlds [n] and their weights [n]; one if nothing is left to chance."""
        if self._belief is None:
            states = np.zeros(self.simulations, self._game.layout(self._variant))
            imagine_all(self._variant, view, spread(self._seed, self._history.plies), self._level, states, self._board)
            return states, np.full(len(states), 1 / len(states))
        states, weights = self._belief.worlds(self._history.past), self._belief.weights
        if self._belief.certain:
            n = 1 if self._sure else self.simulations
            return np.repeat(states[weights.argmax()][None], n), np.full(n, 1 / n)
        return self.shuffled(states, weights)

    def shuffled(self, states: NDArray[Any], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return worlds [n] and their weights [n] in any order, so that the first ones say as much as the others."""
        order = np.random.default_rng(self._seed + self._history.plies).permutation(len(states))
        return states[order], weights[order]

    def _won(self, states: NDArray[Any], arms: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the result of each arm in each world: [worlds, arms]."""
        v, n = self._variant, len(states) * len(arms)
        if n > len(self._lines.won):
            self._lines = rolls(self._game, v, self.simulations, 2 * -(-n // self.simulations))
        lines = self._lines
        spawn(v, states, arms, spread(self._seed, self._history.plies), lines)
        while pending := go_on(v, n, self._board, lines):
            answer(v, lines, self._known.act_batch(lines.views[:pending], lines.masks[:pending]))
        return lines.won[:n].reshape(len(states), len(arms)).copy()


def _arms(actions: NDArray[np.int64], levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the arms to compare: [arms, 2] an action, and the player of the seat's later moves."""
    return np.stack([np.repeat(actions, len(levels)), np.tile(levels, len(actions))], 1)


def _hopeful(won: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask [arms] of those not clearly worse than the best one, from their results [worlds, arms]."""
    shares = weights / weights.sum()
    less = won[:, (shares @ won).argmax()][:, None] - won
    mean = shares @ less
    error = np.sqrt(np.square(shares) @ np.square(less - mean))
    return mean <= _HOPELESS * error


@jit
def imagine_all(v: Any, view: NDArray[Any], seed: int, level: int, states: NDArray[Any], board: Scratch) -> None:
    """Sample worlds that fit a view alone."""
    for w in range(len(states)):
        sample_world(v, view, spread(seed, w), w, level, board)
        states[w] = board.states[0]


@jit
def spawn(v: Any, states: NDArray[Any], arms: NDArray[np.int64], seed: int, lines: Rolls) -> None:
    """Begin every arm in every world; chance in a world is the same for all."""
    n = 0
    for w in range(len(states)):
        lines.roots[w] = states[w]
        for i in range(len(arms)):
            lines.states[n] = states[w]
            lines.rngs[n].rng = mixed(np.uint64(spread(seed, w)))
            play(v, lines.states[n], arms[i, 0])
            lines.world[n], lines.rival[n], lines.plies_left[n], lines.over[n] = w, arms[i, 1], PLIES, 0
            n += 1


@jit
def go_on(v: Any, n: int, board: Scratch, lines: Rolls) -> int:
    """Let the scripted player play on in the first `n` lines; note and count those of the known player."""
    pending: Any = 0
    for i in range(n):
        if lines.over[i]:
            continue
        s, root = lines.states[i], lines.roots[lines.world[i]]
        while not finished(v, s, root, lines.plies_left[i]):
            legal(v, s, lines.masks[pending])
            a = only_action(lines.masks[pending])
            if a >= 0:
                play(v, s, a)
            elif s.turn == 0 and lines.rival[i] != ASK:
                ply(v, s, lines.rival[i], lines.rngs[i], board)
            else:
                observe(v, s, s.turn, lines.views[pending])
                lines.pending[pending] = i
                pending += 1
                break
            lines.plies_left[i] -= 1
        if finished(v, s, root, lines.plies_left[i]):
            lines.won[i], lines.over[i] = evaluate(v, s, root, 0), 1
    return pending


@jit
def finished(v: Any, s: Any, root: Any, plies_left: int) -> bool:
    """Return True if a world need not be played on; `plies_left` plies come before it may be valued."""
    return is_decided(v, s, root) or (plies_left <= 0 and is_cutoff(v, s, root))
