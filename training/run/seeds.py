"""Several seeds of one plan: a run each, in processes, as many at once as there are cores for their threads."""

import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kozyr import envs
from kozyr.agents.arena.matches.console import console
from kozyr.agents.arena.matches.processes import interrupts_blocked
from kozyr.agents.arena.results.escape import plain
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.interquartile import over_seeds, over_seeds_text
from kozyr.envs import registry
from kozyr.envs.environments import argument_checks
from kozyr.envs.table import files
from kozyr.envs.table.lock import locked
from kozyr.training.plots import curves, figure
from kozyr.training.plots.curves import seed_folder, seed_folders
from kozyr.training.run import checkpoint, tracking
from kozyr.training.run.evaluation import row_text
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.seed_process import OUTPUT, Message, train_seed
from kozyr.training.run.seeds_progress import SeedsProgress
from kozyr.training.run.start import start_run
from kozyr.training.settings import run_settings as settings_file

MOST = 1000  # seeds
_OWN = ("seed", "threads", "preset")  # settings in which seeds may differ; the last one is a name
_LARGEST = 1 << 26  # bytes of a record
_PATIENCE = 10.0  # seconds in which a process may end by itself
_TICK = 1.0  # seconds after which a wait looks for Ctrl-C, where the system does not interrupt it


@dataclass
class Seed:
    """A run of several.

    Attributes:
        seed: its number; folder: its own.
        plan: of the run; None if it is finished.
        settings: of the run, see `kozyr.training.settings.run_settings`.
        message: the last one of its process; error: why it has failed, or nothing.
    """

    seed: int
    folder: Path
    plan: RunPlan | None
    settings: dict[str, Any]
    message: Message = field(default_factory=Message)
    error: str = ""

    @property
    def threads(self) -> int:
        """The run's threads."""
        return settings_file.threads_of(self.settings)


def train_seeds(plan: RunPlan, seeds: int, track: str | None = None) -> dict[str, Any]:
    """Train several seeds, and return the results of each and those over all.

    Each run is that of `kozyr.training.run.train.train` with its seed, to the byte. With `resume` those that are
    finished are left as they are, and those that have not begun begin. A run that fails stops no other: the document
    has its error.

    Args:
        plan: of all runs; its folder holds a folder for each, seed-1, seed-2, …
        seeds: how many there are, from the plan's or the settings' one on.
        track: "wandb", "mlflow" or None.

    Raises:
        ValueError: before anything begins, naming what is wrong with a setting, a folder or a checkpoint.
        ImportError: naming the extra to install, without the tracker.
        KeyboardInterrupt: on Ctrl-C, after a word on how to go on; each run loses its current rollout only.
    """
    argument_checks.count("seeds", seeds, 1, MOST)
    tracking.callbacks(track)  # is it there?
    folder, terminal = plan.folder, console()
    if curves.is_run(folder):
        raise ValueError(f"there is a single run in {folder}: choose another folder for several seeds")
    with _prepared(plan, seeds) as runs:
        _carry_out(runs, registry.carried(envs.game(plan.game).name), track, terminal)
        document = _document(plan, runs)
        _report(document, folder, terminal)
    return document


def require_no_seeds(plan: RunPlan) -> None:
    """Raise ValueError if a single run is to go on where there are several seeds."""
    if plan.resume and not curves.is_run(plan.folder) and (there := seed_folders(plan.folder)):
        raise ValueError(
            f"there are several seeds in {plan.folder}: add --seeds {len(there)} to go on with all of them"
        )


@contextmanager
def _prepared(plan: RunPlan, seeds: int) -> Generator[list[Seed]]:
    """Check all runs before one begins, and keep other processes away from their folders while the block runs."""
    first, folder = _first_seed(plan), plan.folder
    with suppress(FileExistsError):
        folder.mkdir(parents=True)
    numbers = range(first, first + seeds)
    try:
        with locked(folder, "seeds"):
            runs = [_checked(plan, seed) for seed in numbers]
            _require_alike(runs)
            yield runs
    finally:
        for path in (*(seed_folder(folder, seed) for seed in numbers), folder):
            with suppress(OSError):
                path.rmdir()  # if nothing has begun in it


