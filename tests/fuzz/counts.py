"""Counts of hostile lines: each protocol and surface is sent very many, and what came of them is a table."""

import gc
import random
import time
from collections.abc import Iterable
from pathlib import Path

from rich.table import Table

from tests.fuzz import mutate
from tests.fuzz.children import Child, Slice
from tests.fuzz.log import Log
from tests.fuzz.parsers import LONGEST, corpus
from tests.fuzz.sections import COUNTS
from tests.fuzz.targets import all as every
from tests.fuzz.targets.target import Find, judge, lines

SURFACES = {
    "manager-session": "Gomocup: a manager at our engine",
    "engine-session": "Gomocup: an engine at our manager",
    "program-session": 'protocol "kozyr": a program',
    "ttt-client": "ttt: a client at our server",
    "ttt-updates": "ttt: a server at our client",
    "uecda-client": "UECda: a client at our server",
    "uecda-server": "UECda: a server at our client",
    "table-session": "a table's WebSocket, pages and programs",
    "page-message": "a page's single messages",
    "tool-session": "MCP: a program's session",
    "llm-response": "a language model's responses",
    "llm-answer": "a language model's texts",
    "psq": ".psq",
    "openings": "openings",
    "record": "records",
    "results": "results of leagues",
}
_WARM = 10  # the first tenth of the lines fills caches; growth of memory is what comes after


def run(name: str, seconds: float, seed: int, log: Log) -> None:
    """Send so many hostile lines to one target, as long as there is time, and count what comes of them."""
    target, rng, until, begun = every.target(name), random.Random(seed), time.monotonic() + seconds, 0
    if target is None:
        return
    seeds = [*target.seeds(), *corpus(target)]
    for data in seeds:
        judge(target, data)
    most, log.most = log.most, 1 << 62
    while log.counts["lines"] < most and time.monotonic() < until:
        data, before = mutate.mutated(rng.choice(seeds), target.form, rng, seeds)[:LONGEST], lines()
        log.now(name, data)
        find = judge(target, data)
        log.count("inputs")
        log.count("lines", max(1, lines() - before))
        if find is not None:
            log.count(kind(find))
            log.found(name, data, find.key, find.said)
        if not begun and log.counts["lines"] >= most // _WARM:
            begun = _memory()
    log.count("KiB", max(0, _memory() - begun) if begun else 0)


def kind(find: Find) -> str:
    """Return what a find is counted as."""
    if find.key == "slow":
        return "late"
    return "illegal" if "not legal" in find.said or "action" in find.said or "not free" in find.said else "errors"


def _memory() -> int:
    """Return the KiB of memory that this process takes."""
    gc.collect()
    status = Path("/proc/self/status")
    if not status.exists():  # no Linux
        return 0
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS"))


def slices(most: int, seconds: float, seed: int, names: Iterable[str] = SURFACES) -> list[Slice]:
    """Return a slice for each surface."""
    return [Slice(COUNTS, name, seconds, seed + k, most) for k, name in enumerate(names)]


def take(child: Child) -> None:
    """Count how a child has died."""
    child.counts["hangs"] += child.died.startswith("no end")
    child.counts["crashes"] += bool(child.died) and not child.died.startswith("no end")


def table(counts: dict[tuple[str, str], dict[str, int]]) -> Table:
    """Return the table of the surfaces."""
    rows = Table("surface", "lines", "crashes", "hangs", "illegal", "late", "other errors", "growth, MB")
    for (section, name), count in counts.items():
        if section == COUNTS:
            numbers = [f"{count.get(each, 0):,}" for each in ("lines", "crashes", "hangs", "illegal", "late", "errors")]
            rows.add_row(SURFACES[name], *numbers, f"{count.get('KiB', 0) / 1024:.1f}")
    return rows
