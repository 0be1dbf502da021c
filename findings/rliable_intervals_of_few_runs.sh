#!/usr/bin/env bash
# rliable's intervals of 95 % hold the true value in about three of four cases if there are three runs of one task.
#
# Most would expect 95 % of `get_interval_estimates`, which resamples the runs of each task (stratified bootstrap,
# percentiles). Few runs have little to resample: with normal scores whose true interquartile mean is known, some 72 %
# of the intervals hold it with three runs of one task, and some 90 % with five. Three and five runs are what many
# papers have. Further: of three scores rliable's interquartile mean leaves out none, so it is the plain mean.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rliable==1.2.0 arch==7.2.0 pandas==2.3.3 numpy==2.4.6 scipy==1.17.1

cat > "$folder/program.py" <<'PROGRAM'
from importlib.metadata import version

import numpy as np
from rliable import library, metrics

CASES = 300


def iqm(scores):
    return np.array([metrics.aggregate_iqm(scores)])


def held(runs, tasks, rng):
    """Return the share of intervals that hold the true interquartile mean of standard normal scores, which is 0."""
    hits = 0
    for _ in range(CASES):
        scores = {"agent": rng.normal(size=(runs, tasks))}
        _, intervals = library.get_interval_estimates(scores, iqm, reps=200)
        (low,), (high,) = intervals["agent"]
        hits += low <= 0 <= high
    return hits / CASES


rng = np.random.default_rng(1)
assert metrics.aggregate_iqm(np.array([[0.0], [1.0], [5.0]])) == 2.0
found = {(runs, tasks): held(runs, tasks, rng) for runs, tasks in ((3, 1), (5, 1), (3, 5), (10, 5))}
print(f"rliable {version('rliable')}, {CASES} intervals of 95 % each")
for (runs, tasks), share in found.items():
    print(f"{runs:2} runs, {tasks} tasks: {100 * share:.0f} % hold the true value")
assert found[3, 1] < 0.85 and found[5, 1] < 0.94 and found[3, 5] < 0.93, "the intervals hold"
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
