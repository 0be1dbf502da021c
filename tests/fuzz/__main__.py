"""Attack kozyr: calls in any order, spoilt files and texts, views that contradict themselves, and very many games.

    python -m tests.fuzz --minutes 60
    python -m tests.fuzz --minutes 5 --only parsers --seed 3
    python -m tests.fuzz --minutes 10 --seed 1 --counted

    python -m tests.fuzz --lines 100000 --minutes 30

The third one tries the same inputs each time, about as many as fit into ten minutes. The last one sends so many hostile
lines to each protocol and surface, thirty minutes at most to each, and prints what came of them.

What is found is kept in tests/fuzz/corpus, where a test reads it again, and told at the end; the exit code is 1 then.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.fuzz import counts, sections
from tests.fuzz.children import Child, Slice, limit_memory
from tests.fuzz.log import Log

LONGEST = 300.0  # seconds of a slice
SHORTEST = 8.0
PATIENCE = 6.0  # times longer than planned that counted inputs may take
_EVERY = 20.0  # seconds between two lines of progress
_TIMES = 3  # that a part may end a process before it is left alone


def plan(seconds: float, jobs: int, names: list[str], seed: int, counted: bool = False) -> list[Slice]:
    """Return slices, mixed, that together take so many seconds of so many processes.

    Counted ones try a fixed number of inputs instead, about as many as fit into that time, and may take longer.
    """
    total = sum(sections.SHARES[name] for name in names)
    rounds: list[tuple[float, Slice]] = []
    rng = random.Random(seed)
    for name in names:
        parts = sections.parts(name)
        each = seconds * jobs * sections.SHARES[name] / total / len(parts)
        count = max(1, round(each / LONGEST))
        for part in parts:
            for i in range(count):
                when = (i + rng.random()) / count
                share = max(SHORTEST, each / count)
                it = Slice(name, part, share, rng.randrange(2**31))
                if counted:
                    most = max(1, round(share * sections.RATES[name].get(part, 1)))
                    it = replace(it, seconds=PATIENCE * share, most=most)
                rounds.append((when, it))
    return [it for _, it in sorted(rounds, key=lambda one: one[0])]


def running(slices: list[Slice], until: float, jobs: int, folder: Path, found: "Found") -> Iterator[None]:
    """Run slices, so many at once, until all are done or time is up; give after each look at them."""
    waiting, children, crashes = iter(slices), list[Child](), Counter[str]()
    try:
        while True:
            for child in [child for child in children if child.over()]:
                children.remove(child)
                found.take(child)
                crashes[child.it.part] += bool(child.died)
            while len(children) < jobs and time.monotonic() < until - SHORTEST / 2:
                it = next(waiting, None)
                if it is None:
                    break
                if crashes[it.part] < _TIMES:
                    left = min(it.seconds, until - time.monotonic())
                    children.append(Child(replace(it, seconds=left), folder))
            if not children:
                return
            found.running = children
            yield
            time.sleep(0.3)
    finally:
        for child in children:
            child.stop()
            child.died = ""
            found.take(child)


class Found:
    """What all children have counted and found."""

    def __init__(self, console: Console) -> None:
        self._console, self.began = console, time.monotonic()
        self.counts: dict[tuple[str, str], dict[str, int]] = {}
        self.finds: dict[tuple[str, str], dict[str, str]] = {}
        self.running: list[Child] = []

    def take(self, child: Child) -> None:
        """Take what a child has counted and found."""
        if child.it.section == sections.COUNTS:
            counts.take(child)
        key = child.it.section, child.it.part
        self.counts[key] = Counter(self.counts.get(key, {})) + child.counts
        for find in child.finds:
            what = find["name"], find["key"]
            if what not in self.finds:
                self.finds[what] = find
                self._console.print(
                    f"FOUND {find['name']}: {find['key']}\n  {find['said'][:1500]}\n  kept in {find['path']}",
                    markup=False,
                    highlight=False,
                    soft_wrap=True,
                )

    def tell(self) -> None:
        """Print a line of progress."""
        parts = ", ".join(f"{one.it.section} {one.it.part} {sum(one.counts.values()):,}" for one in self.running)
        total = sum(sum(one.values()) for one in self.counts.values())
        said = f"{time.monotonic() - self.began:5.0f} s  {total:,} done, {len(self.finds)} found; now {parts}"
        self._console.print(said, markup=False, highlight=False, soft_wrap=True)

    def table(self) -> Table:
        """Return the counts of all sections."""
        if any(section == sections.COUNTS for section, _ in self.counts):
            return counts.table(self.counts)
        table = Table("section", "part", "counts")
        for (section, part), known in sorted(self.counts.items()):
            table.add_row(section, part, ", ".join(f"{name} {number:,}" for name, number in sorted(known.items())))
        return table


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=float, default=60.0, help="of wall time (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=sections.sections(), help="some sections")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--seed", type=int, help="another each time if it is left out")
    parser.add_argument("--counted", action="store_true", help="the same inputs each time, not the same time")
    parser.add_argument("--lines", type=int, help="hostile lines for each protocol and surface")
    parser.add_argument("--child", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        section, part, until, seed, most, now = given.child
        limit_memory()
        sections.attack(section, part, float(until), int(seed), Log(Path(now), int(most)))
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # children are ended, whoever ends this process
    console, seconds = Console(), 60 * given.minutes
    seed = int(time.time()) if given.seed is None else given.seed
    console.print(f"{given.minutes:g} minutes on {given.jobs} cores, --seed {seed}", highlight=False)
    if given.lines:
        slices = counts.slices(given.lines, seconds, seed)
        sys.exit(1 if attack(slices, len(slices) * seconds, given.jobs, console) else 0)
    slices = plan(seconds, given.jobs, given.only or sections.sections(), seed, given.counted)
    longest = PATIENCE * seconds if given.counted else seconds
    sys.exit(1 if attack(slices, longest, given.jobs, console) else 0)


def attack(slices: list[Slice], seconds: float, jobs: int, console: Console) -> int:
    """Attack for so many seconds at most, print what was done, and return how much was found."""
    found, told = Found(console), 0.0
    until = found.began + seconds
    with tempfile.TemporaryDirectory(prefix="kozyr-fuzz-", ignore_cleanup_errors=True) as folder:
        try:
            for _ in running(slices, until, jobs, Path(folder), found):
                if time.monotonic() - told > _EVERY:
                    told = time.monotonic()
                    found.tell()
        except KeyboardInterrupt:
            console.print("interrupted")
    console.print(found.table())
    for find in found.finds.values():
        console.print(f"{find['name']}: {find['key']}: {find['path']}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(found.finds)} found in {time.monotonic() - found.began:,.0f} s", highlight=False)
    return len(found.finds)


if __name__ == "__main__":
    main()
