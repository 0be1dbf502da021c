"""Network as an opponent, answered by the compiled learner's code."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kozyr.envs.core.rng import generators
from kozyr.training.learners.compiled import choices as legal
from kozyr.training.learners.compiled import rows as sparse
from kozyr.training.learners.compiled.network import Actor


class CompiledAgent:
    """Network as an agent that draws from its distribution.

    It takes over changed weights when it is reset.

    Args:
        logits: the network, shared and not copied; name: what reports call it.
        actions: of the game.
    """

    def __init__(self, logits: Any, name: str, actions: int) -> None:
        self.logits, self.name, self._actions = logits, name, actions
        self._actor, self._rows, self._seed = Actor(logits, actions), 0, 0
        self._rngs = generators(0, 1)

    def __repr__(self) -> str:
        return self.name

    def reset(self, seat: int, seed: int) -> None:
        """Seed the agent's random choices."""
        self._actor.refresh()
        self._seed, self._rngs = seed, generators(seed, max(self._rows, 1))

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for one view."""
        return int(self.act_batch(view[None], mask[None])[0])

    @torch.no_grad()
    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return actions for many views."""
        n = len(views)
        self._make_room(n)
        actor, picks, actions = self._actor, np.arange(n), np.empty(n, np.int64)
        sparse.read(actor.trunk.reading, views, self._views, 0)
        outputs = actor.forward(self._views, picks)
        legal.draw(actor.columns, outputs, self._views.naming, masks, self._rngs, self._choices, 0, actions)
        return actions

    def _make_room(self, n: int) -> None:
        """Have room for so many views, and a generator for each."""
        if n > self._rows:
            self._rows = n
            self._views = sparse.room(n, self._actor.trunk.reading)
            self._choices = legal.room(n, self._actions, magnet=False)
        if n > len(self._rngs):
            more = generators(self._seed, n)  # the same, whenever there comes to be room for them
            more[: len(self._rngs)] = self._rngs
            self._rngs = more
