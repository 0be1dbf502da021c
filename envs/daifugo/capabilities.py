"""What networks and trained policies may know of the game: what counts up, and what a view can do without."""

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.daifugo.rules import JOKER, Variant
from kozyr.envs.daifugo.view import Parts


@capabilities.counted_parts.register(Variant)
def counted_parts(v: Variant) -> NDArray[np.int64]:
    """Return the entries that tell how many cards of a rank the others cannot hold: mine and played, [ranks, 2]."""
    at, ranks = Parts(v), np.arange(JOKER + 1)
    return np.stack([at.hand + ranks, at.played + ranks], 1)


@capabilities.optional_parts.register(Variant)
def optional_parts(v: Variant) -> tuple[str, ...]:
    """Return the option that shows who laid which sets."""
    return ("history",)
