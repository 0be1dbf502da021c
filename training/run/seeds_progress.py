"""Progress of several runs: a line for each that is under way, and above them a line for each that has ended."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from kozyr.agents.arena.results.escape import plain
from kozyr.training.run.seed_process import Message

_SCORE = 28  # characters of the last evaluation


class SeedsProgress:
    """Display of several runs; a terminal that cannot move its lines gets those of the ends only.

    Args:
        console: where it is shown.
        runs: how many there are; done: how many of them were finished before.
    """

    def __init__(self, console: Console, runs: int, done: int) -> None:
        self.console, self.runs, self.done = console, runs, done
        columns = (TextColumn("{task.description}"), BarColumn(12), TextColumn("{task.fields[text]}"))
        self._bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
        self._total = self._bar.add_task("all", total=runs, completed=done, text=f"{done} of {runs} seeds")
        self._tasks = dict[int, TaskID]()
        self._shares = dict[int, float]()

    def __enter__(self) -> Self:
        """Show it."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""
        self.stop()

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()

    def begin(self, seed: int) -> None:
        """Show a run that begins."""
        self._tasks[seed] = self._bar.add_task(f"seed {seed}", total=1.0, text="preparing")

    def update(self, seed: int, message: Message) -> None:
        """Show how far a run has come."""
        score = f", {plain(message.score, _SCORE)}" if message.score else ""
        text = f"{message.timesteps:,} decisions{score}" if message.timesteps else "preparing"
        text = "measuring" if message.share >= 1 else text
        self._bar.update(self._tasks[seed], completed=message.share, text=text.replace("[", r"\["))
        self._shares[seed] = message.share
        self._show_total()

    def end(self, seed: int, text: str) -> None:
        """Take away the line of a run that has ended, and say how it did."""
        self._bar.remove_task(self._tasks.pop(seed))
        self._shares.pop(seed, None)
        self.done += 1
        self._show_total()
        self._bar.console.print(Text(text))

    def _show_total(self) -> None:
        """Show how far all runs have come."""
        completed = self.done + sum(self._shares.values())
        self._bar.update(self._total, completed=completed, text=f"{self.done} of {self.runs} seeds")
