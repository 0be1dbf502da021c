"""A training run with RLlib as its engine: the same settings, folder, checkpoint and policy as any other."""

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import numpy as np
import ray
import torch
from gymnasium.spaces import Box
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_OPTIMIZER, COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.utils.torch_utils import convert_to_torch_tensor

from kozyr.agents.arena.matches.workers import cluster
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.observations import spaces_of
from kozyr.training.export import onnx_export
from kozyr.training.learners.network import Logits, policy_of
from kozyr.training.rllib.ppo import PATIENCE, TablesPPO, config_of
from kozyr.training.run import train as single
from kozyr.training.run.callbacks import Callback
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.schedule import decisions_left, rate_at

_PREFIX = "net."  # of the policy's weights within the module


def train(
    plan: RunPlan, callbacks: Sequence[Callback] = (), num_env_runners: int = 0, address: str | None = None
) -> dict[str, Any]:
    """Train a policy with RLlib, measure it, export it, and return the content of run.json.

    Args:
        plan: of the run.
        callbacks: follow the run.
        num_env_runners: processes that play, each on a core of the cluster; 0 plays in this process.
        address: of a Ray cluster; None takes the one that this process has joined, or starts one here.

    Raises:
        ValueError: as `kozyr.training.run.train.train` does, or if the cluster does not answer or is too small.
        RuntimeError: if the runners die as fast as they are started.
    """
    argument_checks.count("num_env_runners", num_env_runners, 0)
    runs: list[ClusterRun] = []

    def begin(*arguments: Any) -> ClusterRun:
        runs.append(ClusterRun(*arguments, num_env_runners=num_env_runners))
        return runs[-1]

    with joined(address, num_env_runners):
        try:
            return single.train(plan, callbacks, begin)
        finally:
            for run in runs:  # the cluster may have been there before, and may stay
                run.model.stop()


@contextmanager
def joined(address: str | None, num_env_runners: int) -> Generator[None]:
    """Use a Ray cluster while the block runs.

    Args:
        address: as for `kozyr.agents.arena.matches.workers.cluster`; None starts a cluster on this machine.
        num_env_runners: the cores that are needed.

    Raises:
        ValueError: if no cluster answers, or it has too few cores.
    """
    with cluster(address or "local") as ray:
        require_cores(ray, num_env_runners)
        yield


def require_cores(ray: Any, num_env_runners: int) -> None:
    """Raise if the cluster cannot hold the runners, for which RLlib itself would wait without an end."""
    cores = int(ray.cluster_resources().get("CPU", 0))
    if num_env_runners > cores:
        raise ValueError(
            f"{num_env_runners} environment runners need a core each and the cluster has {cores}: "
            f"ask for at most {cores}, or add machines with: ray start --address"
        )


