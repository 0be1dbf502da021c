"""Train every task of the newest suite from scratch by several algorithms, and score the policies on the way.

    python -m tests.benchmarks.baselines --out build/baselines

Runs play against themselves alone. Each has its own row in `docs/benchmark/baselines.jsonl` as soon as it is done; runs
that have one are not made again, so a command that was stopped goes on with the run that it was in. Policies and the
decisions and seconds at which they were kept lie in the folder. All seeds, and all decisions, take days of a core:

    python -m tests.benchmarks.baselines --out build/whole --results build/whole.jsonl --seeds 5 --whole
    python -m tests.benchmarks.baselines --out build/ten --results build/ten.jsonl --seeds 5 --decisions 10_000_000
"""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kozyr.agents.arena import scores
from kozyr.agents.arena.scores.suite import Task
from kozyr.envs.table import file_output
from kozyr.training.export import onnx_export
from kozyr.training.learners.network import Logits
from kozyr.training.run import report
from kozyr.training.run.callbacks import Callback
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train

SETTINGS = Path(__file__).with_suffix(".toml")
RESULTS = Path(__file__).parents[2] / "docs" / "benchmark" / "baselines.jsonl"
ALGORITHMS = {  # presets of the settings
    "ppo": "PPO, little entropy",
    "ppo_entropy": "PPO, entropy",
    "mmd": "MMD",
    "action_values": "PPO, critic of actions",
    "dmc": "Deep Monte-Carlo",
}
OF_OPENSPIEL = {"nfsp": "NFSP", "dqn": "DQN with masks"}  # see openspiel_baselines.py
KEPT = 8  # policies of a run, after equal parts of its decisions
SCORED = (2, 4, 8)  # of these
TIMES = "times.json"  # of a run's folder


class Keeper(Callback):
    """Writes the policy whenever another part of the decisions is done, and the time that the core has worked.

    Args:
        folder: of the run; decisions: of the whole run.
    """

    def __init__(self, folder: Path, decisions: int) -> None:
        self.folder, self.decisions = folder, decisions
        self.times: list[dict[str, float]] = []

    def on_start(self, run: Any) -> None:
        self.run, self._compiled = run, 0
        self._began, self._rested = time.process_time(), 0.0

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        now = time.process_time()
        if not self._compiled:  # so the time of the first rollout is taken to be that of the others
            self._compiled, self._began = timesteps, now
        while len(self.times) < KEPT and timesteps >= (len(self.times) + 1) * self.decisions / KEPT:
            self.times.append({"decisions": timesteps, "seconds": round(self._seconds(now, timesteps), 2)})
            its = Logits(self.run.model.policy), self.run.game, self.run.variant
            onnx_export.write(kept(self.folder, len(self.times)), *its, {})
        self._rested += time.process_time() - now

    def _seconds(self, now: float, timesteps: int) -> float:
        """Return the time that so many decisions have taken, without compilation."""
        since = timesteps - self._compiled
        return (now - self._began - self._rested) * timesteps / since if since else 0.0

    def on_end(self, run: Any, content: dict[str, Any] | None) -> None:
        if content is not None:
            report.write_json(self.folder / TIMES, {"times": self.times})


def kept(folder: Path, part: int) -> Path:
    """Return the file of the policy that was kept after so many parts."""
    return folder / f"{part}.onnx"


def times(folder: Path) -> list[dict[str, float]]:
    """Return the decisions and seconds at which policies were kept, none of a run that is not done."""
    path = folder / TIMES
    return json.loads(path.read_text(encoding="utf-8"))["times"] if path.is_file() else []


def trained(folder: Path, settings: Path, task: Task, algorithm: str, seed: int, decisions: int) -> None:
    """Train unless that is done; what a stopped run has left is removed."""
    if times(folder):
        return
    shutil.rmtree(folder, ignore_errors=True)
    game = task.game.rpartition("_v")[0]
    plan = RunPlan(game, algorithm, folder, seed, decisions, settings=settings, options=task.options)
    train(plan, callbacks=[Keeper(folder, decisions)])


def row(folder: Path, task: Task, algorithm: str, seed: int, decisions: int, whole: bool) -> dict[str, Any]:
    """Return the points of a run's policies, and the score against each opponent of the task."""
    points = list[dict[str, Any]]()
    for part, when in enumerate(times(folder), 1):
        if part in SCORED:
            (one,) = scores.score(str(kept(folder, part)), tasks=[task.name], quick=not whole).tasks
            points.append({**when, **points_of(one)})
    its = {"task": task.name, "algorithm": algorithm, "seed": seed, "decisions": decisions, "quick": not whole}
    return {**its, "points": points, "processor": report.machine()["processor"]}


def points_of(scored: Any) -> dict[str, Any]:
    """Return the points of a scored task with their interval, and the score against each opponent."""
    matches = {match.scores[-1].agent: round(match.scores[0].score, 4) for match in scored.matches}
    three = {name: round(getattr(scored.points, name), 2) for name in ("points", "low", "high")}
    return {**three, "scores": matches}


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    """Return the rows of a file, none if it is not there."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines]


def identity(one: dict[str, Any]) -> tuple[str, str, int, int, bool]:
    """Return what tells a row from all others."""
    return one["task"], one["algorithm"], one["seed"], one["decisions"], one["quick"]


def plans(given: Any) -> Iterator[tuple[Task, str, int]]:
    """Yield tasks, algorithms and seeds; the second seed comes when the first is done everywhere."""
    suite = scores.load()
    tasks = [suite.task(name) for name in given.tasks] or suite.tasks
    for seed in range(1, given.seeds + 1):
        for task in tasks:
            yield from ((task, algorithm, seed) for algorithm in given.algorithms)


def folder_of(out: Path, task: str, algorithm: str, seed: int, decisions: int) -> Path:
    """Return the folder of a run."""
    return out / f"{task}-{algorithm}-{decisions}-{seed}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and score what has no row yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.baselines", description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="some of the suite's tasks; all if you name none")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the runs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of rows (default: %(default)s)")
    parser.add_argument("--algorithms", nargs="+", choices=list(ALGORITHMS), default=list(ALGORITHMS), help="some")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each (default: %(default)s)")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of a run (default: %(default)s)")
    parser.add_argument("--whole", action="store_true", help="score by all deals of a task, not by a sixteenth")
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="presets of the same names, in a file")
    given = parser.parse_args(arguments)
    if given.seeds < 1 or given.decisions < KEPT:
        parser.error(f"--seeds must be at least 1 and --decisions at least {KEPT}")
    try:
        asked = list(plans(given))
    except ValueError as error:
        parser.error(str(error))
    known = read(given.results)
    for number, (task, algorithm, seed) in enumerate(asked, 1):
        its = task.name, algorithm, seed, given.decisions
        if any(identity(one) == (*its, not given.whole) for one in known):
            continue
        folder = folder_of(given.out, *its)
        trained(folder, given.settings, task, algorithm, seed, given.decisions)
        known.append(row(folder, task, algorithm, seed, given.decisions, given.whole))
        file_output.append(given.results, json.dumps(known[-1]).encode() + b"\n")
        last = known[-1]["points"][-1]
        print(f"{number} of {len(asked)}: {' '.join(map(str, its))}: {last['points']:.1f} points", file=sys.stderr)


if __name__ == "__main__":
    main()
