"""A rollout as arrays: [steps, tables, …] while it is played, [steps × tables, …] for the learner."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

Array = NDArray[Any]


class Rollout:
    """What the learner saw, did and got at N tables.

    Args:
        steps: decisions at each table.
        views: the first ones, [N, view]; masks: [N, actions].
    """

    def __init__(self, steps: int, views: Array, masks: Array) -> None:
        n = len(views)
        self.views = np.zeros((steps, *views.shape), views.dtype)
        self.masks = np.zeros((steps, *masks.shape), masks.dtype)
        self.actions = np.zeros((steps, n), np.int64)
        self.logp, self.values, self.rewards, self.advantages = np.zeros((4, steps, n), np.float32)
        self.ended = np.zeros((steps, n), np.bool_)

    def add(self, step: int, *told: Array) -> None:
        """Write down one decision at every table: views, masks, actions, logp, values, rewards, ended."""
        arrays = (self.views, self.masks, self.actions, self.logp, self.values, self.rewards, self.ended)
        for array, value in zip(arrays, told, strict=True):
            array[step] = value

    def finish(self, last: Array, gamma: float, decay: float) -> None:
        """Work out the advantages (GAE), given the critic's values of what comes next: [N]."""
        ahead, sum_ahead = last, np.zeros_like(last)
        for step in range(len(self.values) - 1, -1, -1):
            goes_on = ~self.ended[step]
            surprise = self.rewards[step] + gamma * ahead * goes_on - self.values[step]
            sum_ahead = surprise + gamma * decay * goes_on * sum_ahead
            self.advantages[step], ahead = sum_ahead, self.values[step]

    def batch(self) -> dict[str, Any]:
        """Return what RLlib's PPO learns from, a row a decision."""
        n = self.actions.size
        return {
            Columns.OBS: {
                "observation": self.views.reshape(n, -1),
                "action_mask": self.masks.reshape(n, -1),
            },
            Columns.ACTIONS: self.actions.ravel(),
            Columns.ACTION_LOGP: self.logp.ravel(),
            # the distribution that was drawn from is asked for by the loss and read by its KL term only, which is off
            Columns.ACTION_DIST_INPUTS: np.zeros((n, 1), np.float32),
            Postprocessing.ADVANTAGES: self.advantages.ravel(),
            Postprocessing.VALUE_TARGETS: (self.advantages + self.values).ravel(),
        }
