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
# # 04 · Plug in
#
# The same game for three libraries: a plain loop over Gymnasium's vector interface, Stable-Baselines3, and TorchRL with
# all seats learning at once. The game is tic-tac-toe, so that each takes seconds; any other game is one name away.
#
# RLlib trains on a cluster; its page in the documentation tells how.

# %% [markdown]
# [![Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# This notebook needs kozyr with the extras `train` and `torchrl`. The next cell installs it where it is missing:
# from the checkout if you are in one, else from the wheel that `WHEEL` names, else from PyPI, where kozyr is not yet.
# On Colab, upload this file and a wheel that `make wheel` has written.

# %%
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

EXTRAS = "[train,torchrl]"
WHEEL = ""  # its address: "https://…/kozyr-0.2.0-py3-none-any.whl", or "file:///content/…" after an upload

if any(find_spec(name) is None for name in ("kozyr", "sb3_contrib", "torchrl")):
    here = Path("../setup.py").exists()
    place = f"..{EXTRAS}" if here else f"kozyr{EXTRAS} @ {WHEEL}" if WHEEL else f"kozyr{EXTRAS}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", place], check=True)

# %%
from time import process_time

import matplotlib.pyplot as plt
import numpy as np
import torch

from kozyr import agents, envs
from kozyr.agents.arena import match

torch.set_num_threads(1)
torch.manual_seed(0)
NAME, OPTIONS = "mnk", {"m": 3, "n": 3, "k": 3}
scores = {}


def measure(label, agent):
    """Play an agent against random play and note its score; an illegal move would be counted as an error."""
    one = match(NAME, [agent, "random"], deals=300, seed=9, **OPTIONS).agents[0]
    assert one.errors == 0, one.first_error
    scores[label] = one
    print(f"{label}: {one.estimate.percent()} against random play, no illegal move")


class Learned:
    """A function from views and masks to actions as an agent of the arena."""

    def __init__(self, decide):
        self.decide = decide

    def reset(self, seat, seed):
        """Keep everything: what has been learned plays without luck."""

    def act(self, view, mask):
        return int(self.act_batch(view[None], mask[None])[0])

    def act_batch(self, views, masks):
        return np.asarray(self.decide(views, masks), np.int64)


measure("easy, scripted", agents.load("mnk:easy", **OPTIONS))

# %% [markdown]
# ## Gymnasium: a vector and a plain policy gradient
#
# One learner a table, the other seat played inside. The masks come with the observations and cut the softmax off;
# REINFORCE over whole episodes is enough here.

# %%
vec = envs.make_vec(NAME, num_envs=256, opponents="random", seed=1, **OPTIONS)
size, actions = vec.single_observation_space["observation"].shape[0], int(vec.single_action_space.n)
network = torch.nn.Sequential(torch.nn.Linear(size, 128), torch.nn.ReLU(), torch.nn.Linear(128, actions))
optimizer = torch.optim.Adam(network.parameters(), 3e-3)


def masked(network, views, masks):
    """Return the distribution over legal actions."""
    logits = network(torch.as_tensor(views, dtype=torch.float32))
    return torch.distributions.Categorical(logits=logits.masked_fill(torch.as_tensor(masks) == 0, -1e9))


began, observations, curve = process_time(), vec.reset(seed=1)[0], []
for _ in range(120):
    steps = []
    for _ in range(10):  # long enough for every table to finish a game
        with torch.no_grad():
            chosen = masked(network, observations["observation"], observations["action_mask"]).sample().numpy()
        after, rewards, terminations, truncations, _ = vec.step(chosen)
        steps.append((observations, chosen, rewards, terminations | truncations))
        observations = after
    gains, known = np.zeros(256), np.zeros(256, bool)
    loss, decisions = torch.zeros(()), 0
    for seen, chosen, rewards, over in reversed(steps):  # a game's outcome belongs to all of its decisions
        gains, known = np.where(over, rewards, gains), known | over
        logs = masked(network, seen["observation"], seen["action_mask"]).log_prob(torch.as_tensor(chosen))
        loss = loss - (logs * torch.as_tensor(gains * known, dtype=torch.float32)).sum()
        decisions += int(known.sum())
    optimizer.zero_grad()
    (loss / decisions).backward()
    optimizer.step()
    ended = np.concatenate([rewards[over] for _, _, rewards, over in steps])
    curve.append(ended.mean())
print(f"{120 * 10 * 256:,} decisions in {process_time() - began:.0f} s of processor time")


@torch.no_grad()
def greedy(views, masks):
    return masked(network, views, masks).probs.argmax(1)


measure("Gymnasium, REINFORCE", Learned(greedy))

# %% [markdown]
# ## Stable-Baselines3
#
# `TablesVecEnv` is a `VecEnv` without an environment object per table; sb3-contrib's MaskablePPO asks it for the masks.

