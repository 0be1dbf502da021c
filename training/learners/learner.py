"""MaskablePPO of sb3-contrib, or the regularised one, made as a run's settings say."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger, make_output_format

from kozyr.envs.core.game import Game
from kozyr.training.learners.network import policy_of
from kozyr.training.learners.regularised import RegularisedPPO
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run.schedule import rate_at
from kozyr.training.settings import run_settings as settings_file


def learner(
    game: Game, variant: Any, env: TablesVecEnv, settings: dict[str, Any], time_left: Callable[[], float]
) -> MaskablePPO:
    """Return MaskablePPO.

    Args:
        game: the game; variant: its options.
        env: the tables that it learns from.
        settings: see `kozyr.training.settings.run_settings`.
        time_left: tells what share of the run's time is left, 1 to 0.
    """
    policy, arguments = policy_of(game, variant, settings["net"], settings_file.threads_of(settings))
    kind, more = _algorithm(settings)
    return kind(
        policy,
        env,
        learning_rate=lambda left: rate_at(settings, max(min(left, time_left()), 0.0)),
        n_steps=settings["n_steps"],
        batch_size=settings["batch_size"],
        n_epochs=settings["n_epochs"],
        gamma=settings["gamma"],
        gae_lambda=settings["gae_lambda"],
        clip_range=settings["clip"],
        ent_coef=settings["entropy"],
        vf_coef=settings["value_weight"],
        max_grad_norm=settings["max_grad_norm"],
        stats_window_size=1000,  # episodes that the mean reward is of
        policy_kwargs=arguments,
        seed=settings["seed"],
        device="cpu",  # networks this small are slower elsewhere
        **more,
    )


def _algorithm(settings: dict[str, Any]) -> tuple[type[MaskablePPO], dict[str, Any]]:
    """Return what learns, and its own arguments."""
    more = {"action_values": True} if settings["advantage"] == "action_values" else {}
    if settings["algorithm"] == "mmd":
        more |= settings["mmd"]
    return (RegularisedPPO if more else MaskablePPO), more


def logger(folder: Path) -> Logger:
    """Return a logger that writes TensorBoard files where tensorboard is installed, and nothing to the terminal."""
    formats = [make_output_format("tensorboard", str(folder / "tensorboard"))] if find_spec("tensorboard") else []
    return Logger(str(folder), formats)
