"""Clocks of decisions: who has worked too long is late, and who has waited for a processor is not."""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.schedule import Contest
from kozyr.agents.arena.sandbox.move_clock import CLOCKS, WALL, MoveClock
from kozyr.agents.arena.sandbox.sandboxed_agent import limited
from kozyr.agents.programs import family, program_agent, students
from kozyr.envs.table.table import Table
from tests.test_cli import run

LINUX = pytest.mark.skipif(not family.TELLS_TIME, reason="only Linux tells the time of other processes")
LIMIT = 0.3  # seconds
WORKS = "until = time.process_time() + {seconds}\nwhile time.process_time() < until: pass"
SLEEPS = "time.sleep({seconds})"
STARTS = """subprocess.run([sys.executable, "-S", "-c", "import time\\n" + {work!r}], check=True)"""


def program(folder: Path, body: str, clock: str, confine: str = "auto", limit: float = LIMIT) -> Any:
    """Return a bot of a folder under a limit, whose decision does what the body says."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"import subprocess, sys, time\ndef act(view, mask):\n{lines}    return int(mask.argmax())\n"
    (folder / "bot.py").write_text(text)
    (folder / "other.py").write_text("def act(view, mask): return int(mask.argmax())\n")
    return limited(students.players(folder, confine=confine)["bot"].source, envs.game("war"), {}, limit, clock)


def verdict(agent: Any) -> str:
    """Return "in time", or "late" for a decision that is lost by time."""
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    (answer,) = agent.each(table.view(table.turn)[None], table.mask[None])
    agent.close()
    if isinstance(answer, (int, np.integer)):
        return "in time"
    assert str(answer) == f"time: took longer than {agent.limit:g} s"
    return "late"


@LINUX
@pytest.mark.parametrize("confine", ["auto", "off"])
@pytest.mark.parametrize("clock", CLOCKS)
def test_who_works_too_long_is_late(tmp_path: Path, clock: str, confine: str) -> None:
    assert verdict(program(tmp_path, WORKS.format(seconds=2 * LIMIT), clock, confine)) == "late"


@LINUX
@pytest.mark.parametrize("clock", ["auto", "processor"])
def test_the_work_of_children_counts(tmp_path: Path, clock: str) -> None:
    work = WORKS.format(seconds=2 * LIMIT)
    assert verdict(program(tmp_path, STARTS.format(work=work), clock)) == "late"


@LINUX
@pytest.mark.parametrize(("clock", "wanted"), [("auto", "in time"), ("processor", "in time"), ("wall", "late")])
def test_who_waits_for_a_processor_is_late_by_the_wall_only(tmp_path: Path, clock: str, wanted: str) -> None:
    agent = program(tmp_path, "pass", clock, limit=1.0)
    table = Table(envs.game("war"), envs.game("war").make_variant(), 1)
    view, mask = table.view(table.turn)[None], table.mask[None]
    assert next(agent.each(view, mask)) == int(table.mask.argmax())
    ask, process = agent.program.child.send, agent.program.child.process

    def held(*args: Any) -> None:
        """Send a question, but let no processor work on it for longer than the limit."""
        agent.program.child.wake()
        family.halt(process)
        threading.Timer(1.3, lambda: family.wake(process)).start()
        ask(*args)

    agent.program.child.send = held
    answer = next(agent.each(view, mask))
    agent.close()
    assert ("in time" if isinstance(answer, int) else "late") == wanted


@LINUX
@pytest.mark.parametrize("clock", CLOCKS)
def test_who_sleeps_is_late_by_the_wall_in_the_end(tmp_path: Path, clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_agent, "GRACE", 0.1)
    began = time.monotonic()
    assert verdict(program(tmp_path, SLEEPS.format(seconds=600), clock)) == "late"
    assert time.monotonic() - began > (LIMIT if clock == "wall" else WALL * LIMIT)


@LINUX
def test_who_hangs_and_works_is_not_waited_for_by_the_wall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_agent, "GRACE", 0.1)
    agent = program(tmp_path, "while True: pass", "auto", limit=0.5)
    monkeypatch.setattr("kozyr.agents.arena.sandbox.move_clock.WALL", 1000.0)
    agent.program.be_patient(500.0, agent._clock.late)
    began = time.monotonic()
    assert verdict(agent) == "late"
    assert time.monotonic() - began < 100


@LINUX
def test_processors_time_is_that_of_all_descendants() -> None:
    before = family.processor_time(os.getpid())
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    assert family.processor_time(os.getpid()) - before >= 0.1
    assert family.processor_time(2**22 + 1) == 0.0  # nobody's number


def test_where_processors_time_is_not_told_the_wall_counts() -> None:
    clock = MoveClock("auto", LIMIT, None)
    assert clock.kind == "wall"
    assert clock.patience == LIMIT
    with pytest.raises(ValueError, match="clock='processor' is not possible"):
        MoveClock("processor", LIMIT, None)


@pytest.mark.parametrize(
    ("kind", "passed", "used", "wanted"),
    [
        *(("auto", 0.5, 0.9, False), ("auto", 1.1, 0.9, False), ("auto", 1.1, 1.1, True), ("auto", 5.1, 0.1, True)),
        *(("wall", 0.9, 9.0, False), ("wall", 1.1, 0.1, True)),
        *(("processor", 0.5, 1.1, True), ("processor", 4.9, 0.9, False), ("processor", 5.1, 0.9, True)),
    ],
)
def test_a_clock_judges(monkeypatch: pytest.MonkeyPatch, kind: str, passed: float, used: float, wanted: bool) -> None:
    now, total = [10.0], [3.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    clock = MoveClock(kind, 1.0, lambda: total[0])
    assert clock.start() == 11.0
    now[0], total[0] = 10.0 + passed, 3.0 + used
    assert clock.late() is wanted


def test_clocks_are_named_and_kept_apart() -> None:
    with pytest.raises(ValueError, match="choose one of 'auto', 'wall', 'processor'"):
        match("war", ["random", "random"], 1, clock="sand")
    assert (
        "choose one of 'auto', 'wall', 'processor'"
        in run("match", "war", "random", "random", "--clock", "sun", code=2).output
    )
    name = f"process:{sys.executable}"
    versions = {
        Contest("war", [name, "random"], 1, move_limit=1.0, clock=clock).blocks((0, 1))[0].players[0]
        for clock in CLOCKS
    }
    assert versions == {f"{name} in 1 s", f"{name} in 1 s by the wall", f"{name} in 1 s of processors"}
