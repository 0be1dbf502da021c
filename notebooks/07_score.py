# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 07 · Score an agent
#
# Train a Durak player with Stable-Baselines3, and say how strong it is on a scale that others use: points in a task of
# the suite, 0 for random play and 100 for a strong search.

# %% [markdown]
# [![Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# This notebook needs kozyr with the extra `train`. The next cell installs it where it is missing:
# from the checkout if you are in one, else from the wheel that `WHEEL` names, else from PyPI, where kozyr is not yet.
# On Colab, upload this file and a wheel that `make wheel` has written.

# %%
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

EXTRAS = "[train]"
WHEEL = ""  # its address: "https://…/kozyr-0.2.0-py3-none-any.whl", or "file:///content/…" after an upload

if any(find_spec(name) is None for name in ("kozyr", "sb3_contrib")):
    here = Path("../setup.py").exists()
    place = f"..{EXTRAS}" if here else f"kozyr{EXTRAS} @ {WHEEL}" if WHEEL else f"kozyr{EXTRAS}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", place], check=True)

# %% [markdown]
# ## Train
#
# The task `durak_36` is two seats and 36 cards. Its opponents are public: to learn against them would be to learn the
# test, so this player meets only the two weakest scripted ones.

# %%
from time import perf_counter

import torch
from sb3_contrib import MaskablePPO

from kozyr import agents, envs
from kozyr.training.learners.vec_env import TablesVecEnv

torch.set_num_threads(1)
OPTIONS = {"deck": 36}
opponents = {agents.load(f"durak:{name}", **OPTIONS): 0.5 for name in ("random", "passive")}
tables = TablesVecEnv(envs.game("durak"), 128, opponents, seed=1, **OPTIONS)
kwargs = {"n_steps": 64, "batch_size": 1024, "n_epochs": 2, "learning_rate": 1e-3, "gamma": 1.0}
model = MaskablePPO("MlpPolicy", tables, **kwargs, seed=1, device="cpu")
began = perf_counter()
model.learn(400_000)
print(f"{model.num_timesteps:,} decisions in {perf_counter() - began:.0f} s")

# %% [markdown]
# ## Score
#
# Anything that answers views and masks is an agent. A function is asked about many positions at once.

# %%
from kozyr.agents.arena import score
from kozyr.agents.arena.scores import card, suite

before = score("random", tasks=["durak_36"])


class Learned:
    """The network as a player."""

    def reset(self, seat, seed):
        """Keep everything: what has been learned plays without luck."""

    def act(self, view, mask):
        return int(self.act_batch(view[None], mask[None])[0])

    def act_batch(self, views, masks):
        return model.predict(views, action_masks=masks.astype(bool), deterministic=True)[0]


after = score(Learned(), tasks=["durak_36"], name="MaskablePPO, 400,000 decisions")
for report in (before, after):
    [task] = report.tasks
    print(f"{report.name}: {task.points.estimate.text()} points")
    for match in task.matches:
        print(f"    against {match.scores[1].agent:10} {match.scores[0].estimate.percent()}")

# %% [markdown]
# ## The card
#
# `kozyr score policy.onnx --out report.json --card card.html` does all of this for a policy in a file. The report can
# be played again by anybody who has the same policy.

# %%
from IPython.display import HTML

HTML(card.page(after, suite.load()))
