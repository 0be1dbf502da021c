"""The cache of compiled code among several processes: each function is compiled once, and temporary folders go with
the process that made them.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kozyr.envs.compile import INTERPRETED

pytestmark = [
    pytest.mark.long,  # each starts several processes that compile
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG_CACHE_HOME moves the cache on Linux only"),
]
TWICE = """
from kozyr.envs.compile import folder, jit

@jit
def twice(x):
    return 2 * x

def main():
    assert twice(21) == 42
    print(twice.stats.cache_hits.total())
"""
PLAIN = "import twice; twice.main()"


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a short path, for it holds sockets."""
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@pytest.fixture
def environment(tmp_path: Path, temporary: Path) -> dict[str, str]:
    """Variables of a process that has no cache but a temporary folder."""
    (tmp_path / "twice.py").write_text(TWICE)
    (tmp_path / "blocked").touch()
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    given = {"PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "blocked"), "TMPDIR": str(temporary)}
    return os.environ | given


def start(code: str, environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    """Start a process that runs code."""
    given = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", code, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(given, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Return what a process has said."""
    said, warned = process.communicate(timeout=120)
    assert process.returncode == 0, warned
    return said, warned


def test_a_temporary_folder_ends_with_its_process(environment: dict[str, str], temporary: Path) -> None:
    said, warned = ended(start(PLAIN + "; print(twice.folder())", environment))
    spare = Path(said.split()[1])
    assert spare.parent == temporary
    assert warned.count("cannot write its cache") == 1
    assert not any(temporary.iterdir())


FORK = """
import os, sys, twice
twice.main()
child = os.fork()
if not child:
    sys.exit(0)  # runs what `atexit` knows
os.waitpid(child, 0)
print(len(list(twice.folder().rglob("*.nbc"))))
"""


def test_a_forked_child_leaves_the_folder_alone(environment: dict[str, str], temporary: Path) -> None:
    said, _ = ended(start(FORK, environment))
    assert said.split() == ["0", "1"]
    assert not any(temporary.iterdir())


METHODS = """
import multiprocessing, twice
for method in ("fork", "forkserver", "spawn"):
    process = multiprocessing.get_context(method).Process(target=twice.main)
    process.start()
    process.join()
    assert process.exitcode == 0
"""


def test_workers_remove_their_own_folders(environment: dict[str, str], temporary: Path) -> None:
    _, warned = ended(start(METHODS, environment))
    assert warned.count("cannot write its cache") == 3
    assert not list(temporary.glob("kozyr-*"))


WORKERS = """
import os, signal, subprocess, sys, twice
twice.main()
killed = "import os, signal, twice; twice.main(); os.kill(os.getpid(), signal.SIGKILL)"
for code in ("import twice; twice.main()", killed):
    sys.stdout.flush()
    subprocess.run([sys.executable, "-u", "-c", code])
"""


def test_workers_share_the_folder_and_its_warning_even_if_they_are_killed(
    environment: dict[str, str], temporary: Path
) -> None:
    said, warned = ended(start(WORKERS, environment))
    assert said.split() == ["0", "1", "1"]
    assert warned.count("cannot write its cache") == 1
    assert not any(temporary.iterdir())


ORPHAN = """
import os, sys, time, twice
spare = twice.folder()
if os.fork():
    sys.exit(0)
while spare.exists():
    time.sleep(0.01)
twice.main()
assert not spare.exists()
"""


def test_a_child_that_outlives_the_folder_goes_on_without(environment: dict[str, str], temporary: Path) -> None:
    said, warned = ended(start(ORPHAN, environment))
    assert said.split() == ["0"]
    assert "cannot keep compiled code" in warned
    assert not any(temporary.iterdir())


def test_two_processes_at_once_keep_one_sound_file(environment: dict[str, str], tmp_path: Path) -> None:
    environment = environment | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    both = [start(PLAIN, environment) for _ in range(2)]
    assert [ended(one)[1] for one in both] == ["", ""]
    [file] = (tmp_path / "cache").rglob("*.nbc")
    file.write_bytes(b"")
    both = [start(PLAIN, environment) for _ in range(2)]
    assert "".join(ended(one)[1] for one in both).count("deletes such files") in (1, 2)
    assert ended(start(PLAIN, environment)) == ("1\n", "")
    left = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert sorted(left) == ["cleaned", file.name]


CALLS = """
import sys, time
from pathlib import Path
from numba.core import event
from kozyr.envs.compile import cache, compiled, jit

@jit
def leaf(x):
    return x + 1

@jit
def left(x):
    return 2 * leaf(x)

@jit
def right(x):
    return 3 * leaf(x)

@jit
def top(x):
    return left(x) + right(x)

@jit
def broken(x):
    return x + "1"

@jit
def around(x):
    return left(x) + broken(x)

def misses():
    called = [one._inner for one in (leaf, left, right, top) if "_inner" in vars(one.target)]
    return sum(one.stats.cache_misses.total() for one in (leaf, left, right, top, *called))

def meet(name):
    "Wait for another process that comes here, too."
    mine, theirs = Path(sys.argv[1], name), Path(sys.argv[1], {"one": "other", "other": "one"}[name])
    mine.touch()
    while not theirs.exists():
        time.sleep(0.001)

def when(kind, act):
    "Call a function where an event begins."
    class Begun(event.Listener):
        def on_start(self, event):
            act(event.data["dispatcher"])
        def on_end(self, event):
            pass
    event.register(kind, Begun())
"""


@pytest.fixture
def calls(environment: dict[str, str], tmp_path: Path) -> Callable[[str], subprocess.Popen[str]]:
    """What starts processes that share an empty cache, in which functions call each other."""
    (tmp_path / "calls.py").write_text(CALLS)
    shared = environment | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    return lambda code: start(f"from calls import *\n{code}", shared, str(tmp_path))


def locks(tmp_path: Path) -> list[str]:
    """Return the names of all files of locks."""
    return [path.name for path in (tmp_path / "cache").rglob("*.lock")]


TOGETHER = """
when("numba:compile", lambda function: time.sleep(0.2))
meet({!r})
assert top(1) == 10
print(misses(), len(compiled))
"""


def test_two_processes_compile_each_function_once(calls, tmp_path: Path) -> None:
    both = [calls(TOGETHER.format(name)) for name in ("one", "other")]
    counted = [[int(word) for word in ended(one)[0].split()] for one in both]
    assert [sum(counts) for counts in zip(*counted, strict=True)] == [4, 1]  # `top`, and what it calls
    assert len([*(tmp_path / "cache").rglob("*.nbc")]) == 4
    assert locks(tmp_path) == []


SECOND = """
when(cache.WAITING, lambda function: Path(sys.argv[1], "waits").touch())
meet("one")
assert top(1) == 10
print(misses())
"""
FIRST = """
def hold(function):
    "Compile `leaf` for so long that the second process comes to it within `left`, which is within `top`."
    if function.__name__ == "leaf":
        meet("other")
        late = time.monotonic() + 20
        while not Path(sys.argv[1], "waits").exists() and time.monotonic() < late:
            time.sleep(0.001)
when("numba:compile", hold)
assert right(1) == 6
print(misses())
"""


def test_a_function_within_others_is_waited_for(calls, tmp_path: Path) -> None:
    both = [calls(FIRST), calls(SECOND)]
    assert [ended(one)[0] for one in both] == ["2\n", "3\n"]  # `leaf` is not among those of the second
    assert locks(tmp_path) == []


HANGS = """
def hang(function):
    print("compiling", flush=True)
    sys.stdin.read()
when("numba:compile", hang)
top(1)
"""
WAITS = """
from kozyr.envs.compile import reports
reports._PATIENCE = 0.0
when(cache.WAITING, lambda function: print("waiting", flush=True))
assert top(1) == 10
print(misses(), len(compiled))
"""


def test_a_process_that_is_killed_while_it_compiles_keeps_nobody_waiting(calls, tmp_path: Path) -> None:
    with calls(HANGS) as first:
        assert first.stdout.readline() == "compiling\n"
        with calls(WAITS) as second:
            assert second.stdout.readline() == "waiting\n"
            assert second.stderr.readline() == "kozyr: compiling calls for this machine, once …\n"
            first.kill()
            said, warned = ended(second)
    assert said.split() == ["4", "1"]
    assert warned.startswith("kozyr: compiled calls (top) in ")
    assert locks(tmp_path) == []


FAILS = """
for function in (broken, around):
    try:
        function(1)
    except Exception as error:
        print(type(error).__name__, flush=True)
sys.stdin.read()
"""


def test_a_compilation_that_fails_keeps_nobody_waiting(calls, tmp_path: Path) -> None:
    with calls(FAILS) as first:
        for _ in range(2):
            assert "Error" in first.stdout.readline()
        assert locks(tmp_path) == []
        with calls(f"when(cache.WAITING, lambda function: print('waiting'))\n{FAILS}") as second:
            assert "waiting" not in ended(second)[0]
        ended(first)


RING = """
cache._PATIENCE = 0.5
mine, theirs = {}
def cross(function):
    if function is mine:
        meet(mine.__name__.replace("left", "one").replace("right", "other"))
        theirs(1)
when("numba:compile", cross)
assert mine(1) + theirs(1) == 10
"""


def test_functions_that_are_compiled_within_each_other_do_not_wait_for_ever(calls, tmp_path: Path) -> None:
    """Each process holds the lock that the other one waits for."""
    for one in [calls(RING.format(names)) for names in ("left, right", "right, left")]:
        ended(one)
    assert locks(tmp_path) == []
    said, _ = ended(calls("left(1), right(1); print(misses())"))
    assert said == "0\n"
