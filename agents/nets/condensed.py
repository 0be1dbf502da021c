"""Condensed policies: small networks in .npz files, run by compiled code. They need no extra."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.agent_names import CONDENSED
from kozyr.agents.interruptible import cut
from kozyr.agents.nets.condensed_loops import NONE, Net, answer_all, made_of, rate_all, require_fit
from kozyr.agents.nets.trained import Trained, bundled, fitting, softmax
from kozyr.envs.core.game import Game
from kozyr.envs.table import files

ABOUT = "about"  # name of the array that holds the facts about the policy as JSON
GAME, OPTIONS, VIEW = "game", "options", "view"  # keys of the facts that every file has
MOST_BYTES = 64 << 20  # of all numbers together
_MOST_ARRAYS = 20
_ROWS = 16_384  # views of the first compiled call


class CondensedPolicy(Trained):
    """A small network that takes the legal action with the highest logit.

    Attributes:
        about: facts about it and its training.
        net: its numbers.

    Args:
        path: a file that `kozyr publish --condensed` has written.

    Raises:
        ValueError: if the file cannot be read, is no policy, or was trained for another version of its game.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            with files.opened(path) as file:
                files.require_small(file, MOST_BYTES, _MOST_ARRAYS)
                with np.load(file) as numbers:
                    self.about: dict[str, Any] = files.parsed(str(numbers[ABOUT]))
                    net = made_of(numbers)
            facts = [self.about[key] for key in (GAME, OPTIONS, VIEW)]
        except Exception as error:  # NumPy's reader of damaged headers raises whatever its parser does
            raise ValueError(f"{path} is no condensed policy of this version of kozyr: {error}") from None
        super().__init__(Path(path), *facts)
        try:
            require_fit(net, self.game.high(self.variant), self.game.actions(self.variant))
        except ValueError as error:
            raise ValueError(f"the policy {path} is damaged: {error}") from None
        self.net = net

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action for each view."""
        views, masks = self.gate.many(views, masks)
        actions = np.zeros(len(views), np.int64)
        for run in cut(len(views), _ROWS):
            answer_all(self.net, views[run], masks[run], actions[run])
        return actions

    def probabilities(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the network's probability of each action: [n, actions]."""
        views, masks = self.gate.many(views, masks)
        logits = np.zeros(masks.shape)
        for run in cut(len(views), _ROWS):
            rate_all(self.net, views[run], logits[run])
        return softmax(np.where(masks != 0, logits, -np.inf))


@cache
def policies(game: str) -> list[CondensedPolicy]:
    """Return a game's bundled condensed policies, one for each of some variants."""
    return [CondensedPolicy(path) for path in bundled(game, CONDENSED)]


def bundled_policy(game: Game, variant: Any) -> Net:
    """Return the network that is bundled for a variant, or NONE."""
    policy = fitting(policies(game.name), game, variant)
    return NONE if policy is None else policy.net
