"""Training run: from a plan to a policy that plays."""

import ctypes
import math
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from kozyr import envs
from kozyr.agents.arena.matches.console import console
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.capabilities import opening_plies
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.table import files
from kozyr.training import encoders
from kozyr.training.encoders.view import EVERYTHING
from kozyr.training.export import load_weights, onnx_export
from kozyr.training.imitation.imitation import Imitation
from kozyr.training.learners.engine import learner, logger, name_of, opponent, seed_rollout
from kozyr.training.learners.network import Logits
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.opponents.opponent_pool import Pool, TorchAgent
from kozyr.training.run import checkpoint, evaluation, games, report, schedule
from kozyr.training.run.callbacks import Callback, Content, Progress, following
from kozyr.training.run.checkpoint import CURVE, POLICY, RECORD
from kozyr.training.run.checkpoint_schema import require_moments
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.start import Start, start_run
from kozyr.training.settings import run_settings as settings_file

_TRIM, _TOP, _MAP = -1, -2, -3  # M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of malloc.h
_MALLOC = {_MAP: 1 << 25, _TRIM: 1 << 30, _TOP: 1 << 26}  # bytes; glibc takes no more than 32 MiB for the first


def train(plan: RunPlan, callbacks: Sequence[Callback] = (), engine: Callable[..., "Run"] | None = None) -> Content:
    """Train a policy, measure it, export it, and return the content of run.json.

    Args:
        plan: of the run.
        callbacks: follow the run.
        engine: makes the `Run`; None takes Stable-Baselines3 in this process.

    Raises:
        ValueError: naming what is wrong with a setting, the folder or the checkpoint, or another process that is at
            work in the folder.
        RuntimeError: if the training diverges: at the first loss or weight that is NaN or infinite the run stops, and
            its checkpoint is the last good one.
        KeyboardInterrupt: on Ctrl-C, after a word on how to go on; only the current rollout is lost.
    """
    with start_run(plan, here=engine is None) as start:
        return _carry_out(start, plan.imitates_only, engine or Run, callbacks)


def _carry_out(
    start: Start, imitates_only: bool, engine: Callable[..., "Run"], callbacks: Sequence[Callback]
) -> Content:
    """Imitate, train, measure and write everything."""
    terminal, settings = console(), start.settings
    keep_memory()
    # Where an encoder's layers have threads of their own, torch's would keep them from work: they wait in a loop.
    own_threads = encoders.policy_encoder(settings["net"]).own_threads
    with _torch_settings(1 if own_threads else settings_file.threads_of(settings)):
        terminal.print(f"Preparing {start.game.id} …")
        with terminal.status("Loading agents and compiling"):
            run = engine(start.game, start.variant, settings, start.folder, start.saved)
            if start.policy:
                load_weights.take(Logits(run.model.policy), start.policy, settings)
        with following(run, callbacks) as finished:
            _learn(run, imitates_only, terminal)
            final = f"{settings['evaluation']['final_deals']:,} deals against each opponent"
            terminal.print(f"Measuring the policy, {final}")
            content = run.finish()
            finished(content)
    title = f"{start.game.id}, {run.timesteps:,} decisions in {run.seconds:.0f} s"
    terminal.print(report.table(title, content["results"]))
    terminal.print(f"The policy is {start.folder / POLICY}")
    return content


def _learn(run: "Run", imitates_only: bool, terminal: Console) -> None:
    """Imitate and train, with progress; say how to go on after an interrupt."""
    progress = Progress(run, terminal)
    try:
        if run.imitated < run.settings["imitation"].get("decisions", 0):
            Imitation(run, terminal).carry_out()
        if not imitates_only:
            if run.deals_anew:
                terminal.print("Games begin anew: the checkpoint has none that go on with this engine and seed")
            terminal.print(f"Training in {run.folder}, {schedule.decisions_text(run.settings)}")
            run.learn(progress)
    except KeyboardInterrupt:
        done = f"{run.imitated:,} positions of the teacher and {run.timesteps:,} decisions"
        terminal.print(f"Stopped after {done}; go on with the same command and --resume")
        raise
    finally:
        progress.stop()


