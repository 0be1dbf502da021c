"""Start of a training run: its variant, settings and first weights, checked, in a folder that nobody else uses."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kozyr import envs
from kozyr.agents.agent_names import refuse_code
from kozyr.agents.nets.trained import Trained
from kozyr.envs.core.game import Game
from kozyr.training.export import load_weights
from kozyr.training.run import checkpoint
from kozyr.training.run.plan import RunPlan
from kozyr.training.settings import run_settings as settings_file
from kozyr.training.settings.run_settings import Settings


@dataclass(frozen=True)
class Start:
    """State in which a run starts.

    Attributes:
        game: the game; variant: its options.
        settings: see `kozyr.training.settings.run_settings`.
        folder: of the run.
        saved: a checkpoint to go on from, or None.
        policy: a policy whose weights the actor takes, or None.
    """

    game: Game
    variant: Any
    settings: Settings
    folder: Path
    saved: dict[str, Any] | None = None
    policy: Trained | None = None


@contextmanager
def start_run(plan: RunPlan, here: bool) -> Generator[Start]:
    """Check a plan, and keep other processes away from the run's folder while the block runs.

    Args:
        plan: of the run; here: whether this process learns.

    Raises:
        ValueError: naming what is wrong with a setting, the folder or the checkpoint, or another process that is at
            work in the folder.
    """
    game = envs.game(plan.game)
    with _resume(plan, game) if plan.resume else _begin(plan, game, here) as start:
        yield start


@contextmanager
def _resume(plan: RunPlan, game: Game) -> Generator[Start]:
    """Go on with the run in the plan's folder."""
    folder = plan.folder
    with checkpoint.existing_run(folder) as saved:
        variant, settings = checkpoint.require(saved, folder, game, plan.options or {}), saved["settings"]
        refuse_code(settings_file.agent_names(settings), f"the run in {folder}", plan.agent_names())
        yield Start(game, variant, settings_file.override(settings, plan.overrides()), folder, saved)


@contextmanager
def _begin(plan: RunPlan, game: Game, here: bool) -> Generator[Start]:
    """Begin a run in a folder without one."""
    from_file = plan.start is not None and not plan.start.is_dir()
    policy = load_weights.load(plan.start, game, here) if plan.start and from_file else None
    saved = _other_run(plan, plan.start, game) if plan.start and not from_file else None
    settings = _settings(plan, game, saved, policy)
    variant = game.make_variant(**settings["variant"])
    with checkpoint.new_run(plan.folder):
        if policy:
            policy = load_weights.for_variant(policy, variant, settings["net"]["unseen"], plan.folder)
            lessons = plan.imitation or load_weights.critic_lessons(policy.path)
            settings = settings_file.with_imitation(settings, plan.preset, lessons)
        yield Start(game, variant, settings, plan.folder, saved, policy)


def _other_run(plan: RunPlan, folder: Path, game: Game) -> dict[str, Any]:
    """Return the checkpoint of another run, as one from which a new run begins."""
    saved = checkpoint.restart(folder, game, plan.options or {})
    refuse_code(settings_file.agent_names(saved["settings"]), f"the run in {folder}", plan.allow_code)
    return saved


def _settings(plan: RunPlan, game: Game, saved: dict[str, Any] | None, policy: Trained | None) -> Settings:
    """Return the settings of a new run; the lessons of a copied policy are added when its file is there."""
    if saved:
        settings = saved["settings"]
    else:
        settings = settings_file.load(game, plan.preset, plan.settings, plan.allow_code)
    if not policy:
        settings = settings_file.with_imitation(settings, plan.preset, plan.imitation)
    if plan.against is not None:
        settings = settings_file.with_opponent(settings, plan.against)
    settings, options = settings_file.override(settings, plan.overrides()), plan.options or {}
    variant = game.options(game.altered(policy.variant, **options)) if policy else {**settings["variant"], **options}
    return {**settings, "variant": variant}
