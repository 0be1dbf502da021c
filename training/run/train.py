"""One training run, from settings to a policy that plays: `train`."""

import math
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from kozyr import envs
from kozyr.agents.agent_names import refuse_code
from kozyr.agents.arena.matches.console import console
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.agents.nets.trained import Trained
from kozyr.envs.core.capabilities import opening_plies
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.table import files
from kozyr.training import encoders
from kozyr.training.encoders.view import EVERYTHING
from kozyr.training.export import copied, onnx_export
from kozyr.training.imitation.imitation import Imitation
from kozyr.training.learners.learner import learner, logger
from kozyr.training.learners.network import Logits
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.opponents.opponent_pool import Pool, TorchAgent
from kozyr.training.run import checkpoint, evaluation, report, schedule
from kozyr.training.run.callbacks import Callback, following
from kozyr.training.run.checkpoint_schema import require_moments
from kozyr.training.run.malloc import keep_memory
from kozyr.training.run.progress import Watch
from kozyr.training.settings import run_settings as settings_file

POLICY, RECORD, CURVE = "policy.onnx", "run.json", "learning_curve.png"


def train(
    game: str,
    preset: str = "default",
    out: Path | None = None,
    seed: int | None = None,
    timesteps: int | None = None,
    resume: bool = False,
    settings: Path | None = None,
    options: dict[str, Any] | None = None,
    imitation: dict[str, Any] | None = None,
    threads: int | None = None,
    against: str | None = None,
    engine: Any = None,
    minutes: float | None = None,
    allow_code: Sequence[str] = (),
    callbacks: Sequence[Callback] = (),
    start: Path | None = None,
) -> dict[str, Any]:
    """Train a policy, measure it, export it, and return what run.json says.

    Args:
        game: a name from `kozyr.envs.games()`.
        preset: a table of the settings file.
        out: the run's folder; None takes runs/<game>-<preset>.
        seed: instead of the settings' seed.
        timesteps: instead of the settings' number of decisions; a whole rollout is always finished.
        resume: go on with the run in `out`, with the settings that it began with.
        settings: a TOML file instead of the game's own.
        options: fields of the variant, instead of the settings'.
        imitation: keys of the settings' table `imitation`, laid over it; without `against` the run then ends with the
            imitation, and `resume` trains on.
        threads: instead of the settings' number; 0 takes one a core.
        against: an agent that sits in all other seats and that is measured against, instead of the settings' ones.
        engine: makes the `Run`; None takes Stable-Baselines3 in this process.
        minutes: instead of the settings' number: the run, lessons included, ends after so much wall time if it has
            not made its decisions sooner; 0 sets no limit. What is measured at the end comes after that.
        allow_code: classes and programs that the settings, or the run that goes on, may name as agents.
        callbacks: what follows the run.
        start: what a new run begins with: the folder of another, whose settings and weights it takes, `preset` and
            `settings` aside; or a policy's file, whose weights it takes; `options` may then differ from its variant in
            what `net.unseen` names. Unless `imitation` has keys, the critic then learns alone first.

    Raises:
        ValueError: naming what is wrong with a setting, the folder or the checkpoint, or another process that is at
            work in the folder.
        RuntimeError: if the training diverges: at the first loss or weight that is NaN or infinite the run stops, and
            its checkpoint is the last good one.
        KeyboardInterrupt: on Ctrl-C, after a word on how to go on; only the current rollout is lost.
    """
    it = envs.game(game)
    folder = Path("runs") / f"{it.name}-{preset}" if out is None else Path(out)
    asked = {"seed": seed, "threads": threads, "timesteps": timesteps, "minutes": minutes}
    only_imitate = imitation is not None and against is None
    if resume:
        told = [*allow_code, against or "", (imitation or {}).get("teacher", "")]
        with checkpoint.resumed(folder) as kept:
            variant, given = checkpoint.require(kept, folder, it, options or {}), kept["settings"]
            refuse_code(settings_file.named(given), f"the run in {folder}", told)
            given = settings_file.changed(given, asked)
            return _carry_out(it, variant, given, folder, kept, only_imitate, engine or Run, callbacks)
    policy = copied.opened(start, it, engine is None) if start and not start.is_dir() else None
    begun = checkpoint.anew(start, it, options or {}) if start and policy is None else None
    if begun:
        refuse_code(settings_file.named(begun["settings"]), f"the run in {start}", allow_code)
    usual = begun["settings"] if begun else settings_file.load(it, preset, settings, allow_code)
    if not policy:
        usual = settings_file.taught(usual, preset, imitation)
    given = settings_file.changed(usual if against is None else settings_file.opposed(usual, against), asked)
    changed = options or {}
    given["variant"] = it.options(it.altered(policy.variant, **changed)) if policy else {**given["variant"], **changed}
    variant = it.make_variant(**given["variant"])
    with checkpoint.begun(folder, RECORD):
        if policy:
            policy = copied.fitted(policy, variant, given["net"]["unseen"], folder)
            given = settings_file.taught(given, preset, imitation or copied.lessons(policy.path))
        return _carry_out(it, variant, given, folder, policy or begun, only_imitate, engine or Run, callbacks)


