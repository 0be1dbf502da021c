"""The environment runner that steps whole tables: rollouts are arrays, not episodes of Python objects."""

import time
from collections.abc import Collection
from typing import Any

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.utils.metrics import WEIGHTS_SEQ_NO

from kozyr import envs
from kozyr.envs.core.capabilities import opening_plies
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.observations import spaces_of
from kozyr.training.encoders.view import EVERYTHING
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.opponents.opponent_pool import Pool
from kozyr.training.rllib.module import Batch

Array = NDArray[Any]


class Rollout:
    """Rollout of N tables as arrays: [steps, tables, …] while it is played, [steps × tables, …] for the learner.

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

    def add(self, step: int, *values: Array) -> None:
        """Write down one decision at every table: views, masks, actions, logp, values, rewards, ended."""
        arrays = (self.views, self.masks, self.actions, self.logp, self.values, self.rewards, self.ended)
        for array, value in zip(arrays, values, strict=True):
            array[step] = value

    def finish(self, last: Array, gamma: float, decay: float) -> None:
        """Compute the advantages (GAE), given the critic's values of the next positions: [N]."""
        ahead, sum_ahead = last, np.zeros_like(last)
        for step in range(len(self.values) - 1, -1, -1):
            goes_on = ~self.ended[step]
            surprise = self.rewards[step] + gamma * ahead * goes_on - self.values[step]
            sum_ahead = surprise + gamma * decay * goes_on * sum_ahead
            self.advantages[step], ahead = sum_ahead, self.values[step]

    def batch(self) -> dict[str, Any]:
        """Return the batch for RLlib's PPO, a row a decision."""
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


