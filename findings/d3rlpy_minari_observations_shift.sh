#!/usr/bin/env bash
# d3rlpy's get_minari: each episode's observations are those of one step earlier than in the episode before.
#
# Minari keeps one observation more than actions. d3rlpy joins all observations and cuts them by the lengths of the
# actions. So episode k begins with the last k observations of the episodes before it, and every algorithm learns from
# pairs that never were. Nothing is said.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet d3rlpy==2.8.1 minari==0.5.4 h5py==3.16.0 pillow==13.0.0 \
    gymnasium==1.0.0 numpy==2.4.6 torch==2.13.0
export MINARI_DATASETS_PATH="$folder/data"

cat > "$folder/program.py" <<'PROGRAM'
import logging
import sys

import d3rlpy
import gymnasium
import minari
import numpy as np
import structlog
from minari.data_collector.episode_buffer import EpisodeBuffer

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
EPISODES = 6
env = gymnasium.make("CartPole-v1")
env.action_space.seed(1)
buffers = []
for episode in range(EPISODES):
    observations, actions, rewards, ends = [env.reset(seed=episode)[0]], [], [], []
    while not ends or not ends[-1]:
        actions.append(env.action_space.sample())
        observation, reward, terminated, truncated, _ = env.step(actions[-1])
        observations.append(observation)
        rewards.append(reward)
        ends.append(terminated or truncated)
    assert terminated and not truncated
    lists = observations, actions, rewards, ends, [False] * len(ends)
    buffers.append(EpisodeBuffer(None, None, None, *map(np.array, lists)))
told = {"algorithm_name": "random", "author": "-", "author_email": "-", "code_permalink": "-"}
minari.create_dataset_from_buffers("cartpole/random-v0", buffers, env=env, **told)

true = list(minari.load_dataset("cartpole/random-v0").iterate_episodes())
read, _ = d3rlpy.datasets.get_minari("cartpole/random-v0")
print(f"d3rlpy {d3rlpy.__version__}, Minari {minari.__version__}: {EPISODES} random episodes of CartPole")
print("expected: in every episode the observation of step t stands beside the action of step t")
shifts = []
for number, (due, its) in enumerate(zip(true, read.episodes, strict=True)):
    assert (due.actions == its.actions[:, 0]).all()
    size = len(due.actions)
    shifts += [s for s in range(size) if np.array_equal(its.observations[s:], due.observations[: size - s])][:1]
    print(f"episode {number}: {size:2} steps; the observation of its first action stands beside action {shifts[-1]}")
sys.exit(0 if shifts == list(range(EPISODES)) else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py"