def _first_seed(plan: RunPlan) -> int:
    """Return the seed of the first run: the plan's, the lowest that is there already, or the settings'."""
    if plan.seed is not None:
        return plan.seed
    if plan.resume and (there := seed_folders(plan.folder)):
        return min(there)
    game = envs.game(plan.game)
    if plan.start is not None and plan.start.is_dir():
        return checkpoint.load(plan.start)["settings"]["seed"]
    return settings_file.load(game, plan.preset, plan.settings, plan.allow_code)["seed"]


def _checked(plan: RunPlan, seed: int) -> Seed:
    """Return one run, as it will begin or go on.

    Raises:
        ValueError: as `kozyr.training.run.start.start_run`, or if another seed is in its folder.
    """
    folder = seed_folder(plan.folder, seed)
    mine = replace(plan, out=folder, seed=seed, resume=False)
    if plan.resume and (folder / checkpoint.NAME).is_file():
        mine = replace(plan, out=folder, seed=None, start=None)
    with start_run(mine, here=True) as start:
        if start.settings["seed"] != seed:
            raise ValueError(f"the run in {folder} has another seed, {start.settings['seed']}: move it elsewhere")
        done = mine.resume and start.saved is not None and _is_finished(folder, start.saved, start.settings)
        return Seed(seed, folder, None if done else mine, start.settings)


def _require_alike(runs: Sequence[Seed]) -> None:
    """Raise ValueError if the settings of runs differ in more than the seed, as of some that begin later."""
    first = runs[0]
    for run in runs:
        wrong = [key for key, value in run.settings.items() if key not in _OWN and value != first.settings[key]]
        if wrong:
            raise ValueError(
                f"the run in {run.folder} has other settings than that in {first.folder} ({', '.join(wrong)}), and "
                "seeds are to differ in nothing else: give the same --preset, --settings, --set, --timesteps and "
                "--minutes as before, or choose another folder"
            )


def _is_finished(folder: Path, saved: dict[str, Any], settings: dict[str, Any]) -> bool:
    """Return True if a run has its record and has nothing left to do.

    Args:
        folder: of the run; saved: its checkpoint; settings: with which it would go on.
    """
    path = folder / checkpoint.RECORD
    record = files.parsed(files.content(path, _LARGEST)) if path.is_file() else None
    if not isinstance(record, dict) or record.get("timesteps") != saved["timesteps"]:
        return False
    before, keys = record.get("settings"), ("timesteps", "minutes")
    same = isinstance(before, dict) and all(before.get(key) == settings[key] for key in keys)
    return same or saved["timesteps"] >= settings["timesteps"]


class _Process:
    """Process of a run that has begun."""

    def __init__(self, run: Seed, registered: bytes, track: str | None) -> None:
        self.run = run
        context = get_context("spawn")
        self.receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=train_seed, args=(registered, run.plan, track, sender))
        self._process.start()
        sender.close()  # the other end is the process's alone, so that its end is heard here

    def hear(self) -> bool:
        """Take a message; return False after the last one."""
        try:
            message = self.receiver.recv()
        except (EOFError, OSError):
            self._process.join()
            if self._process.exitcode and not self.run.error:
                self.run.error = f"its process has ended with exit code {self._process.exitcode}"
            return False
        self.run.error = message.error
        self.run.message = self.run.message if message.error else message
        return True

    def terminate(self) -> None:
        """Tell the process to stop after a word on how to go on."""
        self._process.terminate()

    def end(self, until: float) -> None:
        """Wait for the end of the process, and kill it if it takes too long: its checkpoint is whole or not at all."""
        try:
            self._process.join(max(until - time.monotonic(), 0.0))
        finally:
            self._process.kill()
            self._process.join()


