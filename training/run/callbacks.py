"""Callbacks of a run: followers that a caller gives to `train`, and the progress that SB3 calls between rollouts."""

import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter

from kozyr.training.run import checkpoint
from kozyr.training.run.evaluation import row_text
from kozyr.training.run.schedule import decisions_left, entropy_at

Content = dict[str, Any]  # of run.json


class Callback:
    """Follower of a run, whatever its engine; each method does nothing unless a subclass overrides it."""

    def on_start(self, run: Any) -> None:
        """Hear of a run that begins or goes on; see `kozyr.training.run.train.Run`."""

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        """Hear the numbers of a rollout by name, as "train/loss", and how many decisions the learner has made."""

    def on_end(self, run: Any, content: Content | None) -> None:
        """Hear the content of run.json, or None of a run that was stopped or has failed."""


class _Writer(KVWriter):
    """Output of SB3's logger that passes its numbers on to callbacks."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks = callbacks

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Pass on the numbers."""
        values = {key: float(x) for key, x in key_values.items() if hasattr(x, "__float__")}
        for callback in self._callbacks:
            callback.on_values(values, step)

    def close(self) -> None:
        """Do nothing: `on_end` hears of the end."""


@contextmanager
def following(run: Any, callbacks: Sequence[Callback]) -> Generator[Callable[[Content], None]]:
    """Let callbacks follow a run; call the value of the block with the content of run.json."""
    content, started = Content(), list[Callback]()
    try:
        for callback in callbacks:
            callback.on_start(run)
            started.append(callback)
        if started:
            run.model.logger.output_formats.append(_Writer(started))
        yield content.update
    finally:
        for callback in started:
            callback.on_end(run, content or None)


class Progress(BaseCallback):
    """Checkpoint, snapshots, evaluation and a line of progress between two rollouts of a run.

    Args:
        run: see `kozyr.training.run.train.Run`.
        console: where progress is shown.
    """

    def __init__(self, run: Any, console: Console) -> None:
        super().__init__()
        self.run, self.console = run, console
        self._decisions = run.settings["num_tables"] * run.settings["n_steps"]  # of a rollout
        self._rollouts = run.timesteps // self._decisions
        self._since = self._began = self._resting = 0.0
        self._rollout_took = 0.0  # seconds, the last one
        self._evaluation_took = 15.0 * run.settings["minutes"]  # the same; before the first one a quarter of the run

    def _on_training_start(self) -> None:
        """Show the progress bar."""
        run, rollouts = self.run, self.run.timesteps / self._decisions
        self._rollout_took = (run.seconds - run.lessons_seconds) / rollouts if rollouts else 0.0
        self._since = self._began = time.perf_counter()
        self._start = self.num_timesteps
        self._bar = Bar(
            BarColumn(12),
            TextColumn("{task.completed:,.0f} decisions"),
            TextColumn("{task.fields[rate]:,.0f}/s"),
            TextColumn("reward {task.fields[reward]:+.2f}"),
            TextColumn("{task.fields[last]}"),
            TimeRemainingColumn(),
            console=self.console,
        )
        total = self.run.settings["timesteps"]
        self._task = self._bar.add_task(
            self.run.game.id, total=total, completed=self.num_timesteps, rate=0.0, reward=0.0, last=""
        )
        self._bar.start()

    def _on_step(self) -> bool:
        """Move the bar, and go on while there is time."""
        self._bar.update(self._task, completed=self.num_timesteps)
        return self.time_for()

    def _on_rollout_start(self) -> None:
        """Keep the results of the last rollout and its update, and seed the coming one."""
        self._keep_rollout()
        self.run.begin_rollout()

    def _keep_rollout(self) -> None:
        if self.num_timesteps > self.run.timesteps and self.time_for():
            self._rollout_done()

    def _on_rollout_end(self) -> None:
        """Set the weight of the entropy for the coming update."""
        share = min(decisions_left(self.run.settings, self.num_timesteps), self.run.time_left())
        self.model.ent_coef = entropy_at(self.run.settings, share)  # pyright: ignore

    def _on_training_end(self) -> None:
        """Keep the last update."""
        self._keep_rollout()
        self.stop()

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if hasattr(self, "_bar"):
            self._bar.stop()

    def time_for(self, more: float = 0.0) -> bool:
        """Tell if the settings' minutes leave time for another rollout, and so many seconds."""
        limit = 60.0 * self.run.settings["minutes"]
        return not limit or self.run.seconds + self._rollout_took + more < limit

    def _rollout_done(self) -> None:
        run = self.run
        checkpoint.require_finite(run.folder, self.model.policy.state_dict(), self._loss())
        self._rollout_took = self._spend()
        run.timesteps = self.num_timesteps
        rate = (self.num_timesteps - self._start) / max(self._since - self._began - self._resting, 1e-9)
        run.curve.append([run.timesteps, self._mean_reward(), round(rate, 1)])
        self._bar.update(self._task, rate=rate, reward=run.curve[-1][1], total=self._expected())
        self._rollouts += 1
        if self._rollouts % run.settings["snapshot_every"] == 0:
            run.pool.take_snapshot()
            run.reseat()
        run.save()
        last = run.evaluations[-1]["timesteps"] if run.evaluations else 0
        due = last + run.settings["evaluation"]["every"] <= run.timesteps < run.settings["timesteps"]
        if due and self.time_for(self._evaluation_took):
            self._evaluate()

    def _loss(self) -> float:
        """Return the loss of the last update, 0 from a learner that does not log it."""
        return float(self.logger.name_to_value.get("train/loss", 0.0))

    def _spend(self) -> float:
        """Count the seconds since this was last called as the run's, and return them."""
        now = time.perf_counter()
        took, self._since = now - self._since, now
        self.run.seconds += took
        return took

    def _expected(self) -> float:
        """Return the number of decisions of the whole run, by its pace so far."""
        done = 1.0 - min(decisions_left(self.run.settings, self.num_timesteps), self.run.time_left())
        return min(self.num_timesteps / done, self.run.settings["timesteps"]) if done else 1.0

    def _evaluate(self) -> None:
        """Measure the policy as it is now, and say so: the bar stands still meanwhile."""
        self._bar.update(self._task, last="measuring")
        rows = self.run.evaluate()
        self._evaluation_took = self._spend()
        self._resting += self._evaluation_took
        text = ", ".join(map(row_text, rows))
        self._bar.update(self._task, last=text.split(" (")[0])
        self._bar.console.print(f"{self.run.timesteps:>12,} decisions: {text}", highlight=False)
        for row in rows:
            self.logger.record(f"evaluation/{row['against']}", row["score"])
        self.run.save()

    def _mean_reward(self) -> float:
        """Return the mean reward of the last episodes, 0 before the first has ended."""
        rewards = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        return round(math.fsum(rewards) / len(rewards), 4) if rewards else 0.0
