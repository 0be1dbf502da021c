"""Forms of observations: views and masks as the learners of other libraries expect them."""

from typing import Any, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks

VIEW, DICT, FLOAT32, FLAT = "view", "dict", "float32", "flat"
WORDS = (VIEW, DICT, FLOAT32, FLAT)


def spaces_of(game: Game, variant: Any) -> tuple[Any, Any]:
    """Return the observation space {"observation", "action_mask"} and the action space of every seat."""
    return _both(game.high(variant), game.actions(variant)), spaces.Discrete(game.actions(variant))


class Form:
    """Form in which an environment shows the views and masks of seats.

    Attributes:
        word: "view": the view alone, and the mask in the infos.
            "dict": {"observation": the view, "action_mask": int8 [actions]}.
            "float32": the same, but the view is float32, scaled to 0 … 1 by the highest value of each entry.
            "flat": float32 [view + actions], the scaled view with the mask at its end.
        space: the observation space of a seat.
        high: float32 [view] the highest value of each entry, at least 1.

    Args:
        word: one of these words.
        game: the game; variant: its options.
        extra: actions that an environment has beside the game's, as waiting.

    Raises:
        ValueError: for another word.
    """

    def __init__(self, word: Any, game: Game, variant: Any, extra: int = 0) -> None:
        self.word: str = argument_checks.choice("observation", word, WORDS)
        high, actions = game.high(variant), game.actions(variant) + extra
        self.high = np.maximum(high, 1).astype(np.float32)
        self.space: Any = _both(high, actions)
        if word == VIEW:
            self.space = self.space["observation"]
        elif word == FLOAT32:
            self.space = spaces.Dict({**self.space.spaces, "observation": _unit(len(high))})
        elif word == FLAT:
            self.space = _unit(len(high) + actions)

    @property
    def scaled(self) -> bool:
        """Return True if views are shown as float32 from 0 to 1."""
        return self.word in (FLOAT32, FLAT)

    @property
    def in_infos(self) -> bool:
        """Return True if PettingZoo's environments tell masks in the infos, as observations have no key for them."""
        return self.word in (VIEW, FLAT)

    def show(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Any:
        """Return views [..., view] and masks [..., actions] in this form, in new arrays.

        Args:
            views: as the game writes them.
            masks: int8, of the same seats.
        """
        if self.word == VIEW:
            return views.copy()
        if self.word == FLAT:
            size = len(self.high)
            both = np.empty((*views.shape[:-1], size + masks.shape[-1]), np.float32)
            np.divide(views, self.high, out=both[..., :size])
            both[..., size:] = masks
            return both
        view = np.divide(views, self.high, dtype=np.float32) if self.word == FLOAT32 else views.copy()
        return {"observation": view, "action_mask": masks.copy()}


def _both(high: NDArray[Any], actions: int) -> spaces.Dict:
    """Return the space of a view and its mask."""
    view = spaces.Box(np.zeros_like(high), high, dtype=cast(Any, high.dtype.type))
    return spaces.Dict({"observation": view, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})


def _unit(entries: int) -> spaces.Box:
    """Return the space of so many numbers from 0 to 1."""
    return spaces.Box(0, 1, (entries,), np.float32)
