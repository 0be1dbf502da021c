"""Does regularisation lower exploitability at equal samples? Weights of it are compared in mini variants.

    python -m tests.benchmarks.regularisation --out build/regularisation

Each policy's NashConv, its actions drawn, is exact. It is added to `docs/benchmark/regularisation.jsonl` as soon as all
policies of a seed and a game are there; what has rows is not trained again.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from kozyr.agents.arena.scores.minis import MINIS, Mini
from kozyr.envs.table import file_output
from kozyr.training.exploitability import measure
from kozyr.training.run.checkpoint import POLICY
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.benchmarks import nash
from tests.benchmarks.baselines import RESULTS as BASELINES
from tests.benchmarks.baselines import read

RESULTS = BASELINES.with_name("regularisation.jsonl")
PRESETS = {  # of the settings, with the weight at first and at the end
    "no_entropy": "PPO, 0",
    "little_entropy": "PPO, 0.05 to 0.01",
    "ppo": "PPO, 0.2 to 0.05",
    "little_mmd": "MMD, 0.05 to 0.01",
    "mmd": "MMD, 0.2 to 0.05",
}
GAMES = ("draw_poker", "mnk", "durak")
DECISIONS = 100_000


def policy(out: Path, settings: Path, mini: Mini, preset: str, seed: int, decisions: int) -> Path:
    """Return a policy, which is trained unless it is there."""
    folder = out / f"{mini.game}-{preset}-{decisions}-{seed}"
    if not (folder / POLICY).is_file():
        begun = (folder / "checkpoint.pt").is_file()
        train(RunPlan(mini.game, preset, folder, seed, decisions, begun, settings, options=mini.variant))
    return folder / POLICY


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and measure what has no rows yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.regularisation", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a folder for the runs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of rows (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each (default: %(default)s)")
    parser.add_argument("--decisions", type=int, default=DECISIONS, help="of a run (default: %(default)s)")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES, help="some of the games")
    parser.add_argument("--settings", type=Path, default=nash.SETTINGS, help="presets of the same names, in a file")
    given = parser.parse_args(arguments)
    known, minis = read(given.results), {one.game: one for one in MINIS}
    for game, seed in product(given.games, range(1, given.seeds + 1)):
        its, mini = {"game": game, "seed": seed, "decisions": given.decisions}, minis[game]
        if any(its.items() <= one.items() for one in known):
            continue
        paths = [policy(given.out, given.settings, mini, one, seed, given.decisions) for one in PRESETS]
        rows = measure(game, [*map(str, paths)], mini.first, stochastic=True, **mini.variant).rows
        for preset, row in zip(PRESETS, rows, strict=True):
            line = {**its, "preset": preset, "nash_conv": round(row.nash_conv, 6)}
            file_output.append(given.results, json.dumps(line) + "\n")
        print(its, [round(row.nash_conv, 4) for row in rows], file=sys.stderr)


if __name__ == "__main__":
    main()
