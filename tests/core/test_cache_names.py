"""Code that two processes have compiled serves a third that loads both."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kozyr.envs.compile import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

LONG = "\n".join(
    f"    s.sums[{i % 8}] = s.sums[{i % 8}] * {i} + a * {i + 1}" for i in range(1, 80)
)  # too long to be inlined
MODULE = f"""
import sys
import numpy as np
from kozyr.envs.compile import jit

LAYOUTS = {{
    side: np.dtype([("other", np.int64, (side,)), ("sums", np.int64, (8,))], align=True)
    for side in (1, 5)
}}

@jit
def add(s, a):
{LONG}

@jit
def add_twice(states, a):
    add(states[0], a)
    add(states[0], a + 1)

def found(side):
    states = np.zeros(1, np.dtype((np.record, LAYOUTS[side])))
    add_twice(states, 2)
    return states["sums"][0].tolist()

for side in map(int, sys.argv[1:]):
    print(found(side))
"""


def test_records_of_two_sizes_compiled_in_two_processes_go_together(tmp_path: Path) -> None:
    """Numba numbers functions and records anew in each process, so that both name their code alike."""
    (tmp_path / "sized.py").write_text(MODULE)
    (tmp_path / "run.py").write_text("import sized\n")
    given = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}

    def said(*sides: str) -> list[str]:
        command = [sys.executable, str(tmp_path / "run.py"), *sides]
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    one, other = said("1"), said("5")
    assert one == other
    assert "0" not in one[0].strip("[]").split(", ")
    assert said("1", "5") == [*one, *other]
    assert said("5", "1") == [*one, *other]
