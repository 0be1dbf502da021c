"""Games in progress in a checkpoint, and the little that a learner carries from one rollout to the next."""

from collections import deque
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from kozyr.envs.environments.logged_tables import GamesInProgress
from kozyr.training.learners.compiled.ppo import CompiledPPO
from kozyr.training.learners.engine import EPISODES
from kozyr.training.learners.monte_carlo.learner import MonteCarlo
from kozyr.training.learners.vec_env import TablesVecEnv

Content = dict[str, Any]  # tensors by name, "returns" and "lengths" of the last episodes among them, and "dense"
_KINDS = (torch.uint8, torch.int8, torch.uint16, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64)
_MOST = 1e15  # of a return


def goes_on(model: Any) -> bool:
    """Return True if a learner can go on with games that another process has begun."""
    return isinstance(model, (MaskablePPO, MonteCarlo))


def content(model: Any, env: TablesVecEnv) -> Content:
    """Return the games in progress and the last episodes, between two rollouts, as a checkpoint keeps them."""
    arrays = model.games() if isinstance(model, MonteCarlo) else env.games()._asdict()
    arrays["generators"] = arrays["generators"].view(np.int64)  # torch has few functions for other whole numbers
    episodes = list(model.ep_info_buffer or ())
    arrays["returns"] = np.array([one["r"] for one in episodes], np.float64)
    arrays["lengths"] = np.array([one["l"] for one in episodes], np.int64)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    if isinstance(model, MonteCarlo):
        return tensors
    return {**tensors, "dense": model.dense if isinstance(model, CompiledPPO) else [False, False]}


def take_up(model: Any, env: TablesVecEnv, games: Content) -> None:
    """Let a learner go on at its tables with the games in a checkpoint, whose weights and opponents it has already.

    Raises:
        ValueError: if they are not such as can have been played.
    """
    arrays = {name: _array(name, tensor) for name, tensor in games.items() if isinstance(tensor, torch.Tensor)}
    if arrays["generators"].dtype == np.int64:
        arrays["generators"] = arrays["generators"].view(np.uint64)
    episodes = _episodes(arrays.pop("returns"), arrays.pop("lengths"))
    if isinstance(model, MonteCarlo) == ("occupants" in arrays):
        raise ValueError("they are of another algorithm")
    if isinstance(model, MonteCarlo):
        model.take_up(arrays)
        model.ep_info_buffer = episodes
        return
    model._last_obs, model._last_episode_starts = env.take_up(GamesInProgress(**arrays))
    model._n_updates = model.n_epochs * (model.num_timesteps // (model.n_steps * model.n_envs))
    model.ep_info_buffer, model.ep_success_buffer = episodes, deque(maxlen=EPISODES)
    if isinstance(model, CompiledPPO):
        model.go_on(model._last_episode_starts, games["dense"])


def _episodes(returns: NDArray[Any], lengths: NDArray[Any]) -> deque[dict[str, float]]:
    """Return the last episodes as SB3 keeps them."""
    sound = returns.dtype == np.float64 and lengths.dtype == np.int64 and returns.ndim == 1
    if not sound or returns.shape != lengths.shape or len(returns) > EPISODES:
        raise ValueError("its last episodes are none")
    if (np.abs(returns) > _MOST).any() or (lengths < 0).any() or (lengths > _MOST).any():
        raise ValueError("its last episodes have numbers that cannot be")
    both = zip(returns.tolist(), lengths.tolist(), strict=True)
    return deque(({"r": r, "l": length, "t": 0.0} for r, length in both), maxlen=EPISODES)


def _array(name: str, tensor: torch.Tensor) -> NDArray[Any]:
    """Return a tensor's numbers as an array of its own."""
    if tensor.dtype not in _KINDS:
        raise ValueError(f"{name} are of {tensor.dtype}")
    return np.array(tensor.numpy(), order="C")
