"""Run all benchmarks, ours and the peers', in one process: `python -m tests.benchmarks`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from . import ours, peers, players
from .timing import ROUNDS, SECONDS, Row, show


def main() -> None:
    """Measure every row, telling each on stderr as it comes, then print them together."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of a round (default: %(default)s)")
    seconds = parser.parse_args().seconds
    if not seconds > 0:
        parser.error(f"--seconds must be above 0, not {seconds}")
    show(_told(seconds), f"Medians of {ROUNDS} rounds of {seconds:g} s")


def _told(seconds: float) -> Iterator[Row]:
    """Pass the rows on and name each on stderr."""
    for part in (ours, players, peers):
        for row in part.rows(seconds):
            print(f"{row.library}: {row.name}: {row.median:,.4g} {row.unit}", file=sys.stderr)
            yield row


if __name__ == "__main__":
    main()