# %%
from sb3_contrib import MaskablePPO

from kozyr.training.learners.vec_env import TablesVecEnv

tables = TablesVecEnv(envs.game(NAME), 128, agents.load("mnk:random", **OPTIONS), seed=2, **OPTIONS)
model = MaskablePPO("MlpPolicy", tables, n_steps=32, batch_size=512, n_epochs=4, learning_rate=1e-3, gamma=1.0, seed=1)
began = process_time()
model.learn(60_000)
print(f"{model.num_timesteps:,} decisions in {process_time() - began:.0f} s of processor time")
measure(
    "Stable-Baselines3, MaskablePPO",
    Learned(lambda views, masks: model.predict(views, action_masks=masks, deterministic=True)[0]),
)

# %% [markdown]
# ## TorchRL: every seat learns
#
# `PettingZooWrapper(use_mask=True)` takes the PettingZoo environment as it is. Both seats share one network and play
# each other; `("agents", "mask")` tells whose turn it was, and only those entries are learned from.

# %%
import warnings

warnings.filterwarnings("ignore")  # TorchRL's own

from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

wrapped = PettingZooWrapper(envs.make(NAME, **OPTIONS), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
wrapped.set_seed(3)
told = wrapped.rollout(40, break_when_any_done=False)
played = told["agents", "mask"]
print("seats that moved in each step:", told["agents", "mask"].sum(1).flatten().unique().tolist())
legal = told["agents", "action_mask"][played].gather(1, told["agents", "action"][played][:, None])
print("all moves legal:", bool(legal.all()))


# %%
class Floats(nn.Module):
    """Views are small whole numbers; networks want floats."""

    def forward(self, views):
        return views.float()


def layers(outputs):
    return nn.Sequential(Floats(), nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, outputs))


view = ("agents", "observation", "observation")
keys = {key: ("agents", key) for key in ("action", "advantage", "value_target", "reward", "done", "terminated")}
keys |= {"sample_log_prob": ("agents", "log_prob"), "value": ("agents", "value")}
body = layers(actions)
actor = ProbabilisticActor(
    TensorDictModule(body, [view], [("agents", "logits")]),
    in_keys={"logits": ("agents", "logits"), "mask": ("agents", "action_mask")},
    out_keys=[keys["action"]],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    log_prob_key=keys["sample_log_prob"],
)
loss = ClipPPOLoss(actor, TensorDictModule(layers(1), [view], [keys["value"]]), entropy_coeff=0.01)
loss.set_keys(**keys)
loss.make_value_estimator(gamma=1.0, lmbda=0.95)
optimizer = torch.optim.Adam(loss.parameters(), 2e-3)

began, frames = process_time(), 0
for told in Collector(wrapped, actor, frames_per_batch=512, total_frames=6_144):
    frames += told.numel()
    with torch.no_grad():
        loss.value_estimator(told)
    acting = told["agents"][told["agents", "mask"]]
    decisions = TensorDict({"agents": acting}, [len(acting)])
    for _ in range(6):
        losses = loss(decisions)
        optimizer.zero_grad()
        (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
        optimizer.step()
print(f"{frames:,} decisions in {process_time() - began:.0f} s of processor time")


@torch.no_grad()
def likeliest(views, masks):
    return MaskedCategorical(logits=body(torch.as_tensor(views)), mask=torch.as_tensor(masks).bool()).mode


measure("TorchRL, ClipPPO in self-play", Learned(likeliest))

# %% [markdown]
# ## Side by side
#
# All of them were measured in one arena, with intervals over duplicate deals. The budgets differ, so this is no
# comparison of libraries.

# %%
figure, axes = plt.subplots(figsize=(7.5, 2.8), layout="constrained")
names = list(scores)
values = [scores[name].estimate.times(100) for name in names]
ends = np.transpose([one.sides for one in values])
axes.errorbar([one.value for one in values], range(len(names)), xerr=ends, fmt="o", capsize=4)
axes.axvline(50, color="gray", linewidth=0.8, linestyle="--")
axes.set_yticks(range(len(names)), names)
axes.set(xlabel="score against random play, % (bars: 95 %)", xlim=(45, 101), ylim=(len(names) - 0.5, -0.5))
axes.grid(axis="x", alpha=0.3)
plt.show()

# %% [markdown]
# ## Look at a game
#
# What TorchRL's network has learned, as X against `easy`. Move the slider, or use the arrow keys.

# %%
from kozyr.agents.player import play_game

game = envs.game(NAME)
players = [Learned(likeliest), agents.load("mnk:easy", **OPTIONS)]
envs.show(play_game(game, game.make_variant(**OPTIONS), seed=2, starter=0, agents=players), high=640)
