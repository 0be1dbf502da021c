"""Environments that raise on an illegal move, for tests of libraries that must not make any."""

from typing import Any

from kozyr import envs
from kozyr.envs.environments.parallel import Parallel


class StrictParallel(Parallel):
    """A parallel environment that raises where the usual one disqualifies."""

    def step(self, actions: dict[str, Any]) -> Any:
        told = super().step(actions)
        erring = [agent for agent, info in told[-1].items() if info["illegal_move"]]
        if erring:
            raise ValueError(f"{self.game.id}: illegal moves of {erring}: {actions}")
        return told


def strict_parallel(name: str, **options: Any) -> StrictParallel:
    """Return a game as a parallel environment that raises on illegal moves."""
    return StrictParallel(envs.game(name), **options)