def _carry_out(
    game: Game,
    variant: Any,
    given: dict[str, Any],
    folder: Path,
    begun: dict[str, Any] | Trained | None,
    only_imitate: bool,
    engine: Any,
    callbacks: Sequence[Callback],
) -> dict[str, Any]:
    """Imitate, train, measure and write everything."""
    shown = console()
    keep_memory()
    # Where a reader's layers have threads of their own, torch's would keep them from work: they wait in a loop.
    with _torch_settings(1 if encoders.reading(given["net"]).own_threads else settings_file.threads_of(given)):
        shown.print(f"Preparing {game.id} …")
        with shown.status("Loading agents and compiling"):
            run = engine(game, variant, given, folder, None if isinstance(begun, Trained) else begun)
            if isinstance(begun, Trained):
                copied.take(Logits(run.model.policy), begun, given)
        with following(run, callbacks) as finished:
            watch = Watch(run, shown)
            try:
                if run.imitated < given["imitation"].get("decisions", 0):
                    Imitation(run, shown).carry_out()
                if not only_imitate:
                    shown.print(f"Training in {folder}, {schedule.told_decisions(given)}")
                    run.learn(watch)
            except KeyboardInterrupt:
                done = f"{run.imitated:,} positions of the teacher and {run.timesteps:,} decisions"
                shown.print(f"Stopped after {done}; go on with the same command and --resume")
                raise
            finally:
                watch.stop()
            final = f"{given['evaluation']['final_deals']:,} deals against each opponent"
            shown.print(f"Measuring the policy, {final}")
            content = run.finish()
            finished(content)
    shown.print(report.table(f"{game.id}, {run.timesteps:,} decisions in {run.seconds:.0f} s", content["results"]))
    shown.print(f"The policy is {folder / POLICY}")
    return content


