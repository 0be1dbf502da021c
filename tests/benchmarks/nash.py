"""Train small variants of all games by several algorithms, and measure how far the policies are from an equilibrium.

    python -m tests.benchmarks.nash --out build/nash

Five seeds take some three hours of a core. Stopped, it goes on where it was when it is called again. `results.jsonl`
has a line a policy; `nash.md` and `nash.png` are made of them. The average of a run draws one of its policies for each
game.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

from kozyr import envs
from kozyr.agents.arena.scores.minis import MINIS
from kozyr.training.exploitability import measure
from kozyr.training.export import onnx_export
from kozyr.training.learners.network import Logits
from kozyr.training.run.callbacks import Callback
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.benchmarks import runs
from tests.benchmarks.runs import NAMES

SETTINGS = Path(__file__).with_suffix(".toml")
PRESETS = tuple(NAMES)
GAMES: dict[str, dict[str, Any]] = {one.game: one.variant for one in MINIS}
FIRST = {one.game: one.first for one in MINIS}
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)  # of the decisions, when a policy is kept


class Keeps(Callback):
    """Writes the policy when it has made so many decisions."""

    def __init__(self, folder: Path, points: list[int]) -> None:
        self.folder, self.points = folder, points

    def on_start(self, run: Any) -> None:
        self.run = run

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        if self.points and timesteps >= self.points[0]:
            path = self.folder / f"{self.points.pop(0)}.onnx"
            onnx_export.write(path, Logits(self.run.model.policy), self.run.game, self.run.variant, {})


def policies(out: Path, settings: Path, game: str, preset: str, seed: int, timesteps: int) -> dict[int, Path]:
    """Train unless that is done, and return the policies by their decisions."""
    folder = out / f"{game}-{preset}-{seed}"
    points = [round(share * timesteps) for share in SHARES]
    paths = {point: folder / f"{point}.onnx" for point in points[:-1]} | {points[-1]: folder / "policy.onnx"}
    if not all(path.is_file() for path in paths.values()):
        train(
            RunPlan(
                game,
                preset,
                folder,
                seed,
                timesteps,
                settings=settings,
                options=GAMES[game],
                resume=(folder / "checkpoint.pt").is_file(),
            ),
            callbacks=[Keeps(folder, [point for point in points[:-1] if not paths[point].is_file()])],
        )
    return paths


def rows(out: Path, settings: Path, game: str, seed: int, timesteps: int) -> list[dict[str, Any]]:
    """Train by every algorithm, and return a row a policy."""
    found = list[dict[str, Any]]()
    for preset in PRESETS:
        kept = policies(out, settings, game, preset, seed, timesteps)
        how = {"stochastic": True, "average": True, **GAMES[game]}
        paths = [str(path) for path in kept.values()]
        report = measure(game, paths, FIRST[game], tell=lambda one: print(one, file=sys.stderr), **how)
        its = {"game": game, "seed": seed, "preset": preset}
        *single, average = (row.nash_conv for row in report.rows)
        found += [{**its, "timesteps": n, "nash_conv": conv} for n, conv in zip(kept, single, strict=True)]
        found[-1]["average"] = average  # of all that were kept on the way
    return found


def table(known: list[dict[str, Any]], of: str = "nash_conv") -> str:
    """Return the last policies' NashConv as Markdown, or that of the averages: means over the seeds, 95 % intervals."""
    lines = ["| Game | " + " | ".join(NAMES.values()) + " |", "|---|" + "---:|" * len(NAMES)]
    for game in GAMES:
        cells = [runs.cell(_last(known, game, preset, of), 3) for preset in PRESETS]
        lines.append(f"| {envs.game(game).title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def both(known: list[dict[str, Any]]) -> str:
    """Return the tables of the last policies and of the averages."""
    last, averages = table(known), table(known, "average")
    return f"The last policies:\n\n{last}\nThe averages of the policies kept on the way:\n\n{averages}"


def _last(known: list[dict[str, Any]], game: str, preset: str, of: str) -> list[float]:
    most = max((row["timesteps"] for row in known), default=0)
    its = [row for row in known if (row["game"], row["preset"], row["timesteps"]) == (game, preset, most)]
    return [row[of] for row in its if of in row]


def draw(path: Path, known: list[dict[str, Any]]) -> None:
    """Draw NashConv by decisions: a line an algorithm, a dot a seed, a plot a game."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.4), layout="constrained")
    places = figure.subplots(2, 3).flatten()
    for axes, game in zip(places, GAMES, strict=False):
        for preset in PRESETS:
            by_steps = defaultdict[int, list[float]](list)
            for row in known:
                if (row["game"], row["preset"]) == (game, preset):
                    by_steps[row["timesteps"]].append(row["nash_conv"])
            steps = sorted(by_steps)
            (line,) = axes.plot([n / 1000 for n in steps], [mean(by_steps[n]) for n in steps], label=NAMES[preset])
            for n in steps:
                axes.plot([n / 1000] * len(by_steps[n]), by_steps[n], ".", color=line.get_color(), alpha=0.4)
        axes.set(title=envs.game(game).title, xlabel="thousand decisions", ylabel="NashConv", ylim=(0, None))
        axes.grid(alpha=0.3)
    places[-1].axis("off")
    places[-1].legend(*places[0].get_legend_handles_labels(), loc="center")
    figure.savefig(path, dpi=120)


def main() -> None:
    """Train, measure, and write everything anew after each game."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.nash", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a folder for policies and results")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each algorithm (default: %(default)s)")
    parser.add_argument("--timesteps", type=int, default=600_000, help="decisions a run (default: %(default)s)")
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="presets of the same names, in a file")
    parser.add_argument("--games", nargs="*", choices=list(GAMES), default=list(GAMES), help="some of the games")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "results.jsonl"
    known = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    if known and (before := max(row["timesteps"] for row in known)) != given.timesteps:
        parser.error(f"the runs in {given.out} had {before:,} decisions, not {given.timesteps:,}: choose another --out")
    for seed in range(1, given.seeds + 1):
        for game in given.games:
            if not any((row["game"], row["seed"]) == (game, seed) for row in known):
                known += rows(given.out, given.settings, game, seed, given.timesteps)
                path.write_text("".join(json.dumps(row) + "\n" for row in known), encoding="utf-8")
            (given.out / "nash.md").write_text(both(known), encoding="utf-8")
            draw(given.out / "nash.png", known)
    print(both(known))


if __name__ == "__main__":
    main()
