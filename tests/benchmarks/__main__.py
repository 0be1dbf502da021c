"""Run the benchmarks, ours and the peers', in one process: `python -m tests.benchmarks`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from . import (
    browser,
    cost,
    coverage_tables,
    gate,
    goals,
    gpu,
    learner,
    ours,
    peers,
    play,
    players,
    processes,
    text,
    wasm,
)
from .timing import ROUNDS, SECONDS, Row, machine, show

PARTS: dict[str, Callable[[float], Iterator[Row]]] = {
    "steps": ours.steps,
    "playouts": ours.playouts,
    "aec": ours.loops_aec,
    "training": ours.training,
    "learner": learner.rows,
    "peers": peers.rows,
    "rlcard": peers.rlcard,
    "pgx": goals.against_pgx,
    "players": players.rows,
    "starts": ours.starts,
    "play": play.rows,
    "processes": processes.rows,
    "text": text.rows,
    "wasm": wasm.rows,
    "browser": browser.rows,
    "gpu": gpu.rows,
    "goals": goals.rows,
    "gate": gate.rows,
    "cost": cost.rows,
}
COVERAGE = "coverage"  # of intervals: it simulates and has options of its own


def main() -> None:
    """Measure every row, telling each on stderr as it comes, then print them together."""
    if sys.argv[1:2] == [COVERAGE]:
        coverage_tables.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        help=f"some of {', '.join(PARTS)}; all if you name none; or {COVERAGE}, which has its own --help",
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of a round (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the machine and all rows to a file")
    given = parser.parse_args()
    if not given.seconds > 0:
        parser.error(f"--seconds must be above 0, not {given.seconds}")
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    rows = list(_told(given.parts or list(PARTS), given.seconds))
    show(rows, f"Medians of {ROUNDS} rounds of {given.seconds:g} s")
    if given.json is not None:
        document = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        given.json.write_text(json.dumps(document, indent=1), encoding="utf-8")


def _told(parts: list[str], seconds: float) -> Iterator[Row]:
    """Pass the rows on and name each on stderr."""
    for part in parts:
        for row in PARTS[part](seconds):
            print(f"{row.library}: {row.name}: {row.median:,.4g} {row.unit}", file=sys.stderr)
            yield row


if __name__ == "__main__":
    main()
