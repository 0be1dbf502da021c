#!/usr/bin/env bash
# NFSP of OpenSpiel (PyTorch) does not hand its seed to the Q-network: that begins with the same weights for every seed.
#
# Most would expect `seed` to decide all that is random in an agent, so that runs of several seeds are independent, or at
# least that a player's Q-network differs from its opponent's. The seed goes to the average policy alone. DQN, which is
# made inside, has an argument of that name too and keeps its default; the arguments left over cannot name it again.
# Making an agent also sets the global generators of NumPy and PyTorch: after it both draw the same for equal seeds.
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
import torch
from open_spiel.python.pytorch import dqn, nfsp

SIZES = dict(state_representation_size=11, num_actions=2, hidden_layers_sizes=[16])


def made(seed):
    """Return an agent of a seed, and a number that NumPy draws after that."""
    agent = nfsp.NFSP(0, **SIZES, reservoir_buffer_capacity=100, anticipatory_param=0.1, seed=seed)
    return agent, np.random.random()


def equal(one, other):
    """Return True if two networks have the same weights."""
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters()))


(one, drawn), (other, _), (_, again) = made(1), made(2), made(1)
values = equal(one._rl_agent._q_network, other._rl_agent._q_network)
averages = equal(one._avg_network, other._avg_network)
alone = equal(dqn.DQN(0, **SIZES, seed=1)._q_network, dqn.DQN(0, **SIZES, seed=2)._q_network)
print(f"open-spiel {version('open-spiel')}: NFSP (PyTorch) with seeds 1 and 2")
print("expected: networks of two seeds differ, and making an agent leaves NumPy's global generator alone")
print(f"average policies are equal: {averages}; Q-networks are equal: {values}; of DQN by itself: {alone}")
print(f"NumPy draws the same after each agent of seed 1: {drawn == again}")
sys.exit(0 if (averages, values, alone, drawn == again) == (False, True, False, True) else 1)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
