"""What a foreign library has trained, as an agent of our arena."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kozyr.agents.arena.matches.match import match


class Outsider:
    """An agent around a function that takes views [n, view] and masks [n, actions] and returns actions [n]."""

    def __init__(self, decide: Callable[[Any, Any], Any]) -> None:
        self._decide = decide

    def reset(self, seat: int, seed: int) -> None:
        """Keep what there is: these networks have no luck of ours."""

    def act(self, view: Any, mask: Any) -> int:
        return int(self.act_batch(view[None], mask[None])[0])

    def act_batch(self, views: Any, masks: Any) -> Any:
        return np.asarray(self._decide(views, masks), np.int64)


def score_legally(name: str, decide: Callable[[Any, Any], Any], deals: int = 40, **variant: Any) -> float:
    """Play a match against random players, require that no move was illegal, and return the share of points."""
    result = match(name, [Outsider(decide), "random"], deals, **variant)
    assert [(one.errors, one.first_error) for one in result.agents] == [(0, None)] * 2
    return result.agents[0].score
