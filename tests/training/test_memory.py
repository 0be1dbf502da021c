"""Memory that is kept: what is freed and asked for again is not fetched from the system again."""

import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import numpy as np
from kozyr.training.run.train import keep_memory

if sys.argv[1] == "kept" and not keep_memory():
    sys.exit("not glibc")
for turn in range(41):
    arrays = [np.ones(700_000, np.float32) for _ in range(8)]
    del arrays
    if turn == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    run = subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True, check=False)
    if "not glibc" in run.stderr:
        pytest.skip("this C library cannot be told")
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told")
def test_what_was_freed_is_there_at_once():
    assert faults("kept") < faults("as it is") / 20
