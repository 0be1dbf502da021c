"""The cache of compiled code, looked at in processes of their own with a small copy of the package."""

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kozyr

ROOT = Path(kozyr.envs.__file__).parents[1]  # where the sources of the package are
TOY = """
from typing import NamedTuple
import numpy as np
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.compile import jit
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.toy.prize import prize

STATE = layout(2)

class Variant(NamedTuple):
    moves: int = 1

@implements(dispatch.start, Variant)
def start(v, s, seed, starter):
    s.rng, s.turn, s.ply = np.uint64(seed), 0, 0

@implements(dispatch.legal, Variant)
def legal(v, s, mask):
    mask[0] = s.turn != OVER

@implements(dispatch.play, Variant)
def play(v, s, a):
    s.turn = OVER
    s.payoff[0] = prize()
"""
PRIZE = """
from kozyr.envs.compile import jit

@jit
def prize():
    return 1.0
"""
PLAY = """
import numpy as np
from kozyr.envs.loops import tables
from kozyr.envs.core.rng import generators
from kozyr.envs.toy.rules import STATE, Variant
states = np.zeros(1, STATE)
tables.playouts(Variant(), states, generators(0, 1), np.zeros(1, np.int8), 1)
print(states[0].payoff[0], tables.playouts.stats.cache_hits.total())
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that holds a game of its own."""
    root = tmp_path / "copy"
    for module in (kozyr.envs, kozyr.agents):
        source = Path(next(iter(module.__path__)))
        shutil.copytree(source, root / "kozyr" / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(kozyr.__file__, root / "kozyr")
    toy = root / "kozyr" / "envs" / "toy"
    toy.mkdir()
    (toy / "__init__.py").touch()
    (toy / "rules.py").write_text(TOY)
    (toy / "prize.py").write_text(PRIZE)
    return root


def run(root: Path, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run code against the copy of the package, with a cache of its own."""
    environment = os.environ | {"PYTHONPATH": str(root), "XDG_CACHE_HOME": str(root / "cache")} | variables
    ran = subprocess.run([sys.executable, "-W", "always", "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG_CACHE_HOME moves the cache on Linux only")


@linux
def test_an_edited_rule_is_never_run_stale(package: Path) -> None:
    assert run(package, PLAY).stdout.split() == ["1.0", "0"]
    assert run(package, PLAY).stdout.split() == ["1.0", "1"]
    prize = package / "kozyr" / "envs" / "toy" / "prize.py"
    prize.write_text(PRIZE.replace("1.0", "7.0"))
    assert run(package, PLAY).stdout.split() == ["7.0", "0"]
    prize.write_text(PRIZE)
    assert run(package, PLAY).stdout.split() == ["1.0", "1"]


@linux
@pytest.mark.long
def test_an_edit_that_the_game_does_not_reach_compiles_nothing(package: Path) -> None:
    assert run(package, PLAY).stdout.split() == ["1.0", "0"]
    for path in (package / "kozyr").rglob("*.py"):
        path.write_text(f"# moved down\n{path.read_text()}")
    rules = package / "kozyr" / "envs" / "mnk" / "rules.py"
    rules.write_text(rules.read_text() + "\n@jit\ndef other(): return 2\n")
    assert run(package, PLAY).stdout.split() == ["1.0", "1"]


@linux
@pytest.mark.long
def test_somebody_elses_game_has_a_folder_of_its_own(package: Path) -> None:
    (package / "kozyr" / "envs" / "toy").rename(package / "theirs")
    for path in (package / "theirs").glob("*.py"):
        path.write_text(path.read_text().replace("kozyr.envs.toy", "theirs"))
    code = PLAY.replace("kozyr.envs.toy", "theirs")
    assert run(package, code).stdout.split() == ["1.0", "0"]
    assert run(package, code).stdout.split() == ["1.0", "1"]
    kept = [path.name for path in (package / "cache" / "kozyr" / "theirs").iterdir()]
    assert any(name.startswith("tables.playouts-") for name in kept)
    assert any(name.startswith("prize.prize-") for name in kept)


@linux
@pytest.mark.long
def test_a_game_of_a_script_works_and_is_not_kept(package: Path) -> None:
    code = TOY + PLAY.replace("from kozyr.envs.toy.rules import STATE, Variant", "")
    for _ in range(2):
        assert run(package, code).stdout.split() == ["1.0", "0"]


@linux
@pytest.mark.long
def test_code_that_nobody_has_loaded_for_a_month_is_removed(package: Path) -> None:
    kept = package / "cache" / "kozyr"
    kept.mkdir(0o700, parents=True)
    for name, age in (("old", 31), ("new", 29)):
        path = kept / "some.game" / f"{name}.nbc"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, times=(0, time.time() - age * 24 * 3600))
    run(package, PLAY)
    assert [path.name for path in (kept / "some.game").iterdir()] == ["new.nbc"]
    used = kept / "kozyr.envs.toy"
    for path in used.iterdir():
        os.utime(path, times=(0, time.time() - 29 * 24 * 3600))
    run(package, PLAY)
    assert max(path.stat().st_mtime for path in used.glob("tables.playouts-*")) > time.time() - 3600


@linux
def test_a_cache_that_cannot_be_written_is_replaced_with_one_warning(package: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    ran = run(package, PLAY, XDG_CACHE_HOME=str(blocked))
    assert ran.stdout.split() == ["1.0", "0"]
    assert ran.stderr.count("cannot write its cache") == 1
    assert "XDG_CACHE_HOME" in ran.stderr


def test_the_users_own_numba_settings_are_left_alone(package: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    code = PLAY + "import numba; print(numba.config.CACHE_DIR)"
    assert run(package, code, NUMBA_CACHE_DIR=str(theirs)).stdout.split()[-1] == str(theirs)
    assert not theirs.exists() or not any(theirs.rglob("*.nb*"))


def test_everything_runs_uncompiled(package: Path) -> None:
    code = PLAY.replace("tables.playouts.stats.cache_hits.total()", "type(tables.playouts).__name__")
    assert run(package, code, NUMBA_DISABLE_JIT="1").stdout.split() == ["1.0", "function"]


PATIENT = """
import sys, threading
from kozyr.envs.compile import reports
reports._PATIENCE, reports._TICK = 0.1, 0.1
if TERMINAL:
    sys.stderr.isatty = lambda: True
"""


@linux
@pytest.mark.long
def test_what_takes_long_is_told_with_its_seconds(package: Path) -> None:
    code = PATIENT.replace("TERMINAL", "False") + PLAY + "assert threading.active_count() == 1"
    begun, ended = (line for line in run(package, code).stderr.splitlines() if "toy" in line)
    assert begun == "kozyr: compiling toy for this machine, once …"
    assert re.fullmatch(r"kozyr: compiled toy \(playouts\) in \d+ s", ended)
    assert run(package, code).stderr == ""


@linux
@pytest.mark.long
def test_on_a_terminal_one_line_counts_and_goes_away(package: Path) -> None:
    code = PATIENT.replace("TERMINAL", "True") + PLAY + "assert threading.active_count() == 1"
    *told, last = run(package, code).stderr.split("\n")  # Python reads \r as \n
    assert last == "\x1b[K"
    assert "".join(told).count("compiled") == 0
    assert (
        len([line for line in told if re.fullmatch(r"kozyr: compiling toy for this machine, once … \d+ s", line)]) > 1
    )
    assert run(package, code).stderr == ""


BITS = """
from kozyr.envs.compile import highest_bit, jit, lowest_bit

@jit
def bits(word):
    return lowest_bit(word), highest_bit(word)

for low in range(63):
    for high in range(low, 63):
        assert bits(1 << high | 1 << low) == (low, high)
        assert bits(2 ** (high + 1) - 2**low) == (low, high)
"""


@pytest.mark.parametrize("interpreted", ["0", "1"])
def test_bits_are_counted_compiled_or_not(package: Path, interpreted: str) -> None:
    code = package / "bits.py"
    code.write_text(BITS)
    run(
        package,
        "import sys; sys.path.insert(0, " + repr(str(package)) + "); import bits",
        NUMBA_DISABLE_JIT=interpreted,
    )


def calls(function: ast.FunctionDef) -> set[str]:
    """Return the plain names that a function calls."""
    return {n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


def is_compiled(function: ast.FunctionDef) -> bool:
    """Tell whether a function is decorated with `jit`."""
    return any(isinstance(mark, ast.Name) and mark.id == "jit" for mark in function.decorator_list)


@pytest.mark.parametrize("folder", ["envs", "agents"])
def test_no_compiled_function_calls_itself(folder: str) -> None:
    """Numba loads such functions from its disk cache with pointers that are sometimes null."""
    for path in (ROOT / folder).rglob("*.py"):
        tree = ast.parse(path.read_text())
        called = {f.name: calls(f) for f in tree.body if isinstance(f, ast.FunctionDef) and is_compiled(f)}
        for name in called:
            reached: set[str] = set()
            fresh = called[name]
            while fresh:
                reached |= fresh
                fresh = {inner for one in fresh for inner in called.get(one, ())} - reached
            assert name not in reached, f"{path.name}: {name} calls itself; keep a stack instead"
