#!/usr/bin/env bash
# sb3-contrib's MaskablePPO: a last minibatch of one decision makes every weight NaN, and nothing is said.
#
# PPO of Stable-Baselines3 warns of such sizes and leaves the advantage of a single decision as it is
# (issues 325 and 440 of DLR-RM/stable-baselines3). MaskablePPO has neither the warning nor the guard.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sb3-contrib==2.9.2 stable-baselines3==2.9.2 gymnasium==1.4.0 torch==2.13.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
import warnings

import gymnasium
import numpy as np
import sb3_contrib
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

STEPS, BATCH = 65, 64


class Guess(gymnasium.Env):
    """One decision an episode: action 1 is worth 1."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action):
        return np.zeros(2, np.float32), float(action == 1), True, False, {}

    def action_masks(self):
        return np.ones(3, bool)


def learned(kind):
    """Return the share of weights that are NaN after one rollout, and the warnings that named the sizes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = kind("MlpPolicy", Guess(), n_steps=STEPS, batch_size=BATCH, n_epochs=1, seed=1, device="cpu")
        model.learn(STEPS)
    weights = torch.cat([one.detach().flatten() for one in model.policy.parameters()])
    return float(weights.isnan().float().mean()), sum("mini-batch" in str(one.message) for one in caught)


print(f"sb3-contrib {sb3_contrib.__version__}: n_steps={STEPS}, batch_size={BATCH}, one environment")
print("expected: as PPO of Stable-Baselines3 does, a warning, and weights that are numbers")
found = {kind.__name__: learned(kind) for kind in (PPO, MaskablePPO)}
for name, (share, warned) in found.items():
    print(f"{name:12} {share:6.1%} of all weights are NaN after one rollout; warnings: {warned}")
sys.exit(0 if found == {"PPO": (0.0, 1), "MaskablePPO": (1.0, 0)} else 1)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
