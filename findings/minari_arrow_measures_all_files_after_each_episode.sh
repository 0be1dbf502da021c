#!/usr/bin/env bash
# Minari's Arrow and Parquet storages measure the size of the whole dataset after each episode: time grows quadratically.
#
# `update_episodes` calls `update_episode_metadata` for every episode, which stores `get_size()`, and that looks at every
# file of the dataset: three for each episode before. The HDF5 storage does it once a call.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet minari==0.5.4 gymnasium==1.4.0 h5py==3.16.0 pyarrow==26.0.1 pillow==13.0.0

cat > "$folder/program.py" <<'PROGRAM'
import pathlib
import sys
import tempfile

import gymnasium
import minari
import numpy as np
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage

STEPS, EPISODES = 10, 100
looks = 0
stat = pathlib.Path.stat


def counted(path, **options):
    global looks
    looks += 1
    return stat(path, **options)


pathlib.Path.stat = counted
spaces = gymnasium.spaces.Box(0, 9, (5,), np.int8), gymnasium.spaces.Discrete(3)
end = np.arange(STEPS) == STEPS - 1
episodes = [
    EpisodeBuffer(
        observations=np.zeros((STEPS + 1, 5), np.int8),
        actions=np.zeros(STEPS, np.int64),
        rewards=np.zeros(STEPS),
        terminations=end,
        truncations=np.zeros(STEPS, bool),
    )
    for _ in range(EPISODES)
]
print(f"Minari {minari.__version__}: {EPISODES} episodes at a time, twice, into one dataset")
print("expected: as many files are looked at for the second hundred as for the first, a few for each episode")
found = {}
for name in ("hdf5", "arrow", "parquet"):
    with tempfile.TemporaryDirectory() as folder:
        storage, counts = MinariStorage.new(f"{folder}/data", *spaces, data_format=name), []
        for _ in range(2):
            looks = 0
            storage.update_episodes(episodes)
            counts.append(looks / EPISODES)
    found[name] = counts
    print(f"{name:8} {counts[0]:7.1f}, then {counts[1]:7.1f} files looked at for each episode")
grows = {name: first > EPISODES / 2 and second > 2 * first for name, (first, second) in found.items()}
sys.exit(0 if grows == {"hdf5": False, "arrow": True, "parquet": True} else 1)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
