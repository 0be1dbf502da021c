"""Settings of runs that take a second, and a run whose weights are drawn so that all of the network matters."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from kozyr import envs
from kozyr.training.run.train import Run
from kozyr.training.settings import run_settings

ROLLOUT = 8 * 16
TINY = """
[default]
timesteps = 512
num_tables = 8
n_steps = 16
batch_size = 64
n_epochs = 1
learning_rate = 1e-3
anneal = true
entropy = 0.01
clip = 0.2
gae_lambda = 0.95
gamma = 1
max_grad_norm = 0.5
value_weight = 0.5
threads = 1
seed = 3
snapshot_every = 1
pool_size = 2
[default.variant]
m = 3
n = 3
k = 3
[default.net]
trunk = [16]
heads = [8]
activation = "relu"
[default.opponents]
self = 1
snapshots = 1
easy = 1
[default.evaluation]
against = ["random"]
deals = 4
final_deals = 8
every = 256
seed = 1
[wide.variant]
m = 4
"""
DAIFUGO = TINY.replace("m = 3\nn = 3\nk = 3", "players = 3").replace("easy = 1", "low = 1").partition("[wide")[0]


def edited(path, old, new):
    assert old in TINY
    path.write_text(TINY.replace(old, new))
    return path


def positions(n: int, plies: int, game: str = "daifugo", /, **options: Any) -> Any:
    """Return tables of a game, Daifugo's with three seats if nothing is said, after so many random plies."""
    tables = envs.make_tables(game, n, seed=4, **(options or ({"players": 3} if game == "daifugo" else {})))
    rng = np.random.default_rng(1)
    for _ in range(plies):
        tables.step(np.where(tables.masks, rng.random(tables.masks.shape), -1.0).argmax(1))
    return tables


def drawn(folder: Path, name: str, text: str) -> Run:
    """Return a run of a game with weights that were drawn, not learned, and its policy exported to the folder."""
    path, game = folder / "drawn.toml", envs.game(name)
    path.write_text(text)
    given = run_settings.load(game, "default", path)
    run = Run(game, game.make_variant(**given["variant"]), given, folder)
    with torch.no_grad():
        for weights in run.model.policy.parameters():
            weights.normal_()
    run.finish()
    return run