class Learner:
    """RLlib's PPO with as much of Stable-Baselines3's interface as a run uses.

    Attributes:
        policy: the weights and the optimizer as of the last update; num_timesteps: decisions so far.
        ep_info_buffer: the last episodes, {"r": return}.
        tables_seconds: wall time that a runner has spent in tables, the mean of all.
        logger: where numbers are written.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        space: Box,
        settings: dict[str, Any],
        num_env_runners: int,
        time_left: Callable[[], float],
    ) -> None:
        kind, arguments = policy_of(game, variant, settings["net"])
        torch.manual_seed(settings["seed"])
        actions: Any = spaces_of(game, variant)[1]
        self.policy: Any = kind(space, actions, lambda _: settings["learning_rate"], **arguments)
        self.num_timesteps, self.tables_seconds = 0, 0.0
        self.ep_info_buffer: deque[dict[str, float]] = deque(maxlen=1000)
        self.algorithm = _started(config_of(game, variant, settings, num_env_runners))
        self._settings, self._time_left = settings, time_left
        self._seed, self._pool, self._number = settings["seed"], None, 0

    def set_logger(self, logger: Any) -> None:
        """Take a logger."""
        self.logger = logger

    def get_env(self) -> None:
        """Return nothing: the tables are with the runners."""

    def set_random_seed(self, seed: int) -> None:
        """Fix the deals from here on."""
        self._seed = seed

    def share(self, pool: dict[str, Any]) -> None:
        """Let the runners seat the opponents of a pool from their next rollout on."""
        self._pool, self._number = ray.put(pool), self._number + 1

    def learn(self, total: int, callback: Any, reset_num_timesteps: bool) -> None:
        """Train for so many decisions more, and a rollout's rest; `callback` hears of each and says when time is up."""
        self._send()
        goal = self.num_timesteps + total
        callback.init_callback(self)
        callback.on_training_start({}, {})
        while self.num_timesteps < goal:
            callback.on_rollout_start()
            if not callback.time_for():
                break
            self._round()
            callback.on_step()
            self._log()
        callback.on_training_end()

    def _round(self) -> None:
        """Gather a rollout, learn, and take over the weights."""
        algorithm = self.algorithm
        algorithm.decisions = self.num_timesteps
        algorithm.place = round((1.0 - self._time_left()) * self._settings["timesteps"])
        algorithm.order = {"number": self._number, "pool": self._pool, "seed": self._seed + self.num_timesteps}
        algorithm.train()
        until = time.monotonic() + PATIENCE
        while not algorithm.answers:
            if time.monotonic() > until:
                raise RuntimeError("no environment runner answers: look at the cluster's logs and go on with --resume")
            algorithm.train()
        self.num_timesteps = algorithm.decisions
        self.tables_seconds += float(np.mean([rollout["tables_seconds"] for rollout in algorithm.answers]))
        self.ep_info_buffer.extend({"r": r} for rollout in algorithm.answers for r in rollout["returns"])
        self._fetch()

    def _log(self) -> None:
        """Write the mean reward under SB3's name for it, and all values recorded since the last rollout."""
        if self.ep_info_buffer:
            self.logger.record("rollout/ep_rew_mean", float(np.mean([one["r"] for one in self.ep_info_buffer])))
        self.logger.dump(self.num_timesteps)

    def _send(self) -> None:
        """Give RLlib's learners, and the runners, the weights and the optimizer."""
        group = self.algorithm.learner_group
        weights = {_PREFIX + name: value.numpy() for name, value in self.policy.state_dict().items()}
        state = group.get_state(components=f"{COMPONENT_LEARNER}/{COMPONENT_OPTIMIZER}")[COMPONENT_LEARNER]
        ((name, optimizer),) = state[COMPONENT_OPTIMIZER].items()
        state_dict = self.policy.optimizer.state_dict()
        for parameters in state_dict["param_groups"]:
            parameters["lr"] = self._rate()  # the other engine, or a lesson, has left its own there
        optimizers = {name: {**optimizer, "state": state_dict}}
        modules = {DEFAULT_MODULE_ID: weights}
        group.set_state({COMPONENT_LEARNER: {COMPONENT_RL_MODULE: modules, COMPONENT_OPTIMIZER: optimizers}})
        self.algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group, inference_only=True)

    def _rate(self) -> float:
        """Return the learning rate at this time of the run."""
        return rate_at(self._settings, min(decisions_left(self._settings, self.num_timesteps), self._time_left()))

    def _fetch(self) -> None:
        """Take the weights and the optimizer from RLlib's learner."""
        parts = [f"{COMPONENT_LEARNER}/{part}" for part in (COMPONENT_RL_MODULE, COMPONENT_OPTIMIZER)]
        state = self.algorithm.learner_group.get_state(components=parts)[COMPONENT_LEARNER]
        weights = convert_to_torch_tensor(state[COMPONENT_RL_MODULE][DEFAULT_MODULE_ID])
        self.policy.load_state_dict({name.removeprefix(_PREFIX): value for name, value in weights.items()})
        ((_, optimizer),) = state[COMPONENT_OPTIMIZER].items()
        state_dict = optimizer["state"]
        self.policy.optimizer.load_state_dict({**state_dict, "state": convert_to_torch_tensor(state_dict["state"])})

    def stop(self) -> None:
        """End the runners."""
        self.algorithm.stop()


def _started(config: Any) -> TablesPPO:
    """Return the algorithm with its runners.

    Raises:
        RuntimeError: if they cannot be started on the cluster's machines.
    """
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # its advice is not for who starts a run
    try:
        return config.build_algo()
    except (ray.exceptions.RayError, IndexError) as error:  # an index: there is no runner to ask for the spaces
        raise RuntimeError(
            f"the environment runners cannot be started: {error}. Every machine needs the same kozyr[rllib]"
        ) from error


class ClusterRun(single.Run):
    """A run whose tables are played, and whose policy is updated, by RLlib.

    Args:
        *args: see `kozyr.training.run.train.Run`.
        num_env_runners: actors that play; 0 plays in this process.
    """

    model: Any

    def __init__(self, *args: Any, num_env_runners: int = 0) -> None:
        self.num_env_runners = num_env_runners
        super().__init__(*args)

    def _learner(self) -> Learner:
        if self.num_env_runners > self.settings["num_tables"]:
            tables = self.settings["num_tables"]
            raise ValueError(f"{self.num_env_runners} environment runners share {tables} tables: ask for fewer runners")
        for key, usual in (("algorithm", "ppo"), ("advantage", "gae")):
            if (value := self.settings[key]) != usual:
                raise ValueError(f"{key}={quote(value)} is not allowed with --engine rllib: leave the engine out")
        space: Any = self.env.observation_space
        return Learner(self.game, self.variant, space, self.settings, self.num_env_runners, self.time_left)

    def reseat(self) -> None:
        """Let the runners draw from the opponents as they are now."""
        super().reseat()
        self.model.share(self.pool.state_dict())

    def learn(self, progress: Any) -> None:
        """Train until the settings' number of decisions is reached, or the minutes are over."""
        super().learn(progress)
        self.env.seconds = self.model.tables_seconds

    def save(self) -> None:
        """Write the checkpoint, and the policy as it is now, ready to be evaluated."""
        super().save()
        about = onnx_export.about(self.timesteps, self.imitated, self.settings)
        onnx_export.write(self.folder / single.POLICY, Logits(self.policy), self.game, self.variant, about)

    def engine(self) -> dict[str, Any]:
        """Return a description of the engine and its machines."""
        nodes = len([node for node in ray.nodes() if node["Alive"]])
        return {"name": "rllib", "ray": version("ray"), "env_runners": self.num_env_runners, "machines": nodes}

    @property
    def policy(self) -> Any:
        """The policy as of the last update."""
        return self.model.policy
