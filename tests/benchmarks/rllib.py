"""RLlib's own environment runner beside ours: `.venv-rllib/bin/python -m tests.benchmarks.rllib`."""

import logging
import time
from typing import Any

import gymnasium
import numpy as np
import ray
import torch
from ray import tune
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from kozyr import envs
from kozyr.envs.environments.observations import spaces_of
from kozyr.training.rllib.module import MaskedModule
from kozyr.training.rllib.ppo import config_of
from kozyr.training.settings import run_settings

GAME, TABLES, ROUNDS = "durak", 256, 5


class Shown(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A seat whose observations hold its mask, as RLlib's modules need it."""

    def __init__(self, env: Any, both: Any) -> None:
        super().__init__(env)
        self.observation_space, self.action_space = both

    def reset(self, **given: Any) -> Any:
        return self._with_mask(self.env.reset(**given)[0]), {}

    def step(self, action: Any) -> Any:
        view, *told = self.env.step(int(action))
        return self._with_mask(view), *told[:3], {}

    def _with_mask(self, view: Any) -> Any:
        seat: Any = self.env.unwrapped
        return {"observation": view, "action_mask": np.asarray(seat.action_masks(), np.int8)}


def stock(game: Any, variant: Any, given: dict[str, Any]) -> Any:
    """Return RLlib's PPO with its own runner over as many seats."""
    options, both = game.options(variant), spaces_of(game, variant)
    tune.register_env("seat", lambda _: Shown(envs.make_seat(GAME, opponents="low", **options), both))
    facts = {"game": GAME, "options": options, "net": given["net"]}
    return (
        PPOConfig()
        .environment("seat", disable_env_checking=True)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=TABLES)
        .rl_module(rl_module_spec=RLModuleSpec(MaskedModule, model_config=facts))
        .training(train_batch_size_per_learner=TABLES * 16, minibatch_size=given["batch_size"])
        .training(num_epochs=given["n_epochs"])
    ).build_algo()


def rate(what: Any, count: Any) -> float:
    """Return decisions a second."""
    began = time.perf_counter()
    return count(what()) / (time.perf_counter() - began)


def main() -> None:
    """Measure both in turn, so that other work on the machine meets both alike."""
    torch.set_num_threads(1)
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    game, given = envs.game(GAME), run_settings.load(envs.game(GAME), "demo")
    variant = game.make_variant(**given["variant"])
    given |= {"num_tables": TABLES, "opponents": {"low": 1.0}}
    ours, theirs = config_of(game, variant, given, 0).build_algo(), stock(game, variant, given)
    size = TABLES * given["n_steps"]

    def measured() -> tuple[float, ...]:
        return (
            rate(ours.env_runner.sample, lambda rollout: len(rollout["batch"]["actions"])),
            rate(lambda: theirs.env_runner.sample(num_timesteps=TABLES * 16), lambda many: sum(map(len, many))),
            rate(ours.train, lambda _: size),
            rate(theirs.train, lambda _: TABLES * 16),
        )

    rows = [measured() for _ in range(ROUNDS + 1)]  # the first compiles
    names = ("tables: sample", "stock: sample", "tables: sample and learn", "stock: sample and learn")
    for name, rates in zip(names, zip(*rows[1:], strict=True), strict=True):
        print(f"{name:28} median {np.median(rates):10,.0f}/s  from {min(rates):10,.0f} to {max(rates):10,.0f}")


if __name__ == "__main__":
    main()