def keep_memory() -> bool:
    """Tell the C library to keep the memory that arrays of some megabytes leave; return whether it is glibc.

    Memory that is given back to the system only to be asked for again costs a fifth of a board's training.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and all(mallopt(option, size) == 1 for option, size in _MALLOC.items())


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
    """A run in progress: the learner, its opponents and the measurements so far.

    Args:
        game: the game; variant: its options.
        settings: see `kozyr.training.settings.run_settings`.
        folder: where it is kept.
        saved: a checkpoint to go on from.
    """

    def __init__(self, game: Game, variant: Any, settings: dict[str, Any], folder: Path, saved: Any = None) -> None:
        self.game, self.variant, self.settings, self.folder = game, variant, settings, folder
        self.timesteps, self.imitated, self.seconds, self.lessons_seconds, self._learning = 0, 0, 0.0, 0.0, 0.0
        self.curve: list[list[float]] = []
        self.evaluations: list[dict[str, Any]] = []
        options, threads = game.options(variant), settings_file.threads_of(settings)
        self._others = evaluation.opponents(game, variant, settings["evaluation"]["against"])
        first = envs.players(game, "random", options)
        deals = {"seed": settings["seed"], "opening": opening_plies(variant), "bootstrap": settings["bootstrap"]}
        deals |= {"threads": threads, "everything": settings["net"]["critic"] == EVERYTHING, "logged": True}
        self.env = TablesVecEnv(game, settings["num_tables"], first, **deals, **options)
        self.model = self._learner()
        others, makes = (settings["opponents"], settings["pool_size"]), opponent(self.model, game, variant)
        self.pool = Pool(game, variant, self.model.policy, *others, threads, makes)
        self._games: Any = None  # in progress, of a checkpoint, until they are taken up
        if saved is not None:
            self._seat()  # whoever sat at the tables before the snapshots has his number before theirs
            self._take_up(saved)
        self.model.set_logger(logger(folder))
        self.reseat()
        self._warm_up()

    def _learner(self) -> Any:
        """Return the learner: MaskablePPO, or a class that offers as much of it as is used here."""
        return learner(self.game, self.variant, self.env, self.settings, self.time_left)

    def _take_up(self, saved: dict[str, Any]) -> None:
        """Go on from a checkpoint; its games are taken up when the learner begins to play."""
        optimizer = self.model.policy.optimizer
        try:
            self.model.policy.load_state_dict(saved["policy"])
            optimizer.load_state_dict({**optimizer.state_dict(), "state": saved["optimizer"]["state"]})
            require_moments(optimizer)
            self.pool.load_state_dict(saved["pool"])
        except (RuntimeError, ValueError, KeyError, TypeError) as error:  # of torch's, where weights do not fit
            words = files.cut(" ".join(str(error).split()), 300)
            raise ValueError(f"the checkpoint in {self.folder} does not fit its own settings: {words}") from None
        self.timesteps = self.model.num_timesteps = saved["timesteps"]
        self.imitated = saved["imitated"]
        self.seconds, self.lessons_seconds = saved["seconds"], saved["lessons_seconds"]
        self.curve, self.evaluations = saved["curve"], saved["evaluations"]
        self.model.set_random_seed(spread(self.settings["seed"], self.timesteps) % 2**31)
        if self.settings["seed"] == saved["settings"]["seed"] and games.goes_on(self.model):
            self._games = saved["games"]

    def reseat(self) -> None:
        """Let the tables draw from the opponents as they are now."""
        self._seat()

    def _seat(self) -> None:
        self.env.tables.set_opponents([self.pool.mixture()] * (self.game.seats(self.variant) - 1))

    def _warm_up(self) -> None:
        """Compile the functions that training calls."""
        self.env.tables.reset(0)
        self.env.tables.step(self.env.action_masks().argmax(1).astype(np.int64))

    def time_left(self) -> float:
        """Return the share of the settings' minutes that is left, 1 to 0; 1 without a limit."""
        return schedule.time_left(self.settings, self.seconds, self.lessons_seconds)

    def learn(self, progress: Progress) -> None:
        """Train until the settings' number of decisions is reached, or the minutes are over."""
        decisions = self.settings["timesteps"] - self.timesteps
        self.env.seconds, before = 0.0, self.seconds
        if decisions > 0 and self.time_left() > 0:
            self._take_up_games()
            if not self.timesteps:  # the same deals, whether there were lessons before and whether they were resumed
                self.env.seed(self.settings["seed"])
            self.model.learn(decisions, callback=progress, reset_num_timesteps=self.timesteps == 0)
        self._learning = self.seconds - before

    @property
    def deals_anew(self) -> bool:
        """Whether a run that goes on begins other games than those that were in progress."""
        return self.timesteps > 0 and self._games is None

    def _take_up_games(self) -> None:
        """Go on with the games of the checkpoint, if it has some."""
        if self._games is None:
            return
        try:
            games.take_up(self.model, self.env, self._games)
        except ValueError as error:
            words = f"the games in progress in {self.folder} cannot go on: {error}. Another seed begins new ones"
            raise ValueError(words) from None

    def begin_rollout(self) -> None:
        """Let all that is drawn in the coming rollout follow from the seed and the decisions so far."""
        seed_rollout(self.model, self.env, self.settings["seed"])

    def save(self) -> None:
        """Write the checkpoint."""
        playing = self.timesteps > 0 and games.goes_on(self.model)
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
            "games": games.content(self.model, self.env) if playing else None,
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
        """Return a description of the engine."""
        return {"name": name_of(self.model)}

    def finish(self) -> Content:
        """Export the policy, measure its file, and write the record and the learning curve."""
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
