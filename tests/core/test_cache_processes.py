"""The cache of compiled code among several processes: temporary folders go with the process that made them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kozyr.envs.core.compile import INTERPRETED

pytestmark = [
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG_CACHE_HOME moves the cache on Linux only"),
]
TWICE = """
from kozyr.envs.core.compile import folder, jit

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


def start(code: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process that runs code."""
    given = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", code]
    return subprocess.Popen(given, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


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