def _carry_out(runs: Sequence[Seed], registered: bytes, track: str | None, terminal: Console) -> None:
    """Train all runs that are not finished; an error stays with its run."""
    waiting = [run for run in runs if run.plan is not None]
    most = max(1, (os.cpu_count() or 1) // max(run.threads for run in runs))
    terminal.print(_plan_text(runs, waiting, most))
    running = dict[Any, _Process]()
    with SeedsProgress(terminal, len(runs), len(runs) - len(waiting)) as progress:
        try:
            while waiting or running:
                while waiting and len(running) < most:
                    with interrupts_blocked():  # so that none is started and forgotten
                        process = _Process(waiting.pop(0), registered, track)
                        running[process.receiver] = process
                    progress.begin(process.run.seed)
                for receiver in wait(list(running), _TICK):
                    run = running[receiver].run
                    if running[receiver].hear():
                        progress.update(run.seed, run.message)
                    else:
                        del running[receiver]
                        progress.end(run.seed, _end_text(run))
        except KeyboardInterrupt:
            progress.stop()
            _stop(list(running.values()))
            done = ", ".join(f"seed {one.run.seed} {one.run.message.timesteps:,}" for one in running.values())
            terminal.print(f"Stopped; decisions so far: {done}. Go on with the same command and --resume")
            raise
        finally:
            _stop(list(running.values()))


def _stop(running: Sequence[_Process]) -> None:
    """End processes, all at once."""
    for one in running:
        one.terminate()
    until = time.monotonic() + _PATIENCE
    for one in running:
        one.end(until)


def _plan_text(runs: Sequence[Seed], waiting: Sequence[Seed], most: int) -> str:
    """Return the beginning of several runs in words."""
    finished = f", {len(runs) - len(waiting)} of them finished" if len(waiting) < len(runs) else ""
    threads = max(run.threads for run in runs)
    many = f"{min(most, len(runs))} at once with {threads} thread{'s' if threads > 1 else ''} each"
    advice = "" if threads == 1 or most >= len(runs) else "; with --threads 1 more of them run at once"
    return f"Training seeds {runs[0].seed} to {runs[-1].seed} in {runs[0].folder.parent}{finished}: {many}{advice}"


def _end_text(run: Seed) -> str:
    """Return the end of a run in a line."""
    if run.error:
        return f"seed {run.seed} has failed: {plain(run.error, 300)}. More is in {run.folder / OUTPUT}"
    return f"seed {run.seed} is done: {', '.join(row_text(row) for row in _record(run)['results'])}"


def _record(run: Seed) -> dict[str, Any]:
    """Return the content of run.json."""
    return files.parsed(files.content(run.folder / checkpoint.RECORD, _LARGEST))


def _document(plan: RunPlan, runs: Sequence[Seed]) -> dict[str, Any]:
    """Return the results of all runs, and over them."""
    rows, options = list[dict[str, Any]](), None
    for run in runs:
        its: dict[str, Any] = {"seed": run.seed, "folder": str(run.folder), "error": run.error or None}
        record = {} if run.error else _record(run)
        options = record.get("options", options)
        keys = {"timesteps": None, "seconds": None, "results": []}
        rows.append(its | {key: record.get(key, empty) for key, empty in keys.items()})
    measured = [row for run in rows for row in run["results"]]
    results = [_over(name, measured) for name in dict.fromkeys(row["against"] for row in measured)]
    return {"game": envs.game(plan.game).id, "options": options, "runs": rows, "results": results}


def _over(against: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the score of all seeds against one agent."""
    scores = [Estimate(row["score"], row["low"], row["high"]) for row in rows if row["against"] == against]
    value, low, high = over_seeds(scores)
    its = {"against": against, "seeds": len(scores), "score": value, "low": low, "high": high}
    return its | {"method": over_seeds_text(len(scores))}


def _report(document: dict[str, Any], folder: Path, terminal: Console) -> None:
    """Print the table of results, and draw the learning curves of the runs that are done."""
    if not document["results"]:
        return
    terminal.print(table(document))
    for text in dict.fromkeys(row["method"] for row in document["results"]):
        terminal.print(f"The last row is the {text}")
    path, every = folder / checkpoint.CURVE, curves.curves([folder])
    figure.draw(path, document["game"], every)
    for sentence in curves.remarks(every):
        terminal.print(Text(sentence))
    terminal.print(f"The curves are in {path}; `kozyr plot {folder}` makes a page of them")


def table(document: dict[str, Any]) -> Table:
    """Return the results of all runs as a table; the last row is over all of them."""
    opponents = [row["against"] for row in document["results"]]
    result = Table(title=document["game"], title_justify="left")
    for heading in ("seed", "decisions", "minutes", *opponents):
        result.add_column(Text(plain(heading)), justify="right")
    for run in document["runs"]:
        if run["error"]:
            result.add_row(str(run["seed"]), "failed")
            continue
        scores = {row["against"]: Estimate(row["score"], row["low"], row["high"]).percent() for row in run["results"]}
        numbers = str(run["seed"]), f"{run['timesteps']:,}", f"{run['seconds'] / 60:.1f}"
        result.add_row(*numbers, *(scores.get(name, "") for name in opponents))
    result.add_section()
    over = [Estimate(row["score"], row["low"], row["high"]).percent() for row in document["results"]]
    result.add_row("all", "", "", *over)
    return result
