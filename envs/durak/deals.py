"""Which deals are the same for all that can happen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.durak.rules import Variant


def plain(v: Variant, states: NDArray[Any]) -> None:
    """Forget in which order the cards lay that have been dealt; the hands are what counts (§1)."""
    if len(states):
        dealt = int(states["drawn"][0])
        states["stock"][:, :dealt] = np.sort(states["stock"][:, :dealt], axis=1)
