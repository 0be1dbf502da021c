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
# # 03 · Leagues and ladders
#
# Who is best, by how much, and how sure is that? A **ladder** plays every scripted player against the one below it; a
# **league** plays all against all and rates them.

# %% [markdown]
# [![Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# This notebook needs kozyr with the extra `league`. The next cell installs it where it is missing:
# from the checkout if you are in one, else from the wheel that `WHEEL` names, else from PyPI, where kozyr is not yet.
# On Colab, upload this file and a wheel that `make wheel` has written.

# %%
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

EXTRAS = "[league]"
WHEEL = ""  # its address: "https://…/kozyr-0.2.0-py3-none-any.whl", or "file:///content/…" after an upload

if any(find_spec(name) is None for name in ("kozyr", "matplotlib", "openskill")):
    here = Path("../setup.py").exists()
    place = f"..{EXTRAS}" if here else f"kozyr{EXTRAS} @ {WHEEL}" if WHEEL else f"kozyr{EXTRAS}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", place], check=True)

# %%
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from kozyr import agents
from kozyr.agents.arena import match
from kozyr.agents.arena.tournaments import ladder, rating
from kozyr.agents.arena.tournaments.league import League

GAME, OPTIONS = "durak", {"deck": 36}
agents.names(GAME), agents.searchers(GAME)

# %% [markdown]
# ## The ladder
#
# `kozyr ladder durak` climbs all rungs and draws them. Here are the scripted ones, each against the one below.

# %%
names = agents.names(GAME)
rungs = [match(GAME, [high, low], deals=400, seed=1, **OPTIONS).agents[0] for low, high in pairwise(names)]
for low, one in zip(names[:-1], rungs, strict=True):
    print(f"{one.name:10} against {low:10} {one.estimate.percent()}")

# %%
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
axes.errorbar(
    [100 * one.score for one in rungs],
    range(len(rungs)),
    xerr=np.transpose([one.estimate.times(100).sides for one in rungs]),
    fmt="o",
    capsize=4,
)
axes.axvline(50, color="gray", linewidth=0.8, linestyle="--")
axes.set_yticks(range(len(rungs)), [f"{high} v {low}" for low, high in pairwise(names)])
axes.set(
    xlabel="score, % (bars: 95 %)",
    xlim=(40, 100),
    ylim=(-0.5, len(rungs) - 0.5),
    title="Every rung is above the one below",
)
plt.show()

# %% [markdown]
# A ladder with the search players, as `ladder.climb` does it, takes longer; on a board of 6 × 6 it is quick.
# Four in a row are easy to stop there, so the rungs are close, and their intervals say so.

# %%
for rung in ladder.climb("mnk", deals=100, search_deals=40, seed=1, m=6, n=6, k=4):
    one = rung.above_it.agents[0]
    print(f"{rung.name:8} against {rung.below:8} {one.estimate.percent()}")

# %% [markdown]
# ## A league
#
# All pairings play the same deals. With a file (`path=…`) the results are kept, and the same lines go on where they
# were stopped.

# %%
league = League(GAME, names, deals=400, seed=2, variant=OPTIONS)
league.play(league.pairs())
ratings = rating.ratings(league)
for one in ratings:
    print(f"{one.name:10} {100 * one.score:5.1f} %   Elo {one.elo_text}")

# %% [markdown]
# The cross-table assumes nothing; the ratings below it assume that who beats the one that beats a third also beats the
# third.

# %%
scores = rating.cross_table(league)
order = [names.index(one.name) for one in ratings]
shown = np.array([[np.nan if (one := scores[i][j]) is None else 100 * one.value for j in order] for i in order])
figure, axes = plt.subplots(figsize=(5.5, 4.2), layout="constrained")
image = axes.imshow(shown, cmap="RdBu", vmin=0, vmax=100)
axes.set_xticks(range(len(order)), [names[i] for i in order], rotation=30, ha="right")
axes.set_yticks(range(len(order)), [names[i] for i in order])
for row, column in np.argwhere(~np.isnan(shown)):
    value = shown[row, column]
    axes.text(column, row, f"{value:.0f}", ha="center", va="center", color="white" if abs(value - 50) > 35 else "black")
figure.colorbar(image, label="score of the row against the column, %")
plt.show()

# %%
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
elo = np.array([[one.elo_low, one.elo, one.elo_high] for one in ratings])
axes.errorbar(elo[:, 1], range(len(ratings)), xerr=np.abs(elo[:, [0, 2]] - elo[:, [1]]).T, fmt="o", capsize=4)
axes.set_yticks(range(len(ratings)), [one.name for one in ratings])
axes.invert_yaxis()
axes.set(xlabel="Elo (Bradley–Terry), 95 % interval", ylim=(len(ratings) - 0.5, -0.5))
axes.grid(axis="x", alpha=0.3)
plt.show()

# %% [markdown]
# ## Is it better? As few deals as it takes
#
# `compare` plays until one of two hypotheses has become much likelier than the other.

# %%
from kozyr.agents.arena.tournaments.compare import compare

for pair in (["heuristic", "low"], ["low", "passive"]):
    *_, found = compare(League(GAME, pair, deals=4000, seed=3, variant=OPTIONS), elo0=0, elo1=30)
    score = found.estimate.percent()
    print(f"{pair[0]} against {pair[1]}: {found.verdict} after {found.deals:,} deals, {score}")

# %% [markdown]
# ## Look at a game
#
# Numbers say who is better; a game shows why. Move the slider, or use the arrow keys.

# %%
from kozyr import envs
from kozyr.agents.player import play_game

game = envs.game(GAME)
players = [agents.load(name, game=GAME, **OPTIONS) for name in ("heuristic", "low")]
envs.show(play_game(game, game.make_variant(**OPTIONS), seed=6, starter=0, agents=players))
