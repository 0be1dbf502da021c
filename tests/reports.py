"""Score the bundled agents anew, after a change of players: it takes hours, and goes on where it was stopped.

    python -m tests.reports [NAME …]

Each report is a file in `docs/benchmark/reports`, which the documentation shows and `kozyr score check` plays again.
"""

import sys
from pathlib import Path

from kozyr.agents.arena import scores
from kozyr.agents.arena.scores import report

FOLDER = Path(__file__).parents[1] / "docs" / "benchmark" / "reports"
REPORTS = sorted(FOLDER.glob("*.json"))
BEST = {one.name: one.reference or "random" for one in scores.load().tasks}
AGENTS = {  # by the name of the file: who plays, and what the report calls it
    "random": (["random"], "random play"),
    "heuristics": (["heuristic", "hard", "high_first"], "strongest scripted players"),
    "policies": (["policy"], "bundled policies"),
    "references": (BEST, "strongest searches"),
}


def main(names: list[str]) -> None:
    """Score those that are named, or all, and write their reports."""
    for name in names or AGENTS:
        agent, title = AGENTS[name]
        keep = FOLDER / f"{name}.json.matches.jsonl"
        made = scores.score(agent, name=title, workers=2, progress=True, keep=keep)
        report.write(FOLDER / f"{name}.json", made)
        keep.unlink()
        print(name, made.points, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
