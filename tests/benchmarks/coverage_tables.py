"""Tables of how often intervals hold, and of the sequential test's errors, for the page on numbers.

python -m tests.benchmarks coverage [--runs 2000] [--page docs/about/how_numbers_are_made.md]
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from kozyr.agents.arena.scores import load
from tests.benchmarks.coverage import (
    MIXTURES,
    SIZES,
    comparisons,
    coverage,
    cups,
    elo,
    grid,
    impossible,
    league,
    suite_points,
)
from tests.benchmarks.markdown import markdown
from tests.benchmarks.populations import Population, chips, scores

REPEATS = 2, 3, 5, 10
BAND_FROM = 30  # deals


def tables(runs: int) -> Iterator[str]:
    """Yield the tables, as Markdown."""
    yield "### Scores\n\n" + _grid(scores(), 3 * runs)
    yield "### Other players\n\n" + _grid_table()
    yield "### Chips\n\nReturns are shares of the most that a hand can win.\n\n" + _grid(chips(), runs, 3)
    yield "### After `compare` has stopped\n\n" + _compared(max(2 * runs, 200))
    yield "### Elo\n\n" + _elo_table(max(runs // 4, 100))
    yield "### Mean place of cups\n\n" + _cup_table(runs)
    yield "### Leagues whose pairings share the luck of the deals\n\n" + _league_table(runs)
    yield "### Points of a suite\n\n" + _suite_table(max(runs // 4, 100))


def _suite_table(runs: int) -> str:
    """Return the coverage of the points of a suite."""
    heads = ["Deals, chance near", "All tasks", "Half the width", "Two scores", "A task", "All tasks, by a bootstrap"]
    rows, suite = [heads], load()
    for quick, skill in _track([(quick, skill) for quick in (False, True) for skill in (0.1, 0.5, 0.9)]):
        one = suite_points(suite, quick, skill, runs)
        shares = [f"{100 * share:.1f} %" for share in (one.held, one.again, one.tasks, one.bootstrap)]
        what = f"{'`--quick`' if quick else 'all'}, {100 * skill:g} %"
        rows.append([what, shares[0], f"{one.half:.1f}", *shares[1:]])
    return markdown(rows)


def _track(rows: Sequence[Any]) -> Any:
    """Show on stderr how many rows of a table are done."""
    return track(rows, "simulating", transient=True, console=Console(stderr=True))


def _grid(populations: Sequence[Population], runs: int, digits: int = 1) -> str:
    """Return coverage and half widths for each population and number of deals."""
    rows, outside = [["Truth", *(f"{n:,} deals" for n in SIZES)]], list[str]()
    for one in _track(populations):
        rows.append([one.name])
        for n, cell in zip(SIZES, coverage(one, runs), strict=True):
            mark = ""
            if n >= BAND_FROM and cell.outside and not cell.exact:  # by chance, perhaps: with ten times as many
                (cell,) = coverage(one, 10 * runs, (n,), seed=2)
            if n >= BAND_FROM and len(one.law) and cell.outside:
                mark = " †" if impossible(one, n) else " ‡"
                outside += [f"{one.name}, {n:,} deals"] if mark == " ‡" else []
            rows[-1].append(f"{100 * cell.held:.1f} (± {50 * cell.half:.{digits}f}){mark}")
    if not any(len(one.law) for one in populations):
        return markdown(rows)
    rest = "; ".join(outside) or "none"
    return f"{markdown(rows)}\n\nOutside 93.5 to 97.5 at 30 deals and more, though it need not be (‡): {rest}."


def _grid_table() -> str:
    """Return how the intervals hold for players on a grid."""
    rows = [["Deals", "Players", "Mean", "Below 93.5", "Least", "Loss, split, win of the least"]]
    for deals in _track(SIZES[:4]):
        one = grid(deals)
        shares = [f"{100 * share:.1f}" for share in (one.mean, one.below, one.least)]
        law = ", ".join(f"{100 * share:g} %" for share in one.law)
        rows.append([str(deals), str(one.players), shares[0], f"{shares[1]} %", shares[2], law])
    return markdown(rows)


def _compared(runs: int) -> str:
    """Return the errors of the sequential test."""
    rows = [
        ["Deals split", "Drawn", "`elo1`", "α: 5 asked", "β: 5 asked", "Deals at 0 Elo, at `elo1`", "Interval holds"]
    ]
    for split, draws, elo1 in _track(MIXTURES):
        null, other = (comparisons(split, draws, elo1, truth, runs) for truth in (0.0, elo1))
        deals = f"{null.deals:,.0f}, {other.deals:,.0f}"
        errors = [f"{100 * one.wrong:.1f} %" for one in (null, other)]
        share = f"{100 * split:g} %", f"{100 * draws:g} %", f"{elo1:g}"
        rows.append([*share, *errors, deals, f"{50 * (null.held + other.held):.1f} %"])
    return markdown(rows)


def _elo_table(runs: int) -> str:
    """Return the coverage of ratings."""
    leagues = *([x, 0.0] for x in (0.0, 100.0, 200.0, 400.0, 700.0)), [300.0, 0.0, -300.0], [100.0, 0.0, -50.0, -600.0]
    rows = [["True ratings", *(f"{n:,} deals" for n in SIZES[1:4])]]
    for one in _track(leagues):
        cells = [elo(one, n, runs * (4 if len(one) == 2 else 1)) for n in SIZES[1:4]]
        rows.append(
            [", ".join(f"{x:+g}" for x in one), *(f"{100 * held:.1f} ({100 * wide:.0f} open)" for held, wide in cells)]
        )
    return markdown(rows)


def _cup_table(runs: int) -> str:
    """Return the coverage of mean places."""
    rows = [["Players", *(f"{n} cups" for n in REPEATS)]]
    for players, skill in ((4, 0.0), (8, 0.0), (4, 3.0)):
        what = f"{players} equal ones" if not skill else f"a strong one among {players}"
        rows.append([what, *(f"{100 * cups(n, players, runs, skill):.1f}" for n in REPEATS)])
    return markdown(rows)


def _league_table(runs: int) -> str:
    """Return the coverage of means over pairings."""
    rows = [["Pairings, share of deals with common luck", *(f"{n:,} deals" for n in SIZES[:4])]]
    for pairings, shared in ((3, 0.0), (3, 0.5), (9, 0.5), (9, 0.9)):
        cells = [f"{100 * league(n, pairings, shared, runs):.1f}" for n in SIZES[:4]]
        rows.append([f"{pairings}, {100 * shared:g} %", *cells])
    return markdown(rows)


def main(arguments: Sequence[str]) -> None:
    """Print the tables, and write them into a page if one is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="simulated matches for each cell")
    parser.add_argument("--page", type=Path, help="page that keeps the tables, between its two marks")
    asked = parser.parse_args(arguments)
    found = list[str]()
    for one in tables(asked.runs):
        print(one, end="\n\n", flush=True)
        found.append(one)
    if asked.page:
        text = asked.page.read_text(encoding="utf-8")
        made = "<!-- coverage -->\n\n" + "\n\n".join(found) + "\n\n<!-- end of coverage -->"
        text = re.sub("<!-- coverage -->.*<!-- end of coverage -->", lambda _: made, text, flags=re.DOTALL)
        asked.page.write_text(text, encoding="utf-8")