@contextmanager
def _torch_settings(threads: int) -> Generator[None]:
    """Set torch's threads, and skip its check of every distribution, which costs a tenth of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        torch.distributions.Distribution.set_default_validate_args(__debug__)


class Run:
    """A run in progress: the learner, its opponents and what has been noted so far.

    Args:
        game: the game; variant: its options.
        settings: see `kozyr.training.settings.run_settings`.
        folder: where it is kept.
        kept: a checkpoint to go on from.
    """

    def __init__(self, game: Game, variant: Any, settings: dict[str, Any], folder: Path, kept: Any = None) -> None:
        self.game, self.variant, self.settings, self.folder = game, variant, settings, folder
        self.timesteps, self.imitated, self.seconds, self.lessons_seconds, self._learning = 0, 0, 0.0, 0.0, 0.0
        self.curve: list[list[float]] = []
        self.evaluations: list[dict[str, Any]] = []
        options, threads = game.options(variant), settings_file.threads_of(settings)
        self._others = evaluation.opponents(game, variant, settings["evaluation"]["against"])
        first = envs.players(game, "random", options)
        begun = {"seed": settings["seed"], "opening": opening_plies(variant), "threads": threads}
        begun["bootstrap"] = settings["bootstrap"]
        seeing = settings["net"]["critic"] == EVERYTHING
        self.env = TablesVecEnv(game, settings["num_tables"], first, everything=seeing, **begun, **options)
        self.model = self._learner()
        self.pool = Pool(game, variant, self.model.policy, settings["opponents"], settings["pool_size"], threads)
        if kept is not None:
            self._take_up(kept)
        self.model.set_logger(logger(folder))
        self.reseat()
        self._warm_up()

    def _learner(self) -> Any:
        """Return what learns: MaskablePPO, or what offers as much of it as is used here."""
        return learner(self.game, self.variant, self.env, self.settings, self.time_left)

    def _take_up(self, kept: dict[str, Any]) -> None:
        """Go on from a checkpoint, with deals that were not played yet."""
        optimizer = self.model.policy.optimizer
        try:
            self.model.policy.load_state_dict(kept["policy"])
            optimizer.load_state_dict({**optimizer.state_dict(), "state": kept["optimizer"]["state"]})
            require_moments(optimizer)
            self.pool.load_state_dict(kept["pool"])
        except (RuntimeError, ValueError, KeyError, TypeError) as error:  # of torch's, where weights do not fit
            words = files.cut(" ".join(str(error).split()), 300)
            raise ValueError(f"the checkpoint in {self.folder} does not fit its own settings: {words}") from None
        self.timesteps = self.model.num_timesteps = kept["timesteps"]
        self.imitated = kept["imitated"]
        self.seconds, self.lessons_seconds = kept["seconds"], kept["lessons_seconds"]
        self.curve, self.evaluations = kept["curve"], kept["evaluations"]
        self.model.set_random_seed(spread(self.settings["seed"], self.timesteps) % 2**31)

    def reseat(self) -> None:
        """Let the tables draw from the opponents as they are now."""
        self.env.tables.set_opponents([self.pool.mixture()] * (self.game.seats(self.variant) - 1))

    def _warm_up(self) -> None:
        """Compile what training calls."""
        self.env.tables.reset(0)
        self.env.tables.step(self.env.action_masks().argmax(1).astype(np.int64))

    def time_left(self) -> float:
        """Return the share of the settings' minutes that is left, 1 to 0; 1 without a limit."""
        return schedule.time_left(self.settings, self.seconds, self.lessons_seconds)

    def learn(self, watch: Watch) -> None:
        """Train until the settings' number of decisions is reached, or the minutes are over."""
        left = self.settings["timesteps"] - self.timesteps
        self.env.seconds, before = 0.0, self.seconds
        if left > 0 and self.time_left() > 0:
            self.model.learn(left, callback=watch, reset_num_timesteps=self.timesteps == 0)
        self._learning = self.seconds - before

    def save(self) -> None:
        """Write the checkpoint."""
        content = {
            "settings": self.settings,
            "timesteps": self.timesteps,
            "imitated": self.imitated,
            "seconds": self.seconds,
            "lessons_seconds": self.lessons_seconds,
            "curve": self.curve,
            "evaluations": self.evaluations,
            "policy": self.model.policy.state_dict(),
            "optimizer": self.model.policy.optimizer.state_dict(),
            "pool": self.pool.state_dict(),
        }
        checkpoint.save(self.folder, self.game, self.variant, content)

    def evaluate(self) -> list[dict[str, Any]]:
        """Measure the policy as it is now, playing greedily, and note the result."""
        agent = TorchAgent(Logits(self.model.policy), "policy", greedy=True)
        return self._measure(agent, self.settings["evaluation"]["deals"])

    def _measure(self, agent: Any, deals: int, progress: bool = False) -> list[dict[str, Any]]:
        seed = self.settings["evaluation"]["seed"]
        rows = evaluation.measure(self.game, self.variant, agent, self._others, deals, seed, progress)
        trained = round(self.seconds - math.fsum(row["seconds"] for row in self.evaluations), 3)
        rows = [{"timesteps": self.timesteps, "trained_seconds": trained, **row} for row in rows]
        self.evaluations.extend(rows)
        return rows

    def engine(self) -> dict[str, Any]:
        """Say what has trained."""
        return {"name": "sb3"}

    def finish(self) -> dict[str, Any]:
        """Export the policy, measure what was exported, and write the record and the learning curve."""
        began = time.perf_counter()
        about = {**onnx_export.about(self.timesteps, self.imitated, self.settings), "seconds": round(self.seconds, 1)}
        path = self.folder / POLICY
        onnx_export.write(path, Logits(self.model.policy), self.game, self.variant, about)
        results = self._measure(OnnxPolicy(path), self.settings["evaluation"]["final_deals"], sys.stderr.isatty())
        content = {
            "game": self.game.id,
            "options": self.game.options(self.variant),
            **about,
            "engine": self.engine(),
            "decisions_per_second": round(self.timesteps / self.seconds, 1) if self.timesteps else None,
            "environment_share": round(self.env.seconds / self._learning, 4) if self._learning else None,
            "evaluation_seconds": round(time.perf_counter() - began, 1),
            "results": results,
            "evaluations": self.evaluations,
            "settings": self.settings,
            "versions": report.versions(),
            "machine": report.machine(),
        }
        report.draw_curve(self.folder / CURVE, f"{self.game.id}", self.curve, self.evaluations)
        report.write_json(self.folder / RECORD, content)
        return content
