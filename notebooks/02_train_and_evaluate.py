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
# # 02 · Train and evaluate
#
# From nothing to a Durak player that beats a scripted one, and how sure we can be of that. `kozyr train durak --preset
# demo` does the same from a shell with four times as many decisions, and then holds its own against `low` too.

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

# %%
import tempfile
from importlib import resources
from pathlib import Path

from kozyr import agents
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train

usual = (resources.files("kozyr.training.configs") / "durak.toml").read_text(encoding="utf-8")
settings = Path(tempfile.mkdtemp()) / "mine.toml"
mine = """
[mine]                  # every key that is not here is as in [default]
timesteps = 600_000
learning_rate = 2e-3

[mine.net]
trunk = [128]
heads = [128]

[mine.opponents]        # how often each sits in the other seat
self = 0.0
snapshots = 0.0
passive = 0.4
low = 0.6

[mine.evaluation]
every = 100_000
deals = 300
final_deals = 1500
"""
settings.write_text(usual + mine, encoding="utf-8")
folder = settings.parent / "durak"
record = train(RunPlan("durak", preset="mine", out=folder, settings=settings))

# %% [markdown]
# ## The run's folder
#
# The policy is an ONNX file, which plays without torch; `run.json` says all that the run depended on.

# %%
print(sorted(path.name for path in folder.iterdir()))
{key: record[key] for key in ("game", "timesteps", "seconds", "decisions_per_second", "environment_share")}

# %% [markdown]
# The learning curve: the score against each opponent that is evaluated, with its interval, above the mean reward in
# training.

# %%
from IPython.display import Image

Image(folder / "learning_curve.png", width=600)

# %% [markdown]
# ## Evaluate
#
# Every deal is played twice with the seats changed, so that the luck of the deal cancels, and the interval is one over
# deals. These deals were not used in training.

# %%
from kozyr.agents.arena import match

policy = str(folder / "policy.onnx")
for opponent in ("random", "passive", "low", "heuristic"):
    one = match("durak", [policy, opponent], deals=500, seed=1_000_000, deck=36).agents[0]
    low, high = one.score_interval
    print(f"against {opponent:10} {100 * one.score:5.1f} %   95 % interval {100 * low:5.1f} … {100 * high:5.1f} %")

# %% [markdown]
# More deals make the interval narrower, with the square root of their number.

# %%
import matplotlib.pyplot as plt
import numpy as np

sizes = [50, 100, 200, 400, 800, 1600]
found = [match("durak", [policy, "low"], deals=n, seed=2_000_000, deck=36).agents[0] for n in sizes]
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
ends = np.transpose([one.estimate.times(100).sides for one in found])
axes.errorbar(sizes, [100 * one.score for one in found], yerr=ends, fmt="o", capsize=4)
axes.axhline(50, color="gray", linewidth=0.8, linestyle="--")
axes.set(xscale="log", xlabel="duplicate deals", ylabel="score against low, %", title="95 % intervals")
axes.set_xticks(sizes, [str(n) for n in sizes])
axes.minorticks_off()
plt.show()

# %% [markdown]
# ## Let it play
#
# A policy is an agent like any other: it gets a view and a mask.

# %%
from kozyr import envs

trained = agents.load(policy)
env = envs.make("durak", deck=36)
env.reset(seed=11)
for _ in range(20):
    observation, _, termination, *_ = env.last()
    if termination:
        break
    env.step(trained.act(observation["observation"], observation["action_mask"]))
env

# %% [markdown]
# A whole game against `heuristic`, to look through: move the slider, or use the arrow keys.

# %%
from kozyr.agents.player import play_game

game = envs.game("durak")
players = [trained, agents.load("durak:heuristic", deck=36)]
envs.show(play_game(game, game.make_variant(deck=36), seed=12, starter=0, agents=players))
