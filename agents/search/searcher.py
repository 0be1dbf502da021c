"""What all players that look ahead share: a budget, and luck that depends on the seed and on what they see."""

import time
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game


class Searcher:
    """A base for players that look ahead; a subclass writes `search`.

    The same view gets the same answer from players with the same seed and a budget in simulations, whatever was
    asked before.

    Args:
        game: the game; variant: as agreed.
        budget: simulations a decision.
        seconds: time a decision instead, as long as it is above 0; `budget` does not count then.
        name: what reports call it.
    """

    def __init__(self, game: Game, variant: Any, budget: int, seconds: float = 0.0, name: str = "search") -> None:
        self.game, self.variant, self.budget, self.seconds, self.name = game, variant, budget, seconds, name
        game.announce()
        game.seat_bots()
        self.reset(-1, 0)

    def __repr__(self) -> str:
        return f"{self.game.name}:{self.name}"

    def reset(self, seat: int, seed: int) -> None:
        """Give the player new luck."""
        self._seed = seed

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for one view; where only one is legal, at once."""
        legal = np.flatnonzero(mask)
        if len(legal) == 1:
            return int(legal[0])
        seen = blake2b(view.tobytes(), digest_size=8, key=self._seed.to_bytes(8, "little", signed=True))
        return self.search(view, mask, int.from_bytes(seen.digest(), "little") >> 1)

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Decide one view after the other."""
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)], np.int64)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return a legal action; to be written by the subclass."""
        raise NotImplementedError

    def portions(self, size: int) -> Any:
        """Give (first, last) of the simulations to run next, `size` at a time, until the budget is spent."""
        first, end = 0, time.perf_counter() + self.seconds
        while first < self.budget if self.seconds <= 0 else first == 0 or time.perf_counter() < end:
            last = first + size if self.seconds > 0 else min(first + size, self.budget)
            yield first, last
            first = last
