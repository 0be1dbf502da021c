#!/usr/bin/env bash
# BenchMARL's PettingZoo tasks give all environments of a batch the same seed: ten of them play the same ten episodes.
#
# The task makes each environment with the seed of the experiment, and nobody gives them others later. Where agents
# begin is drawn from that seed. So a batch of 100 episodes, as IPPO learns from, has ten different beginnings.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet benchmarl==1.5.2 torchrl==0.11.1 torch==2.13.0 torchvision==0.28.0 \
	"pettingzoo[mpe]==1.24.3" gymnasium==1.4.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
import tempfile
from importlib.metadata import version

import torch
from benchmarl.algorithms import IppoConfig
from benchmarl.environments import PettingZooTask
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig

ENVS, STEPS = 10, 100
config = ExperimentConfig.get_from_yaml()
config.max_n_iters, config.max_n_frames = 1, None
config.on_policy_n_envs_per_worker, config.on_policy_collected_frames_per_batch = ENVS, 10 * ENVS * STEPS
config.evaluation, config.render, config.loggers, config.create_json = False, False, [], False
config.save_folder = tempfile.mkdtemp()
task, model = PettingZooTask.SIMPLE_SPREAD.get_from_yaml(), MlpConfig.get_from_yaml()
experiment = Experiment(task, IppoConfig.get_from_yaml(), model, seed=0, config=config)
collected = next(iter(experiment.collector))
first = collected["next", "done"].new_zeros(collected.shape)  # the first step of each episode
first[:, 0] = True
first[:, 1:] = collected["next", "done"][:, :-1].squeeze(-1)
starts = collected["agent", "observation"][first].flatten(1).round(decimals=5)
different = len(torch.unique(starts, dim=0))
print(f"BenchMARL {version('benchmarl')}, its task pettingzoo/simple_spread, {ENVS} environments")
print(f"expected: {len(starts)} episodes begin in as many random positions")
print(f"seen: {len(starts)} episodes begin in {different} positions")
sys.exit(0 if different * ENVS == len(starts) else 1)
PROGRAM
cd "$folder"
"$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null
