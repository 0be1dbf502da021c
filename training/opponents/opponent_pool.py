"""Opponent pool: the policy itself, snapshots of its past and agents by name, with their weights in the draw."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kozyr import agents
from kozyr.envs.core.game import Game
from kozyr.envs.environments.readonly_arrays import readable
from kozyr.training.learners.network import Logits

SELF, SNAPSHOTS = "self", "snapshots"  # the two opponents that are no agents by name
_NEVER = -1e9  # the logit of an illegal action


class TorchAgent:
    """A network as an agent: it draws from its distribution, or takes the likeliest action.

    Args:
        logits: the network, shared and not copied; name: what reports call it.
        greedy: take the likeliest action.
    """

    def __init__(self, logits: Logits, name: str, greedy: bool = False) -> None:
        self.logits, self.name, self.greedy = logits, name, greedy
        self._rng = torch.Generator()

    def __repr__(self) -> str:
        return self.name

    def reset(self, seat: int, seed: int) -> None:
        """Seed the agent's random choices."""
        self._rng.manual_seed(seed)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the action for one view."""
        return int(self.act_batch(view[None], mask[None])[0])

    @torch.no_grad()
    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return actions for many views by the Gumbel-max trick."""
        logits = self.logits(torch.from_numpy(readable(views)))
        if not self.greedy:
            logits = logits - torch.empty_like(logits).exponential_(generator=self._rng).log_()
        return logits.masked_fill_(torch.from_numpy(readable(masks)) == 0, _NEVER).argmax(1).numpy()


class Pool:
    """The opponents of one training run.

    Args:
        game: the game; variant: its options.
        policy: SB3's policy that learns.
        weights: how often each opponent is drawn: "self", "snapshots" and names of agents.
        size: how many snapshots are kept, the newest; their weight goes to "self" until there is one.
        threads: how many threads the named ones may use.
        opponent: makes an agent of a network and a name; None takes `TorchAgent`.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        policy: Any,
        weights: dict[str, float],
        size: int,
        threads: int = 1,
        opponent: Callable[[Logits, str], Any] | None = None,
    ) -> None:
        self._weights = {name: weight for name, weight in weights.items() if weight > 0}
        self._size, self._opponent = size, opponent or TorchAgent
        self._current = self._opponent(Logits(policy), SELF)
        self._slots: list[Any] = []
        self._snapshots_taken = 0
        names = [name for name in self._weights if name not in (SELF, SNAPSHOTS)]
        self._agents = {name: _load(name, game, variant, threads) for name in names}

    def mixture(self) -> dict[Any, float]:
        """Return the opponents and their weights as they are now."""
        mixed = {self._agents[name]: weight for name, weight in self._weights.items() if name in self._agents}
        past = self._weights.get(SNAPSHOTS, 0.0)
        own = self._weights.get(SELF, 0.0) + (0.0 if self._slots else past)
        if own > 0:
            mixed[self._current] = own
        if past > 0:
            mixed.update({slot: past / len(self._slots) for slot in self._slots})
        return mixed

    def take_snapshot(self) -> None:
        """Freeze the current policy, in place of the oldest snapshot once the pool is full."""
        if self._size == 0 or SNAPSHOTS not in self._weights:
            return
        if len(self._slots) < self._size:
            self._add(copy.deepcopy(self._current.logits))
        else:
            self._slots[self._snapshots_taken % self._size].logits.load_state_dict(self._current.logits.state_dict())
        self._snapshots_taken += 1

    def _add(self, logits: Logits) -> None:
        """Give a frozen network a place among the snapshots."""
        number = len(self._slots)
        self._slots.append(self._opponent(logits.requires_grad_(False), f"snapshot {number}"))
        self._slots[-1].reset(-1, number)

    def state_dict(self) -> dict[str, Any]:
        """Return the snapshots, to be kept in a checkpoint."""
        return {"taken": self._snapshots_taken, "snapshots": [slot.logits.state_dict() for slot in self._slots]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take the snapshots from a checkpoint, or those of another process's pool, in place of one's own."""
        self._snapshots_taken = state["taken"]
        for number, weights in enumerate(state["snapshots"]):
            if number == len(self._slots):
                self._add(copy.deepcopy(self._current.logits))
            self._slots[number].logits.load_state_dict(weights)


def _load(name: str, game: Game, variant: Any, threads: int) -> Any:
    """Return an agent by name."""
    try:
        return agents.load(name, game=game.name, threads=threads, **game.options(variant))
    except ValueError as error:
        raise ValueError(f"opponents: {error}; or {SELF!r} and {SNAPSHOTS!r}") from None
