"""The protocol of agents, and scripted players under it."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import tables
from kozyr.envs.core.chance import Chance
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import generators


@runtime_checkable
class Agent(Protocol):
    """A player: a view and the legal actions are all that it gets.

    One agent may play at many tables and seats at once, so it remembers nothing between decisions but its luck.
    """

    def reset(self, seat: int, seed: int) -> None:
        """Prepare for new games.

        Args:
            seat: the seat it will play, or −1 if it plays several.
            seed: fixes its luck.
        """
        ...

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for one view [view] and mask [actions]."""
        ...

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return legal actions int64 [n] for views [n, view] and masks [n, actions]."""
        ...


class Solo:
    """A base for agents that decide one view at a time: it makes `act_batch` out of `act`."""

    def reset(self, seat: int, seed: int) -> None:
        """Give the agent a generator of its own, `self.rng`."""
        self.rng = np.random.default_rng(seed)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action; to be written by the subclass."""
        raise NotImplementedError

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Decide one view after the other."""
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)], np.int64)


class Scripted:
    """A scripted player; inside compiled loops its `level` stands for it.

    Args:
        game: the game it plays; variant: as agreed.
        level: its place in the game's ladder; 0 plays at random.
        name: what reports call it.
    """

    def __init__(self, game: Game, variant: Any, level: int, name: str) -> None:
        self.game, self.variant, self.level, self.name = game, variant, level, name
        game.announce()
        self.reset(-1, 0)

    def __repr__(self) -> str:
        return f"{self.game.name}:{self.name}"

    def reset(self, seat: int, seed: int) -> None:
        """Give the player new luck."""
        self._luck = generators(seed, 1)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the player's action for one view."""
        return int(self.act_batch(view[None], mask[None])[0])

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the player's actions for many views in one compiled call."""
        actions = np.zeros(len(views), np.int64)
        tables.choose_batch(self.variant, self.level, views, masks, self._luck, actions)
        return actions

    def chances(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return how likely the player takes each action, exactly: [n, actions]."""
        if self.level == tables.RANDOM:
            return masks / masks.sum(1, keepdims=True)
        chance, found = Chance(self.variant, self.game.state), np.zeros(masks.shape)
        for i in range(len(views)):
            before = self._luck.copy()
            action = self.act(views[i], masks[i])
            if (self._luck == before).all():
                found[i, action] = 1.0
            else:
                found[i] = chance.choices(self.level, views[i], masks[i])
        return found
