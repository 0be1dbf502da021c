"""What networks, environments and reports may know of the game: which deals are alike, and what is told."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.draw_poker.deck import hand_size, own
from kozyr.envs.draw_poker.rules import Variant


@capabilities.canonical_deal.register(Variant)
def canonical_deal(v: Variant, states: NDArray[Any]) -> None:
    """Forget in which order the cards of each hand lay in the deck, and what lies below the seats' parts."""
    mine = own(v)
    for k in range(v.players):
        hand = slice(mine * k, mine * k + hand_size(v))
        states["deck"][:, hand] = np.sort(states["deck"][:, hand], axis=1)
    rest = slice(mine * v.players, v.deck)
    states["deck"][:, rest] = np.sort(states["deck"][:, rest], axis=1)


@capabilities.infos.register(Variant)
def infos(v: Variant) -> tuple[str, ...]:
    """Return the chips that each seat won or lost in the last hand."""
    return ("change",)


@capabilities.episode_statistics.register(Variant)
def episode_statistics(v: Variant) -> tuple[str, ...]:
    """Return the number of hands."""
    return ("hands",)
