"""Engine of a run in this process: the compiled learner where it can do what the settings ask, or MaskablePPO."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger, make_output_format
from stable_baselines3.common.utils import set_random_seed

from kozyr.envs.core.game import Game
from kozyr.training.learners.compiled import network
from kozyr.training.learners.compiled.agent import CompiledAgent
from kozyr.training.learners.compiled.ppo import CompiledPPO
from kozyr.training.learners.monte_carlo import network as pair_network
from kozyr.training.learners.monte_carlo.learner import MonteCarlo
from kozyr.training.learners.network import policy_of
from kozyr.training.learners.ppo import RegularisedPPO, luck
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run.schedule import rate_at
from kozyr.training.settings import run_settings as settings_file

DMC = "dmc"  # deep Monte-Carlo
EPISODES = 1000  # that the mean reward is of
AUTO, COMPILED, SB3 = "auto", "compiled", "sb3"


def learner(
    game: Game, variant: Any, env: TablesVecEnv, settings: dict[str, Any], time_left: Callable[[], float]
) -> Any:
    """Return the learner of a run: MaskablePPO, or a class that offers as much of it as a run uses.

    Args:
        game: the game; variant: its options.
        env: the tables that it learns from.
        settings: see `kozyr.training.settings.run_settings`.
        time_left: tells what share of the run's time is left, 1 to 0.

    Raises:
        ValueError: if the settings ask for an engine or an algorithm that cannot do what they ask for.
    """
    threads = settings_file.threads_of(settings)
    if settings["algorithm"] == DMC:
        if wrong := pair_network.complaint(settings):
            raise ValueError(f"algorithm='dmc' is not allowed: {wrong}")
        return MonteCarlo(game, variant, env, settings, time_left, threads)
    policy, arguments = policy_of(game, variant, settings["net"], threads)
    usual = _arguments(settings, time_left) | {"policy_kwargs": arguments}
    kind, more = _algorithm(settings)
    if settings["engine"] != SB3:
        wrong = network.complaint(settings["net"])
        if not wrong:
            return CompiledPPO(policy, env, threads=threads, **usual, **more)
        if settings["engine"] == COMPILED:
            raise ValueError(f"engine='compiled' is not allowed: {wrong}; take engine='sb3'")
    return kind(policy, env, **usual, **more)


def _arguments(settings: dict[str, Any], time_left: Callable[[], float]) -> dict[str, Any]:
    """Return the arguments that all learners take."""
    return {
        "learning_rate": lambda share: rate_at(settings, max(min(share, time_left()), 0.0)),
        "n_steps": settings["n_steps"],
        "batch_size": settings["batch_size"],
        "n_epochs": settings["n_epochs"],
        "gamma": settings["gamma"],
        "gae_lambda": settings["gae_lambda"],
        "clip_range": settings["clip"],
        "ent_coef": settings["entropy"],
        "vf_coef": settings["value_weight"],
        "max_grad_norm": settings["max_grad_norm"],
        "stats_window_size": EPISODES,
        "seed": settings["seed"],
        "device": "cpu",  # networks this small are slower elsewhere
    }


def _algorithm(settings: dict[str, Any]) -> tuple[type[MaskablePPO], dict[str, Any]]:
    """Return the learner's class for the engine sb3, and the arguments of the algorithm."""
    more = {"action_values": True} if settings["advantage"] == "action_values" else {}
    if settings["algorithm"] == "mmd":
        more |= settings["mmd"]
    return (RegularisedPPO if more else MaskablePPO), more


def opponent(model: Any, game: Game, variant: Any) -> Any:
    """Return a function that makes an agent of a network and a name, for a learner's opponents; None: the usual one."""
    if not isinstance(model, CompiledPPO):
        return None
    actions = game.actions(variant)
    return lambda logits, name: CompiledAgent(logits, name, actions)


def seed_rollout(model: Any, env: TablesVecEnv, seed: int) -> None:
    """Let all that torch's engine draws in the coming rollout follow from a run's seed and the decisions so far.

    The other learners do so themselves. Nothing of a generator need be kept then.
    """
    if isinstance(model, MaskablePPO) and not isinstance(model, CompiledPPO):
        own = luck(seed, model.num_timesteps)
        set_random_seed(own % 2**31)
        env.tables.reset_opponents(own)


def name_of(model: Any) -> str:
    """Return the name of a learner's engine."""
    return COMPILED if isinstance(model, (CompiledPPO, MonteCarlo)) else SB3


def logger(folder: Path) -> Logger:
    """Return a logger that writes TensorBoard files where tensorboard is installed, and nothing to the terminal."""
    formats = [make_output_format("tensorboard", str(folder / "tensorboard"))] if find_spec("tensorboard") else []
    return Logger(str(folder), formats)
