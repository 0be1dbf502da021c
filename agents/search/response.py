"""An approximate best response by search, to players whose policy is known.

Imagined worlds fit all that the seat has seen, weighed by how likely the known player would have done what the others
did (`belief`). Each action is played on in them: the others by the known player, the seat itself by the known player
and, once more, by the strongest scripted one. An action is worth what the better of the two makes of it (rollouts of
several policies: Chang, Givan and Chong, DEDS 14, 2004). So what the seat wins bounds from below what a best response
wins; compare ISMCTS-BR in Timbers et al., "Approximate exploitability", IJCAI 2022.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents import roster
from kozyr.agents.agent import Agent
from kozyr.agents.nets.trained import Trained
from kozyr.agents.search.belief import Belief
from kozyr.agents.search.determinization import Scratch, at_the_end, conceive, gain, ply, scratch, settled
from kozyr.agents.search.guided_rollouts import Rolls, answer, rolls
from kozyr.agents.search.history_sampling import Diary, retold
from kozyr.envs import registry
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import generic, legal, observe, play
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import mixed, spread
from kozyr.envs.environments import check
from kozyr.envs.loops.single_table import only_action

SIMULATIONS = 100  # worlds
MOST = 10_000  # of them
ASK = -1  # the level of a seat whose moves the known player makes
PLIES = 24  # after which a world is valued where the game's own searches value it; before, it is played to its end
_FEWEST = 10  # worlds after which hopeless arms are left, and again after twice as many
_HOPELESS = 2.0  # standard errors below the best

decided = generic("decided", "decided(v, s, root): tell whether the first seat's payoff is settled.", at_the_end)


class Response:
    """Play against players whose policy is known, so as to win most from them.

    Args:
        game: the game; variant: its options.
        known: who plays all other seats.
        level: the strongest scripted player, 0 for none.
        simulations: worlds a decision.

    Raises:
        ValueError: for no number of worlds from 1 to MOST.
    """

    def __init__(self, game: Game, variant: Any, known: Agent, level: int, simulations: int = SIMULATIONS) -> None:
        self.simulations = check.count("simulations", simulations, 1, MOST)
        self._game, self._variant, self._known, self._level = game, variant, known, level
        registry.seat_bots(game)
        roster.load_worlds(game)
        self._belief = Belief(game, variant, known, simulations) if retold(variant) else None
        self._board, self._lines = scratch(game, variant), rolls(game, variant, simulations, 0)
        self._sure = isinstance(known, Trained) and getattr(known, "greedy", True)
        self._levels = np.array([ASK, level] if level else [ASK])

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a game from what the seat sees first: [view]; the seed fixes its random choices."""
        self._diary, self._seed = Diary(view), seed
        if self._belief is not None:
            self._belief.reset(seed)

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Be told who acted (0 is the seat itself), how (or `past.HIDDEN`), and what it sees now: [view]."""
        self._diary.add(seat, action, view)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for what the seat sees, [view], and may do, [actions]."""
        if mask.sum() == 1:
            return int(mask.argmax())
        states, weights = self.worlds(view)
        arms = _arms(np.flatnonzero(mask), self._levels)
        won, last = np.zeros((len(states), len(arms))), 0
        while last < len(states) and len(np.unique(arms[:, 0])) > 1:
            first, last = last, min(max(2 * last, _FEWEST), len(states))
            won[first:last] = self._won(states[first:last], arms)
            kept = _hopeful(won[:last], weights[:last])
            arms, won = arms[kept], won[:, kept]
        return int(arms[(weights[:last] @ won[:last]).argmax(), 0])

    def worlds(self, view: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return worlds [n] and their weights [n]; one where nothing is left to chance."""
        if self._belief is None:
            states = np.zeros(self.simulations, self._game.layout(self._variant))
            imagine_all(self._variant, view, spread(self._seed, self._diary.plies), self._level, states, self._board)
            return states, np.full(len(states), 1 / len(states))
        states, weights = self._belief.worlds(self._diary.past), self._belief.weights
        if self._belief.certain:
            n = 1 if self._sure else self.simulations
            return np.repeat(states[weights.argmax()][None], n), np.full(n, 1 / n)
        return self.shuffled(states, weights)

    def shuffled(self, states: NDArray[Any], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return worlds [n] and their weights [n] in any order, so that the first ones say as much as the others."""
        order = np.random.default_rng(self._seed + self._diary.plies).permutation(len(states))
        return states[order], weights[order]

    def _won(self, states: NDArray[Any], arms: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what each arm wins in each world: [worlds, arms]."""
        v, n = self._variant, len(states) * len(arms)
        if n > len(self._lines.won):
            self._lines = rolls(self._game, v, self.simulations, 2 * -(-n // self.simulations))
        lines = self._lines
        spawn(v, states, arms, spread(self._seed, self._diary.plies), lines)
        while asked := go_on(v, n, self._board, lines):
            answer(v, lines, self._known.act_batch(lines.views[:asked], lines.masks[:asked]))
        return lines.won[:n].reshape(len(states), len(arms)).copy()


def _arms(actions: NDArray[np.int64], levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what is compared: [arms, 2] an action, and who makes the seat's later moves."""
    return np.stack([np.repeat(actions, len(levels)), np.tile(levels, len(actions))], 1)


def _hopeful(won: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which arms are not clearly worse than the best one: [arms], from what they won [worlds, arms]."""
    shares = weights / weights.sum()
    less = won[:, (shares @ won).argmax()][:, None] - won
    mean = shares @ less
    error = np.sqrt(np.square(shares) @ np.square(less - mean))
    return mean <= _HOPELESS * error


@jit
def imagine_all(v: Any, view: NDArray[Any], seed: int, level: int, states: NDArray[Any], board: Scratch) -> None:
    """Imagine worlds that fit a view alone."""
    for w in range(len(states)):
        conceive(v, view, spread(seed, w), w, level, board)
        states[w] = board.states[0]


@jit
def spawn(v: Any, states: NDArray[Any], arms: NDArray[np.int64], seed: int, lines: Rolls) -> None:
    """Begin every arm in every world; the luck of a world is the same for all."""
    n = 0
    for w in range(len(states)):
        lines.roots[w] = states[w]
        for i in range(len(arms)):
            lines.states[n] = states[w]
            lines.rngs[n].rng = mixed(np.uint64(spread(seed, w)))
            play(v, lines.states[n], arms[i, 0])
            lines.world[n], lines.rival[n], lines.left[n], lines.over[n] = w, arms[i, 1], PLIES, 0
            n += 1


@jit
def go_on(v: Any, n: int, board: Scratch, lines: Rolls) -> int:
    """Let the scripted player play on in the first `n` lines; note in which the known one is to move: how many."""
    asked: Any = 0
    for i in range(n):
        if lines.over[i]:
            continue
        s, root = lines.states[i], lines.roots[lines.world[i]]
        while not finished(v, s, root, lines.left[i]):
            legal(v, s, lines.masks[asked])
            a = only_action(lines.masks[asked])
            if a >= 0:
                play(v, s, a)
            elif s.turn == 0 and lines.rival[i] != ASK:
                ply(v, s, lines.rival[i], lines.rngs[i], board)
            else:
                observe(v, s, s.turn, lines.views[asked])
                lines.asked[asked] = i
                asked += 1
                break
            lines.left[i] -= 1
        if finished(v, s, root, lines.left[i]):
            lines.won[i], lines.over[i] = gain(v, s, root, 0), 1
    return asked


@jit
def finished(v: Any, s: Any, root: Any, left: int) -> bool:
    """Tell whether a world need not be played on; `left` plies are to come before it may be valued."""
    return decided(v, s, root) or (left <= 0 and settled(v, s, root))
