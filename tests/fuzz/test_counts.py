"""Counts of hostile lines: each surface has its target, and what is wrong is counted as what it is."""

from rich.console import Console

from tests.fuzz import counts
from tests.fuzz.children import Slice
from tests.fuzz.log import Log
from tests.fuzz.targets import all as every
from tests.fuzz.targets.target import Find


def test_every_surface_has_a_target() -> None:
    known = {target.name for group in every.GROUPS for target in every.group(group)}
    optional = {"ttt-client", "ttt-updates", "tool-session", "llm-response"}  # of libraries that may be absent
    assert set(counts.SURFACES) - optional <= known
    assert [one.part for one in counts.slices(10, 5.0, 1)] == list(counts.SURFACES)


def test_lines_are_counted_until_there_are_so_many() -> None:
    log = Log(most=30)
    counts.run("program-session", 60.0, 3, log)
    assert log.counts["lines"] >= 30
    assert 0 < log.counts["inputs"] <= log.counts["lines"]
    assert log.finds == 0


def test_what_is_wrong_is_told_apart() -> None:
    assert counts.kind(Find("slow", "6.0 s for 3 bytes")) == "late"
    assert counts.kind(Find("Wrong at x", "an answer is taken for action 99")) == "illegal"
    assert counts.kind(Find("KeyError at x", "KeyError is not documented here")) == "errors"


def test_the_table_shows_each_count() -> None:
    console = Console(width=200)
    count = {"lines": 1234, "late": 2, "hangs": 3, "KiB": 2048}
    it = Slice(counts.COUNTS, "psq", 1.0, 1)
    with console.capture() as shown:
        console.print(counts.table({(it.section, it.part): count}))
    row = next(line for line in shown.get().splitlines() if ".psq" in line)
    assert [word for word in row.split() if word[0].isdigit()] == ["1,234", "0", "3", "0", "2", "0", "2.0"]