class TablesRunner(EnvRunner):
    """Plays the learner's share of the tables and returns a rollout with advantages.

    The other seats are played here too: scripted players in compiled code, the policy as it is or was in batches.
    Every call of `sample` names the pool of opponents and a seed for whoever begins only now, so that a runner that
    was started again needs nothing that it had before.

    Args:
        config: RLlib's; `env_config` holds {"game", "options", "settings"}.
        **kwargs: as RLlib gives them.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        torch.set_num_threads(1)  # runners share the cores of a machine
        torch.distributions.Distribution.set_default_validate_args(False)
        env_config = self.config.env_config
        self.settings, self._pool_number, self._round = env_config["settings"], 0, -1
        self.game = envs.game(env_config["game"])
        self.variant = self.game.make_variant(**env_config["options"])
        self.make_env()
        self.make_module()

    def make_env(self) -> None:
        """Set up this runner's share of the tables; nobody sits there yet."""
        many, index = max(1, self.config.num_env_runners), max(0, (self.worker_index or 1) - 1)
        tables = self.settings["num_tables"]
        share = tables // many + (index < tables % many)
        first = envs.players(self.game, "random", self.game.options(self.variant))
        seeing = self.settings["net"]["critic"] == EVERYTHING
        begin = {"opening": opening_plies(self.variant), "bootstrap": self.settings["bootstrap"]}
        options = self.game.options(self.variant)
        self.env: Any = TablesVecEnv(self.game, share, first, everything=seeing, **begin, **options)

    def make_module(self) -> None:
        """Build the network and the opponents that are copies of it."""
        spec = self.config.get_rl_module_spec(spaces=self.get_spaces(), inference_only=True)
        self.module = spec.build()
        weights, size = self.settings["opponents"], self.settings["pool_size"]
        self.pool = Pool(self.game, self.variant, self.module.net, weights, size)
        self._rng = torch.Generator()

    def get_spaces(self) -> Batch:
        """Return the spaces of one learner's decisions."""
        both, actions = spaces_of(self.game, self.variant)
        space = type(both)({"observation": self.env.observation_space, "action_mask": both["action_mask"]})
        pair = (space, actions)
        return {INPUT_ENV_SPACES: pair, INPUT_ENV_SINGLE_SPACES: pair, DEFAULT_MODULE_ID: pair}

    def sample(self, *, number: int = 0, pool: Any = None, seed: int = 0, **kwargs: Any) -> Batch:
        """Return one rollout of all tables.

        Args:
            number: of the pool's state, to be fetched if it is another than before.
            pool: a reference to the state.
            seed: fixes the deals of a runner that has just begun; each runner makes another of it.
            **kwargs: what RLlib's own runners take, ignored.
        """
        if number != self._pool_number or self._round < 0:
            if pool is not None:
                self.pool.load_state_dict(ray.get(pool))
            self.env.tables.set_opponents([self.pool.mixture()] * (self.game.seats(self.variant) - 1))
            self._pool_number = number
        if self._round < 0:
            self._begin(int(spread(seed, self.worker_index or 0)))
        self._round += 1
        return self._rollout()

    def _begin(self, seed: int) -> None:
        """Deal at every table."""
        self.env.seed(seed % 2**31)
        self._rng.manual_seed(seed % 2**31)
        self._views = self.env.reset()

    @torch.no_grad()
    def _rollout(self) -> Batch:
        """Play `n_steps` decisions at every table."""
        env, steps, began = self.env, self.settings["n_steps"], time.perf_counter()
        env.seconds, returns = 0.0, []
        rollout = Rollout(steps, self._views, env.action_masks())
        for step in range(steps):
            masks = env.action_masks()
            actions, logp, values = self._decide(self._views, masks)
            after, rewards, ended, infos = env.step(actions)
            rewards = rewards + self._worth_of_cut(infos)
            rollout.add(step, self._views, masks, actions, logp, values, rewards, ended)
            returns += [info["episode"]["r"] for info in infos if info]
            self._views = after
        gamma, decay = self.settings["gamma"], self.settings["gae_lambda"]
        rollout.finish(self._values(self._views), gamma, decay)
        facts = {"returns": returns, "tables_seconds": env.seconds, "seconds": time.perf_counter() - began}
        return {"batch": rollout.batch(), **facts}

    def _decide(self, views: NDArray[Any], masks: NDArray[np.int8]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Draw actions by the Gumbel-max trick; return them, their log-probabilities and the critic's values."""
        batch = _batch(views, masks)
        out = self.module._forward_train(batch)
        likely = out[Columns.ACTION_DIST_INPUTS].log_softmax(1)
        noise = torch.empty_like(likely).exponential_(generator=self._rng).log_()
        actions = (likely - noise).argmax(1)
        values = self.module.compute_values(batch, out.get(Columns.EMBEDDINGS))
        return actions.numpy(), likely.gather(1, actions[:, None])[:, 0].numpy(), values.numpy()

    def _values(self, views: NDArray[Any]) -> NDArray[np.float32]:
        return self.module.compute_values(_batch(views, None)).numpy()

    def _worth_of_cut(self, infos: list[Batch]) -> NDArray[np.float32]:
        """Return the critic's discounted values of the games that were cut off, 0 for all others."""
        worth = np.zeros(len(infos), np.float32)
        cut = [i for i, info in enumerate(infos) if info and info["TimeLimit.truncated"]]
        if cut:
            last = np.stack([infos[i]["terminal_observation"] for i in cut])
            worth[cut] = self.settings["gamma"] * self._values(last)
        return worth

    def get_state(
        self,
        components: str | Collection[str] | None = None,
        *,
        not_components: str | Collection[str] | None = None,
        **kwargs: Any,
    ) -> Batch:
        """Return the weights."""
        return {COMPONENT_RL_MODULE: self.module.get_state(), WEIGHTS_SEQ_NO: 0}

    def set_state(self, state: Batch) -> None:
        """Take the weights that the learner sends."""
        weights = state.get(COMPONENT_RL_MODULE)
        if weights is not None:
            weights = ray.get(weights) if isinstance(weights, ray.ObjectRef) else weights
            self.module.set_state(weights.get(DEFAULT_MODULE_ID, weights))

    def get_metrics(self) -> Any:
        """Return nothing: the metrics of a rollout come with it."""
        return self.metrics.reduce()

    def assert_healthy(self) -> None:
        """Do nothing: a runner that was made is whole."""


def _batch(views: NDArray[Any], masks: NDArray[np.int8] | None) -> Batch:
    """Return the module's input."""
    observations = {"observation": torch.from_numpy(np.ascontiguousarray(views))}
    if masks is not None:
        observations["action_mask"] = torch.from_numpy(masks)
    return {Columns.OBS: observations}
