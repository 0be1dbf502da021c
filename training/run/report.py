"""Report of a run: run.json, the learning curve and the table of results."""

import importlib.metadata
import json
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
from rich.table import Table
from rich.text import Text

from kozyr.agents.arena.results.escape import in_figure, plain
from kozyr.envs.table import file_output, files

K = TypeVar("K")
_LARGEST = 1 << 24  # bytes of a record
_PACKAGES = ("kozyr", "numpy", "numba", "torch", "gymnasium", "stable-baselines3", "sb3-contrib", "onnx")


def versions() -> dict[str, str]:
    """Return the versions of all that a result depends on."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def machine() -> dict[str, Any]:
    """Return the machine's description."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    """Return the processor's name, as far as the system tells it."""
    file = Path("/proc/cpuinfo")
    name = re.search(r"^model name\s*:\s*(.+)$", file.read_text("utf-8") if file.is_file() else "", re.MULTILINE)
    return name[1] if name else platform.processor() or platform.machine()


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON, whole or not at all."""
    file_output.write(path, json.dumps(content, indent=1) + "\n")


@dataclass(frozen=True)
class _Rounds(Generic[K]):
    """Record of a folder with rounds: their options, and the result of each."""

    how: dict[str, Any]
    rounds: list[K]


def write_rounds(path: Path, how: dict[str, Any], rounds: Sequence[Any]) -> None:
    """Write the results of rounds of training, and their options."""
    write_json(path, {"how": how, "rounds": [asdict(one) for one in rounds]})


def read_rounds(path: Path, how: dict[str, Any], kind: type[K]) -> list[K]:
    """Return the rounds of training that are done, none without a record.

    Raises:
        ValueError: if the record is damaged, or its rounds were asked for otherwise.
    """
    if not path.is_file():
        return []
    generic: Any = _Rounds  # of a kind that is known when this runs, and not before
    try:
        record: _Rounds[K] = msgspec.json.decode(files.text(path, _LARGEST), type=generic[kind])
    except msgspec.DecodeError as error:
        raise ValueError(f"{path} is damaged ({error}): choose another folder") from None
    if other := [f"{name} = {record.how.get(name)!r}" for name in how if record.how.get(name) != how[name]]:
        raise ValueError(f"the rounds in {path.parent} were made with {', '.join(other)}: choose another folder")
    return record.rounds


def draw_curve(path: Path, title: str, curve: list[list[float]], evaluations: list[dict[str, Any]]) -> None:
    """Draw the score against each evaluated agent, with its interval, over the mean reward while training."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 6), layout="constrained")
    scores, rewards = figure.subplots(2, sharex=True)
    for name in dict.fromkeys(row["against"] for row in evaluations):
        rows = [row for row in evaluations if row["against"] == name]
        steps = [row["timesteps"] for row in rows]
        (line,) = scores.plot(
            steps, [100 * row["score"] for row in rows], marker="o", markersize=3, label=f"against {in_figure(name)}"
        )
        low, high = ([100 * row[side] for row in rows] for side in ("low", "high"))
        scores.fill_between(steps, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    scores.set(title=title, ylabel="score, % (band: 95 %)", ylim=(0, 100))
    if evaluations:
        scores.legend(loc="lower right")
    rewards.plot([point[0] for point in curve], [point[1] for point in curve])
    rewards.set(xlabel="decisions of the learner", ylabel="mean reward in training")
    for axes in (scores, rewards):
        axes.grid(alpha=0.3)
    with file_output.replacement(path) as part:
        figure.savefig(part, dpi=120)


def draw_lessons(path: Path, title: str, rounds: Sequence[Any]) -> None:
    """Draw the losses of a search's lessons in games kept back, a line a round (`search_lessons.Round`)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    places = figure.subplots(1, 2)
    for axes, name, label in zip(places, ("value_loss", "moves_loss"), ("results", "moves"), strict=True):
        for one in rounds:
            its = [(point["positions"] / 1e6, point[name]) for point in one.curve]
            axes.plot(
                *zip(*its, strict=True), label=f"round {one.number}: {100 * one.score:.0f} % against the search before"
            )
        axes.set(xlabel="million positions shown", ylabel=f"loss on {label} (lower is better)", xlim=(0, None))
        axes.grid(alpha=0.3)
    places[1].legend()  # where the lines leave room
    figure.suptitle(title)
    with file_output.replacement(path) as part:
        figure.savefig(part, dpi=120)


def draw_ladder(path: Path, title: str, rungs: list[Any]) -> None:
    """Draw every rung's score against the one below and against random play, with its interval."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.4 + 0.5 * len(rungs)), layout="constrained")
    axes = figure.subplots()
    for shift, label in ((0.12, "against the one below"), (-0.12, "against random")):
        results = [(rung.above_it if shift > 0 else rung.random).agents[0] for rung in rungs]
        places = [i + shift for i in range(len(rungs))]
        scores = [one.estimate.times(100) for one in results]
        ends = np.transpose([one.sides for one in scores])
        axes.errorbar([one.value for one in scores], places, xerr=ends, fmt="o", markersize=5, capsize=3, label=label)
    axes.axvline(50, color="gray", linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(rungs)), [f"{in_figure(rung.name)}\nv {in_figure(rung.below)}" for rung in rungs])
    axes.set(title=title, xlabel="score, % (bars: 95 %)", xlim=(0, 102))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left")
    with file_output.replacement(path) as part:
        figure.savefig(part, dpi=120)


def table(title: str, rows: list[dict[str, Any]]) -> Table:
    """Return the final results as a table."""
    result = Table(title=title, title_justify="left")
    for heading in ("against", "deals", "score", "95 % interval"):
        result.add_column(heading, justify="left" if heading == "against" else "right")
    for row in rows:
        interval = f"{100 * row['low']:.1f} … {100 * row['high']:.1f} %"
        result.add_row(Text(plain(row["against"])), f"{row['deals']:,}", f"{100 * row['score']:.1f} %", interval)
    return result
