"""RLlib's PPO over rollouts of tables, and its configuration from our settings."""

from functools import partial
from typing import Any

import numpy as np
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch, concat_samples
from ray.rllib.utils.metrics import LEARNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME

from kozyr.envs.core.game import Game
from kozyr.training.rllib.module import MaskedModule
from kozyr.training.rllib.runner import TablesRunner
from kozyr.training.run.schedule import entropy_at, rate_at

PATIENCE = 600.0  # seconds: a runner that has just begun on a new machine compiles the game first


class TablesPPO(PPO):
    """PPO that learns from the rollouts of `TablesRunner`.

    Attributes:
        decisions: of the learner so far; place: where the run is, in decisions, if time has brought it further.
        order: what runners are asked for, see `TablesRunner.sample`.
        answers: of the runners to the last order, beside the data.
    """

    def setup(self, config: Any) -> None:
        """Start the runners and the learner."""
        self.decisions, self.place = 0, 0
        self.order: dict[str, Any] = {}
        self.answers: list[dict[str, Any]] = []
        super().setup(config)

    def training_step(self) -> None:
        """Gather a rollout from every runner that answers, learn from all of them, and send the weights round."""
        group = self.env_runner_group
        self.answers = group.foreach_env_runner(
            partial(_ask, order=self.order),
            local_env_runner=group.num_remote_env_runners() == 0,
            timeout_seconds=PATIENCE,
        )
        failed = [answer["failed"] for answer in self.answers if "failed" in answer]
        if failed:
            raise RuntimeError(f"an environment runner failed: {failed[0]}")
        if not self.answers:
            return
        batch = _joined([answer.pop("batch") for answer in self.answers])
        self.decisions += len(batch)
        config = self.config
        results = self.learner_group.update(
            batch=MultiAgentBatch({DEFAULT_MODULE_ID: batch}, len(batch)),
            timesteps={NUM_ENV_STEPS_SAMPLED_LIFETIME: max(self.decisions, self.place)},
            num_epochs=config.num_epochs,
            minibatch_size=min(config.minibatch_size, len(batch)),
            shuffle_batch_per_epoch=True,
        )
        self.metrics.aggregate(results, key=LEARNER_RESULTS)
        group.sync_weights(from_worker_or_learner_group=self.learner_group, inference_only=True)


def _ask(runner: TablesRunner, order: dict[str, Any]) -> dict[str, Any]:
    """Return a runner's rollout, or its error: RLlib would pass over an error as if the runner had died."""
    try:
        return runner.sample(**order)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def _joined(batches: list[dict[str, Any]]) -> SampleBatch:
    """Return one batch, shuffled (RLlib leaves the first epoch in order), its advantages brought to one scale."""
    whole: dict[str, Any] = concat_samples([SampleBatch(batch) for batch in batches])
    advantages = whole["advantages"]
    whole["advantages"] = (advantages - advantages.mean()) / max(1e-4, float(advantages.std()))
    return SampleBatch(whole).shuffle()


def config_of(game: Game, variant: Any, settings: dict[str, Any], num_env_runners: int) -> PPOConfig:
    """Return RLlib's configuration of a run.

    Args:
        game: the game; variant: its options.
        settings: see `kozyr.training.settings.run_settings`; the tables are shared out among the runners.
        num_env_runners: actors that play, each on a core of the cluster; 0 plays in this process.
    """
    options, whole = game.options(variant), settings["timesteps"]
    facts = {"game": game.name, "options": options, "net": settings["net"]}
    rates, entropy = ([[0, at(settings, 1.0)], [whole, at(settings, 0.0)]] for at in (rate_at, entropy_at))
    return (
        PPOConfig(algo_class=TablesPPO)
        .environment(env_config={"game": game.name, "options": options, "settings": settings})
        .env_runners(
            env_runner_cls=TablesRunner,
            num_env_runners=num_env_runners,
            create_local_env_runner=num_env_runners == 0,
        )
        .fault_tolerance(
            restart_failed_env_runners=True,
            env_runner_health_probe_timeout_s=1.0,  # what a lost runner costs the others in each round
            env_runner_restore_timeout_s=PATIENCE,
        )
        .rl_module(rl_module_spec=RLModuleSpec(MaskedModule, model_config=facts))
        .training(
            lr=rates,
            gamma=settings["gamma"],
            lambda_=settings["gae_lambda"],
            minibatch_size=settings["batch_size"],
            train_batch_size_per_learner=settings["num_tables"] * settings["n_steps"],
            num_epochs=settings["n_epochs"],
            clip_param=settings["clip"],
            vf_clip_param=float(np.inf),
            vf_loss_coeff=settings["value_weight"],
            entropy_coeff=entropy,
            grad_clip=settings["max_grad_norm"],
            grad_clip_by="global_norm",
            use_kl_loss=False,
        )
        .debugging(seed=settings["seed"], log_level="ERROR")
    )
