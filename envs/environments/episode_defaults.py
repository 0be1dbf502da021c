"""What the episodes of an AEC environment begin with: seeds, and dictionaries by agent.

They are kept here because Python is slower to read an instance of more than 30 attributes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

_SEEDS = 128  # drawn at a time


class Seeds:
    """The seeds of the episodes of one environment."""

    def __init__(self) -> None:
        self._rng: np.random.Generator | None = None
        self._drawn: list[int] = []  # and not yet used, the next one last

    def begin(self, seed: int) -> None:
        """Let a seed fix all the seeds that follow."""
        self._rng, _ = seeding.np_random(seed)
        self._drawn.clear()

    def next(self) -> int:
        """Return the seed of the next episode; they are drawn some at a time, which changes none."""
        if not self._drawn:
            if self._rng is None:
                self._rng, _ = seeding.np_random()
            self._drawn = self._rng.integers(2**63, size=_SEEDS).tolist()[::-1]
        return self._drawn.pop()


@dataclass(slots=True)
class Fresh:
    """Dictionaries by agent and a mask: an episode takes copies, which are made sooner than new ones.

    Attributes:
        nothing: 0.0 for every agent.
        neither: False for every agent.
        every: True for every agent.
        infos: {"illegal_move": 0} and zeros for what is told of the state.
        told: a copy of the bytes of each field that is told.
        mask: int8 [actions] what a seat may do that is not to move.
    """

    nothing: dict[str, float]
    neither: dict[str, bool]
    every: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    told: list[bytes]
    mask: NDArray[np.int8]


def fresh(agents: list[str], told: dict[str, NDArray[Any]], actions: int) -> Fresh:
    """Return what episodes begin with.

    Args:
        agents: their names.
        told: fields of the state and their values, one for each seat; the first deal is still to come.
        actions: how many there are.
    """
    info = {"illegal_move": 0, **{field: values.tolist()[0] for field, values in told.items()}}
    return Fresh(
        dict.fromkeys(agents, 0.0),
        dict.fromkeys(agents, False),
        dict.fromkeys(agents, True),
        dict.fromkeys(agents, info),
        [values.tobytes() for values in told.values()],
        np.zeros(actions, np.int8),
    )
