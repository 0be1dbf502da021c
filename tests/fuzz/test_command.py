"""The command: children are watched, what they find or die of is kept, and the exit code tells."""

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.fuzz import errors, sections
from tests.fuzz.__main__ import plan
from tests.fuzz.children import Child, Slice
from tests.fuzz.log import Log, last

BEGIN = """
import ctypes, sys, time
from pathlib import Path
from tests.fuzz.log import Log
log = Log(Path(sys.argv[6]))
log.count("inputs")
log.now("target", b"the input")
"""
ENDS = {
    "crashes": "ctypes.string_at(0)",
    "leaves": "sys.exit(3)",
    "hangs": "time.sleep(1000)",
}


def ended(code: str, folder: Path, silence: float = 60.0) -> Child:
    """Return a child that has run some code instead of an attack."""
    command = (sys.executable, "-c", BEGIN + code)
    child = Child(Slice("parsers", "mnk", 5.0, 1), folder, command, folder / "corpus", silence)
    until = time.monotonic() + 100
    while not child.over():
        assert time.monotonic() < until
        time.sleep(0.05)
    return child


@pytest.mark.skipif(sys.platform == "win32", reason="processes end by signals elsewhere")
@pytest.mark.parametrize("how", ENDS)
def test_the_input_that_a_child_dies_of_is_kept(how: str, tmp_path: Path) -> None:
    child = ended(ENDS[how], tmp_path, silence=3.0 if how == "hangs" else 60.0)
    [find] = child.finds
    assert find["name"] == "target"
    assert {"crashes": "SIGSEGV", "leaves": "exit code 3", "hangs": "no end of one input"}[how] in find["said"]
    assert Path(find["path"]).read_bytes() == b"the input"
    assert child.counts == {"inputs": 1}


def test_what_a_child_tells_of_is_taken(tmp_path: Path) -> None:
    corpus = str(tmp_path / "corpus")
    code = f'[log.found("target", b"bad", key, "why", Path({corpus!r})) for key in ("a", "a", "b")]; log.tell()'
    child = ended(code, tmp_path)
    assert [(find["name"], find["key"], find["said"]) for find in child.finds] == [
        ("target", "a", "why"),
        ("target", "b", "why"),
    ]
    assert {Path(find["path"]).read_bytes() for find in child.finds} == {b"bad"}
    assert not child.died


def test_what_is_tried_can_be_read_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "now"
    assert last(path) == (0, "", b"")
    log = Log(path)
    for data in (b"one", b"two\n\0", bytes(5 << 20)):
        log.now("name", data)
        number, name, kept = last(path)
        assert (name, kept) == ("name", data[: len(kept)])
    assert number == 3


def test_the_time_is_shared_by_all_parts() -> None:
    names = sections.sections()
    slices = plan(3600.0, 2, names, 1)
    assert {(it.section, it.part) for it in slices} == {(name, part) for name in names for part in sections.parts(name)}
    assert sum(it.seconds for it in slices) == pytest.approx(2 * 3600.0)
    assert plan(3600.0, 2, names, 1) == slices


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("seed=-1 is not allowed: a seed is a whole number"), ""),
        (KeyError("seed"), "not documented"),
        (ValueError("seed"), "no sentence"),
        (ValueError("could not broadcast input array from shape (2,) into shape (3,)"), "inside"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "no such letter at all"), "not documented"),
        (ValueError("so " * 10_000), "characters"),
    ],
)
def test_an_error_is_of_a_documented_type_and_a_sentence(error: Exception, said: str) -> None:
    found = errors.complaint(error, (ValueError,))
    assert said in found if said else not found


@pytest.mark.long
def test_a_section_runs_from_the_command_line() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", "0.1", "--only", "play", "--jobs", "1", "--seed", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "play" in done.stdout
    assert "games" in done.stdout
    assert "0 found" in done.stdout


def tried(most: int) -> dict[str, int]:
    """Return how often each target of a small attack was tried."""
    with tempfile.TemporaryDirectory() as folder:
        child = Child(Slice("parsers", "mnk", 300.0, 5, most), Path(folder))
        while not child.over():
            time.sleep(0.05)
        assert not child.died, child.finds
        return dict(child.counts)


def test_counted_attacks_try_the_same_inputs_each_time() -> None:
    first = tried(300)
    assert tried(300) == first
    assert 250 < sum(first.values()) <= 300
    assert all(it.most < sys.maxsize for it in plan(600.0, 2, sections.sections(), 1, counted=True))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed elsewhere")
def test_children_end_with_the_attack() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", "5", "--only", "play", "--jobs", "1", "--seed", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attack:
        assert attack.stdout is not None
        while "now play" not in attack.stdout.readline():
            assert attack.poll() is None
        [child] = Path(f"/proc/{attack.pid}/task/{attack.pid}/children").read_text().split()
        attack.send_signal(signal.SIGTERM)
        assert "interrupted" in attack.stdout.read()
    assert attack.returncode == 0
    assert not Path(f"/proc/{child}").exists()
