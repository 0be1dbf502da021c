#!/usr/bin/env bash
# RL Baselines3 Zoo: env_kwargs of the hyperparameter file reach training only; evaluation gets the default environment.
#
# So best_model.zip, the curve of evaluations.npz and the scores of an optimisation come from another environment than
# the one that is trained on, and nothing is said. The same options on the command line reach both.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rl_zoo3==2.9.2 stable-baselines3==2.9.2 sb3-contrib==2.9.2 gymnasium==1.4.0 \
    torch==2.13.0
cd "$folder"

# With this option of CartPole every episode's return is -1; without it, its length.
cat > file.yml <<'SETTINGS'
CartPole-v1: {n_timesteps: 64, policy: MlpPolicy, n_steps: 32, batch_size: 32, env_kwargs: {sutton_barto_reward: true}}
SETTINGS
cat > none.yml <<'SETTINGS'
CartPole-v1: {n_timesteps: 64, policy: MlpPolicy, n_steps: 32, batch_size: 32}
SETTINGS
train() {
    venv/bin/python -m rl_zoo3.train --algo ppo --env CartPole-v1 --eval-freq 64 --seed 1 --device cpu "$@" > "$2".txt
}
train -f file --conf-file file.yml
train -f line --conf-file none.yml --env-kwargs sutton_barto_reward:True

cat > program.py <<'PROGRAM'
import csv
import importlib.metadata
import sys

import numpy as np

print("rl_zoo3", importlib.metadata.version("rl_zoo3"), "with sutton_barto_reward: every episode of CartPole returns -1")
print("expected: training and evaluation are of that environment, wherever the option is written")
found = {}
for where in ("file", "line"):
    logs = f"{where}/ppo/CartPole-v1_1"
    with open(f"{logs}/0.monitor.csv") as lines:
        next(lines)
        trained = {float(row["r"]) for row in csv.DictReader(lines)}
    evaluated = set(np.load(f"{logs}/evaluations.npz")["results"].ravel().tolist())
    found[where] = trained == {-1.0}, evaluated == {-1.0}
    place = {"file": "hyperparameter file", "line": "command line"}[where]
    print(f"option in the {place:19} returns in training {sorted(trained)}, in evaluation {sorted(evaluated)}")
sys.exit(0 if found == {"file": (True, False), "line": (True, True)} else 1)
PROGRAM
venv/bin/python program.py
