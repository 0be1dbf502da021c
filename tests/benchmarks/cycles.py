"""Does self-play circle? Policies that a run kept on its way play each other, and triples that circle are counted.

    python -m tests.benchmarks.cycles --runs build/baselines

It takes the runs of `tests.benchmarks.baselines` in the tasks for two. What is measured is added to
`docs/benchmark/cycles.jsonl`, a row a run; a run that has a row is not played again.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena import scores
from kozyr.agents.arena.matches.match import match
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import QUANTILE
from kozyr.envs.table import file_output
from tests.benchmarks import baselines

RESULTS = baselines.RESULTS.with_name("cycles.jsonl")
DEALS = {"durak_36": 150, "durak_52": 150, "draw_poker_2": 1000, "mnk_15": 30, "mnk_15_freestyle": 30, "war_20": 400}
SEED = 11
SIMULATED = 4000


class Triples(NamedTuple):
    """Triples of policies that circle: the first beats the second, which beats the third, which beats the first.

    Attributes:
        total: of all triples; share: of them that circle by the measured scores.
        chance: the same share where each policy has one strength and only luck circles, with 95 % of simulations.
        sure: triples that circle by intervals that all exclude a half.
    """

    total: int
    share: float
    chance: Estimate
    sure: int


def circling(better: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of triples that circle, of tables [..., n, n] of who is better than whom."""
    n, found = better.shape[-1], np.zeros(better.shape[:-2], np.int64)
    for i, j, k in combinations(range(n), 3):
        found += better[..., i, j] & better[..., j, k] & better[..., k, i]
        found += better[..., j, i] & better[..., k, j] & better[..., i, k]
    return found


def triples(pairs: Sequence[Sequence[float]], seed: int = 0) -> Triples:
    """Return how many triples circle, and how many would by luck.

    Args:
        pairs: first, second, score of the first, 0 to 1, and the ends of its interval; every pair once.
        seed: of the simulation.
    """
    n = 1 + max(int(pair[1]) for pair in pairs)
    lead, error, sure = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), bool)
    for first, second, score, low, high in pairs:
        i, j = int(first), int(second)
        lead[i, j], error[i, j] = score - 0.5, (high - low) / (2 * QUANTILE)
        lead[j, i] = -lead[i, j]
        sure[i, j], sure[j, i] = low > 0.5, high < 0.5
    strength = lead.mean(1)
    noise = np.triu(np.random.default_rng(seed).normal(size=(SIMULATED, n, n)) * error, 1)
    simulated = (strength[:, None] - strength[None]) + noise - noise.transpose(0, 2, 1)
    count = n * (n - 1) * (n - 2) // 6
    shares = circling(simulated > 0) / count
    low, high = np.quantile(shares, (0.025, 0.975)).tolist()
    chance = Estimate(float(shares.mean()), low, high)
    return Triples(count, float(circling(lead > 0)) / count, chance, int(circling(sure)))


def played(folder: Path, task_name: str) -> list[list[float]]:
    """Return the results of all pairs of a run's policies."""
    task = scores.load().task(task_name)
    paths = [str(baselines.kept(folder, part)) for part in range(1, baselines.KEPT + 1)]
    found = list[list[float]]()
    for i, j in combinations(range(len(paths)), 2):
        how: dict[str, Any] = task.options
        its = match(task.game, [paths[i], paths[j]], DEALS[task_name], SEED, opening=task.opening, **how).agents[0]
        found.append([i, j, round(its.score, 5), *(round(end, 5) for end in its.score_interval)])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what has no row yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.cycles", description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"some of {', '.join(DEALS)}; all if you name none")
    names = list(baselines.ALGORITHMS)
    parser.add_argument("--algorithms", nargs="+", choices=names, default=names, help="some")
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the baselines")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of rows (default: %(default)s)")
    given = parser.parse_args(arguments)
    known = baselines.read(given.results)
    for path in sorted(given.runs.glob(f"*/{baselines.TIMES}")):
        task, algorithm, decisions, seed = path.parent.name.rsplit("-", 3)
        its = {"task": task, "algorithm": algorithm, "decisions": int(decisions), "seed": int(seed)}
        if task not in (given.tasks or DEALS) or task not in DEALS or algorithm not in given.algorithms:
            continue
        if any(its.items() <= one.items() for one in known):
            continue
        pairs = played(path.parent, task)
        file_output.append(given.results, json.dumps({**its, "deals": DEALS[task], "pairs": pairs}) + "\n")
        one = triples(pairs)
        print(f"{path.parent.name}: {one.share:.1%} of {one.total} triples circle, {one.sure} surely", file=sys.stderr)


if __name__ == "__main__":
    main()
