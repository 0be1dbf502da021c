#!/usr/bin/env bash
# OpenSpiel's Deep CFR in PyTorch, with its default batch sizes, trains on memory that was never written.
#
# batch_size_advantage=None and batch_size_strategy=None, the defaults, mean all samples (its docstring). What is taken
# is the whole buffer, np.empty of memory_capacity rows, of which a few are samples. Kuhn poker's policy is NaN or
# depends on the capacity; with a batch size it is the same for any capacity that holds all samples.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet open-spiel==2.0.2 torch==2.13.0 dm-tree==0.1.10

cat > "$folder/program.py" <<'PROGRAM'
import sys
from importlib.metadata import version

import numpy as np
import pyspiel
from open_spiel.python.pytorch import deep_cfr

GAME = pyspiel.load_game("kuhn_poker")
SMALL, LARGE = 1_000, 100_000  # rows of memory; fewer than 1,000 samples are drawn


def solved(capacity, batch):
    """Return the chances of the first decision, and how many samples there were."""
    solver = deep_cfr.DeepCFRSolver(
        GAME,
        policy_network_layers=(32,),
        advantage_network_layers=(32,),
        num_iterations=5,
        num_traversals=20,
        learning_rate=1e-3,
        batch_size_advantage=batch,
        batch_size_strategy=batch,
        memory_capacity=capacity,
        seed=1,
    )
    solver.solve()
    state = GAME.new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    return np.array(list(solver.action_probabilities(state).values())), len(solver.strategy_buffer)


print(f"open-spiel {version('open-spiel')}: Deep CFR (PyTorch) on kuhn_poker, {SMALL:,} and {LARGE:,} rows of memory")
print("expected: memory that holds all samples gives the same policy, whatever its size")
same = {}
for batch in (16, None):
    (small, samples), (large, _) = solved(SMALL, batch), solved(LARGE, batch)
    assert samples < SMALL
    same[batch] = bool(np.allclose(small, large))
    print(f"batch sizes {batch}: {samples} samples, policies {small} and {large}, the same: {same[batch]}")
sys.exit(0 if same == {16: True, None: False} else 1)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
