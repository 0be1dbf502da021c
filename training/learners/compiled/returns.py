"""Returns and advantages of a rollout: GAE(λ), or Expected SARSA(λ) from a critic of actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import fast

_ZERO, _ONE = np.float32(0), np.float32(1)


@fast
def gae(
    rewards: NDArray[Any],
    starts: NDArray[Any],
    values: NDArray[Any],
    last: NDArray[Any],
    ended: NDArray[Any],
    gamma: np.float32,
    decay: np.float32,
    advantages: NDArray[Any],
    returns: NDArray[Any],
) -> None:
    """Write generalised advantages [steps, tables] and returns (Schulman and others, arXiv 1506.02438).

    Args:
        rewards: [steps, tables]; starts: 1 where an episode begins; values: of the critic.
        last: [tables] values of what follows the last step; ended: 1 where that begins an episode.
        gamma: discount; decay: λ.
        advantages, returns: to be written.
    """
    steps, tables = rewards.shape
    for i in range(tables):
        trace, after, over = _ZERO, last[i], ended[i]
        for t in range(steps - 1, -1, -1):
            goes_on = gamma * (_ZERO if over else _ONE)
            trace = rewards[t, i] + goes_on * after - values[t, i] + goes_on * decay * trace
            advantages[t, i], returns[t, i] = trace, trace + values[t, i]
            after, over = values[t, i], starts[t, i]


@fast
def expected_sarsa(
    rewards: NDArray[Any],
    starts: NDArray[Any],
    own: NDArray[Any],
    means: NDArray[Any],
    last: NDArray[Any],
    ended: NDArray[Any],
    gamma: np.float32,
    decay: np.float32,
    advantages: NDArray[Any],
    returns: NDArray[Any],
) -> None:
    """Write advantages and returns from the values of actions (Fan and Farina, arXiv 2605.19235).

    Args:
        rewards, starts, ended, gamma, decay: as `gae` takes them.
        own: [steps, tables] values of the actions that were played; means: of all, under the policy.
        last: [tables] the mean of what follows the last step.
        advantages, returns: to be written.
    """
    steps, tables = rewards.shape
    for i in range(tables):
        trace, after, over = _ZERO, last[i], ended[i]
        for t in range(steps - 1, -1, -1):
            goes_on = gamma * (_ZERO if over else _ONE)
            trace = rewards[t, i] + goes_on * after - own[t, i] + decay * goes_on * trace
            returns[t, i] = own[t, i] + trace
            advantages[t, i] = returns[t, i] - means[t, i]
            after, over = means[t, i], starts[t, i]
