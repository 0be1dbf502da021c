"""Train small variants of all games by several algorithms, and measure how far the policies are from an equilibrium.

    python -m tests.benchmarks.nash --out build/nash

It takes about two hours of two cores. Stopped, it goes on where it was when it is called again. `results.jsonl` has a
line a policy; `nash.md` and `nash.png` are made of them.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from kozyr import envs
from kozyr.training import export
from kozyr.training.callbacks import Callback
from kozyr.training.exploitability import measure
from kozyr.training.network import Logits
from kozyr.training.run import train

SETTINGS = Path(__file__).with_suffix(".toml")
PRESETS = ("ppo", "mmd", "mmd_average", "action_values")
NAMES = {
    "ppo": "PPO",
    "mmd": "MMD, uniform magnet",
    "mmd_average": "MMD, moving average",
    "action_values": "PPO, critic of actions",
}
GAMES: dict[str, dict[str, Any]] = {  # those of the page on exploitability
    "draw_poker": {"players": 2, "deck": 6, "max_bet": 1},
    "durak": {"deck": 8, "hand": 3, "open_trump": True, "max_rounds": 2},
    "daifugo": {"players": 3, "ranks": 2, "joker": False},
    "war": {"deck": 8, "pickup": "choice", "max_turns": 7},
    "mnk": {"m": 3, "n": 3, "k": 3, "max_moves": 6},
}
SHARES = (0.25, 0.5, 1.0)  # of the decisions, when a policy is kept
T_95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78}  # Student's t for a 95 % interval, by degrees of freedom


class Keeps(Callback):
    """Writes the policy when it has made so many decisions."""

    def __init__(self, folder: Path, points: list[int]) -> None:
        self.folder, self.points = folder, points

    def on_start(self, run: Any) -> None:
        self.run = run

    def on_values(self, values: dict[str, float], timesteps: int) -> None:
        if self.points and timesteps >= self.points[0]:
            path = self.folder / f"{self.points.pop(0)}.onnx"
            export.write(path, Logits(self.run.model.policy), self.run.game, self.run.variant, {})


def policies(out: Path, settings: Path, game: str, preset: str, seed: int, timesteps: int) -> dict[int, Path]:
    """Train unless that is done, and return the policies by their decisions."""
    folder = out / f"{game}-{preset}-{seed}"
    points = [round(share * timesteps) for share in SHARES]
    paths = {point: folder / f"{point}.onnx" for point in points[:-1]} | {points[-1]: folder / "policy.onnx"}
    if not all(path.is_file() for path in paths.values()):
        train(
            game,
            preset,
            folder,
            seed,
            timesteps,
            settings=settings,
            options=GAMES[game],
            resume=(folder / "checkpoint.pt").is_file(),
            callbacks=[Keeps(folder, points[:-1])],
        )
    return paths


def rows(out: Path, settings: Path, game: str, seed: int, timesteps: int) -> list[dict[str, Any]]:
    """Train by every algorithm, and return a row a policy."""
    kept = {preset: policies(out, settings, game, preset, seed, timesteps) for preset in PRESETS}
    found = {(preset, n): path for preset, paths in kept.items() for n, path in paths.items()}
    first = 0 if game in ("durak", "mnk") else -1
    asked = [str(path) for path in found.values()]
    report = measure(game, asked, first, stochastic=True, tell=lambda one: print(one, file=sys.stderr), **GAMES[game])
    return [
        {"game": game, "seed": seed, "preset": preset, "timesteps": n, "nash_conv": row.nash_conv}
        for (preset, n), row in zip(found, report.rows, strict=True)
    ]


def table(known: list[dict[str, Any]]) -> str:
    """Return the last policies' NashConv as Markdown: means over the seeds with 95 % intervals."""
    lines = ["| Game | " + " | ".join(NAMES.values()) + " |", "|---|" + "---:|" * len(NAMES)]
    for game in GAMES:
        cells = [_cell(_last(known, game, preset)) for preset in PRESETS]
        lines.append(f"| {envs.game(game).title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _last(known: list[dict[str, Any]], game: str, preset: str) -> list[float]:
    most = max((row["timesteps"] for row in known), default=0)
    return [row["nash_conv"] for row in known if (row["game"], row["preset"], row["timesteps"]) == (game, preset, most)]


def _cell(found: list[float]) -> str:
    if len(found) < 2:
        return f"{found[0]:.3f}" if found else "–"
    half = T_95.get(len(found) - 1, 2.57) * stdev(found) / len(found) ** 0.5
    return f"{mean(found):.3f} ± {half:.3f}"


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
    parser.add_argument("--timesteps", type=int, default=400_000, help="decisions a run (default: %(default)s)")
    parser.add_argument("--settings", type=Path, default=SETTINGS, help="presets of the same names, in a file")
    parser.add_argument("--games", nargs="*", choices=list(GAMES), default=list(GAMES), help="some of the games")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "results.jsonl"
    known = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    for seed in range(1, given.seeds + 1):
        for game in given.games:
            if not any((row["game"], row["seed"]) == (game, seed) for row in known):
                known += rows(given.out, given.settings, game, seed, given.timesteps)
                path.write_text("".join(json.dumps(row) + "\n" for row in known), encoding="utf-8")
            (given.out / "nash.md").write_text(table(known), encoding="utf-8")
            draw(given.out / "nash.png", known)
    print(table(known))


if __name__ == "__main__":
    main()
