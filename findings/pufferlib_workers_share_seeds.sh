#!/usr/bin/env bash
# PufferLib's worker processes give most of their environments the seeds of environments in other workers.
#
# Worker w is reset with the seed s + w, and its environment i with that seed + i. So the environments of w workers with
# n environments each have w + n − 1 different seeds, not w · n: with two workers and 16 environments there are 9. Those
# with the same seed begin alike, and deal alike in every later episode that draws as many random numbers.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
# Without what it asks for, of which its vectors need only these; torch 2.9.0 with CUDA would be 7 GB.
"$folder/venv/bin/pip" install --quiet --no-deps pufferlib-core==3.0.23
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 gymnasium==1.4.0 psutil==7.2.2 torch==2.13.0 2> /dev/null

cat > "$folder/program.py" <<'PROGRAM'
import sys

import gymnasium
import numpy as np
import pufferlib.vector
from pufferlib.emulation import GymnasiumPufferEnv


class Dice(gymnasium.Env):
    """Shows a random number at each step."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._roll(), {}

    def step(self, action):
        return self._roll(), 0.0, False, False, {}

    def _roll(self):
        return self.np_random.random(1).astype(np.float32)


def make(buf=None, seed=0):
    return GymnasiumPufferEnv(env_creator=Dice, buf=buf, seed=seed)


if __name__ == "__main__":
    print("PufferLib (pufferlib-core) 3.0.23: 16 environments that show random numbers, reset(seed=5), 3 steps")
    print("expected: 16 different numbers each time, in one process and in two")
    counts = {}
    for how in ({"backend": "Serial"}, {"backend": "Multiprocessing", "num_workers": 2}):
        vector = pufferlib.vector.make(make, num_envs=16, **how)
        shown = [vector.reset(seed=5)[0].copy()]
        shown += [vector.step(np.zeros(16, np.int32))[0].copy() for _ in range(3)]
        counts[how["backend"]] = [len(np.unique(numbers)) for numbers in shown]
        vector.close()
    for backend, different in counts.items():
        print(f"{backend:16} different numbers: {different}")
    sys.exit(0 if counts == {"Serial": [16] * 4, "Multiprocessing": [9] * 4} else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py"
