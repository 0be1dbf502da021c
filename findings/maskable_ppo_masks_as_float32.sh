#!/usr/bin/env bash
# sb3-contrib's MaskablePPO keeps every mask as float32, whatever type the environment gives: 4 bytes an action.
#
# With thousands of actions the masks of a rollout are then larger than its observations, which keep their type. In
# Daifugo with 2,422 actions a rollout of 16,384 decisions has 159 MB of masks where int8 would take 40 MB.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sb3-contrib==2.9.2 stable-baselines3==2.9.2 gymnasium==1.4.0 torch==2.13.0

cat > "$folder/program.py" <<'PROGRAM'
import sys

import gymnasium
import numpy as np
import sb3_contrib
from sb3_contrib import MaskablePPO

ACTIONS, STEPS = 2000, 64


class Guess(gymnasium.Env):
    """One decision an episode, with small whole numbers to see and masks of one byte an action."""

    observation_space = gymnasium.spaces.Box(0, 9, (500,), np.int8)
    action_space = gymnasium.spaces.Discrete(ACTIONS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(500, np.int8), {}

    def step(self, action):
        return np.zeros(500, np.int8), 0.0, True, False, {}

    def action_masks(self):
        return np.ones(ACTIONS, np.int8)


model = MaskablePPO("MlpPolicy", Guess(), n_steps=STEPS, batch_size=STEPS, n_epochs=1, device="cpu")
model.learn(STEPS)
buffer = model.rollout_buffer
print(f"sb3-contrib {sb3_contrib.__version__}: int8 observations of 500 numbers, int8 masks of {ACTIONS} actions")
print("expected: the buffer keeps both as they are given, one byte a number")
found = {name: getattr(buffer, name) for name in ("observations", "action_masks")}
for name, array in found.items():
    print(f"{name:13} {str(array.dtype):8} {array.nbytes / STEPS:7,.0f} bytes a decision")
sys.exit(0 if [str(array.dtype) for array in found.values()] == ["int8", "float32"] else 1)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
