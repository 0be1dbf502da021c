"""Time callables the same way for every row of the benchmark table, and print the rows."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from rich.console import Console
from rich.table import Table

SECONDS = 1.0
ROUNDS = 5
GLANCE = 0.01  # seconds of work between two looks at the clock
WIDTH = 160  # of the table where the output is no terminal

Clock = Literal["process CPU", "wall"]
CLOCKS: dict[Clock, Callable[[], float]] = {"process CPU": time.process_time, "wall": time.perf_counter}


@dataclass(frozen=True)
class Row:
    """Tell one measured figure and what stands behind it.

    Attributes:
        name: What ran.
        library: Whose code it is, with its version.
        counts: What one unit of the figure is, in words.
        median: Median over the rounds, in `unit`.
        low: Smallest round.
        high: Largest round.
        unit: "steps/s" unless the row says otherwise ("samples/s", "s").
        views: Whether the seat's view is written at every step.
        masks: Whether the legal mask is written at every step.
        clock: "process CPU" adds up all threads of the process; "wall" is the time that passed.
    """

    name: str
    library: str
    counts: str
    median: float
    low: float
    high: float
    views: bool
    masks: bool
    clock: Clock
    unit: str = "steps/s"


def measure(
    name: str,
    run: Callable[[], float],
    *,
    library: str,
    counts: str,
    views: bool,
    masks: bool,
    clock: Clock = "process CPU",
    unit: str = "steps/s",
    seconds: float = SECONDS,
    rounds: int = ROUNDS,
) -> Row:
    """Repeat `run` for some rounds and return the row of its rates.

    Args:
        name: The row's name.
        run: Does a piece of work and returns how many steps it was; it must have finished when it returns.
        library: Whose code it is, with its version.
        counts: What one step is, in words.
        views: Whether views are written.
        masks: Whether masks are written.
        clock: The clock the rates are taken by.
        unit: What the rate is called.
        seconds: Length of a round by that clock.
        rounds: How many rounds the median is taken over.
    """
    now = CLOCKS[clock]
    repeats = _repeats(run)
    rates = [_rate(run, now, repeats, seconds) for _ in range(rounds)]
    return Row(name, library, counts, median(rates), min(rates), max(rates), views, masks, clock, unit)


def show(rows: Iterable[Row], title: str) -> None:
    """Print the table, then the machine and every row as JSON lines."""
    rows = list(rows)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    console.print(_table(rows, title))
    print(json.dumps(machine()))
    for row in rows:
        print(json.dumps(asdict(row)))


def machine() -> dict[str, str | int | None]:
    """Name the machine that the figures belong to."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _repeats(run: Callable[[], float]) -> int:
    """Warm `run` up and return how many calls last a glance."""
    run()
    begun = time.perf_counter()
    run()
    return max(1, math.ceil(GLANCE / max(time.perf_counter() - begun, 1e-7)))


def _rate(run: Callable[[], float], now: Callable[[], float], repeats: int, seconds: float) -> float:
    """Return the steps per second of one round."""
    steps = 0.0
    begun = now()
    while True:
        for _ in range(repeats):
            steps += run()
        passed = now() - begun
        if passed >= seconds:
            return steps / passed


def _table(rows: list[Row], title: str) -> Table:
    """Lay the rows out for a person."""
    table = Table(title=title)
    for heading in ("row", "library", "one step is"):
        table.add_column(heading, overflow="fold")
    for heading in ("median", "low – high", "unit"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("views", "masks", "clock"):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        span = f"{_figure(row.low)} – {_figure(row.high)}"
        flags = ("yes" if row.views else "no", "yes" if row.masks else "no")
        table.add_row(row.name, row.library, row.counts, _figure(row.median), span, row.unit, *flags, row.clock)
    return table


def _figure(value: float) -> str:
    """Write three significant digits, with thousands set apart."""
    if value < 100:
        return f"{value:.3g}"
    digits = 2 - math.floor(math.log10(value))
    return f"{round(value, digits):,.0f}"


def _processor() -> str:
    """Return the processor's name as the system tells it."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
