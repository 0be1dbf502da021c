"""Process of one seed: a run as any other, whose terminal is a file of its folder and whose progress is messages."""

import math
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kozyr.agents.arena.matches.processes import prepare_worker
from kozyr.envs import registry
from kozyr.envs.table import files
from kozyr.training.run import tracking
from kozyr.training.run.callbacks import Callback, Content
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.schedule import decisions_left

OUTPUT = "output.log"  # of a run's folder: what its process would have written to the terminal
_LONGEST = 500  # characters of an error


@dataclass(frozen=True)
class Message:
    """Message of a seed's process.

    Attributes:
        timesteps: decisions so far; share: of the whole run that is done.
        score: the last evaluation, in words; error: why the run has failed, or nothing.
    """

    timesteps: int = 0
    share: float = 0.0
    score: str = ""
    error: str = ""


class Reporter(Callback):
    """Callback that sends a run's progress to another process."""

    def __init__(self, sender: Connection) -> None:
        self._sender, self._score = sender, ""
        self._run: Any = None

    def on_start(self, run: Any) -> None:
        """Send where the run begins or goes on."""
        self._run = run
        self._send(run.timesteps)

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        """Send the progress, and the last evaluation."""
        scores = {key.partition("/")[2]: x for key, x in values.items() if key.startswith("evaluation/")}
        if scores:
            self._score = ", ".join(f"{name} {100 * score:.1f} %" for name, score in scores.items())
        self._send(timesteps)

    def on_end(self, run: Any, content: Content | None) -> None:
        """Send the end of the training."""
        self._send(run.timesteps)

    def _send(self, timesteps: int) -> None:
        remaining = min(decisions_left(self._run.settings, timesteps), self._run.time_left())
        self._sender.send(Message(timesteps, 0.0 if math.isnan(remaining) else 1.0 - remaining, self._score))


def train_seed(registered: bytes, plan: RunPlan, track: str | None, sender: Connection) -> None:
    """Carry out a run in this process, which was started for it.

    Args:
        registered: the game, as `kozyr.envs.registry.carried` returns it.
        plan: of the run; track: "wandb", "mlflow" or None.
        sender: of `Message`.
    """
    prepare_worker()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # how the process that waits stops this one
    _write_to(plan.folder / OUTPUT)
    try:
        from kozyr.training.run.train import train

        registry.restore(registered)
        train(plan, [Reporter(sender), *tracking.callbacks(track)])
    except KeyboardInterrupt:
        sys.exit(1)
    except Exception as error:
        traceback.print_exc()
        sender.send(Message(error=files.cut(str(error) or type(error).__name__, _LONGEST)))
        sys.exit(1)


def _write_to(path: Path) -> None:
    """Let everything that this process writes to the terminal go to a file."""
    with path.open("ab") as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(file.fileno(), stream.fileno())
