"""A game as a forward model: positions go in with actions, positions come out, many at a time."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.illegal import refuse
from kozyr.envs.loops import forward, tables


class Positions(NamedTuple):
    """Positions of one game, N of them.

    Attributes:
        states: uint8 [N, bytes] the whole states, hidden things too.
        masks: int8 [N, actions] the legal actions of the seat to move, zeros where the game is over.
        turns: int32 [N] the seat to move, −1 where the game is over.
        payoffs: float32 [N, seats] the result where the game is over, zeros elsewhere.
    """

    states: NDArray[np.uint8]
    masks: NDArray[np.int8]
    turns: NDArray[np.int32]
    payoffs: NDArray[np.float32]


class ForwardModel:
    """The rules of a game for planners of other libraries: nothing here remembers a position.

    A position has all chance that is still to come in it, so an action leads to one position only. What a seat does not
    know is drawn by `imagine`: search many of its worlds, and take the mean.

    Args:
        game: the game; options: fields of its variant.

    Raises:
        ValueError: for unknown fields and impossible variants.
    """

    def __init__(self, game: Game, **options: Any) -> None:
        self.game, self.variant = game, game.make_variant(**options)
        self.actions, self.seats = game.actions(self.variant), game.seats(self.variant)
        self.bytes = game.layout(self.variant).itemsize
        self._mask, self._board = np.zeros(self.actions, np.int8), self._records(np.zeros((1, self.bytes), np.uint8))

    def imagine(self, view: NDArray[Any], worlds: int, seed: int) -> Positions:
        """Return positions drawn among those that the seat to move takes for possible, in which it is seat 0.

        Where nothing is hidden they are all the same.

        Args:
            view: [view] of the seat to move; worlds: how many; seed: of what is drawn.
        """
        states = np.zeros((argument_checks.count("worlds", worlds), self.bytes), np.uint8)
        records = self._records(states)
        for i, number in enumerate(generators(argument_checks.seed(seed), worlds)["rng"].tolist()):
            tables.guess(self.variant, view, number, records[i : i + 1])
        return self._positions(states)

    def step(self, states: NDArray[np.uint8], actions: NDArray[Any]) -> Positions:
        """Return the positions after an action each; where the game is over nothing changes, whatever the action.

        Args:
            states: uint8 [N, bytes], which stay as they are; actions: whole numbers [N].

        Raises:
            ValueError: for an illegal action.
        """
        states = states.copy()
        masks = np.zeros((len(states), self.actions), np.int8)
        numbers = np.asarray(actions).astype(np.int64)
        wrong = forward.play_forward(self.variant, self._records(states), numbers, masks, self._mask)
        if wrong >= 0:
            masks[wrong] = self._mask
            refuse(self.game, masks, wrong, numbers, "", "Nothing has changed")
        return self._positions(states, masks)

    def turns(self, states: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the seats to move [N], −1 where the game is over."""
        return self._records(states)["turn"].astype(np.int32)

    def views(self, states: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the views of the seats to move [N, view]."""
        views = np.zeros((len(states), self.game.size(self.variant)), self.game.view_dtype)
        forward.show_movers(self.variant, self._records(states), views)
        return views

    def random_values(self, states: NDArray[np.uint8], games: int, seed: int) -> NDArray[np.float32]:
        """Return the mean payoffs [N, seats] of random games from these positions on; the payoffs where one is over."""
        values, rngs = np.zeros((len(states), self.seats), np.float32), generators(argument_checks.seed(seed), 1)
        games = argument_checks.count("games", games)
        records = self._records(states)
        forward.random_values(self.variant, records, games, rngs, self._board, self._mask, values)
        return values

    def _records(self, states: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the same memory as state records [N]."""
        return states.view(self.game.layout(self.variant))[:, 0]

    def _positions(self, states: NDArray[np.uint8], masks: NDArray[np.int8] | None = None) -> Positions:
        records = self._records(states)
        if masks is None:
            masks = np.zeros((len(states), self.actions), np.int8)
            tables.legal_all(self.variant, records, masks)
        turns = self.turns(states)
        payoffs = np.where((turns == OVER)[:, None], records["payoff"][:, : self.seats], 0)
        return Positions(states, masks, turns, payoffs.astype(np.float32))
