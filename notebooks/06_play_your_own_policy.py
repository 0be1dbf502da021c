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
# # 06 · Play against your own policy
#
# Train a small policy, see how good it is, and then sit down against it: here in the notebook, or in your browser.

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
# The preset `demo` with a fifth of its decisions: enough to know how the game goes. Leave `timesteps` out for more.

# %%
import tempfile
from pathlib import Path

from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train

folder = Path(tempfile.mkdtemp()) / "durak"
train(RunPlan("durak", preset="demo", out=folder, timesteps=130_000))["timesteps"]

# %% [markdown]
# ## How good is it?
#
# Every deal is played twice with the seats changed. If an interval contains 50 %, the two cannot be told apart.

# %%
from kozyr.agents.arena import match

policy = str(folder / "policy.onnx")
for opponent in ("random", "passive", "low"):
    one = match("durak", [policy, opponent], deals=300, seed=1_000_000, deck=36).agents[0]
    low, high = one.score_interval
    print(f"against {opponent:8} {100 * one.score:5.1f} %   95 % interval {100 * low:5.1f} … {100 * high:5.1f} %")

# %% [markdown]
# ## Sit down
#
# You are `player_0`, below. Beat the card that is laid with a higher one of its suit or with a trump, or `pass` to take
# it. When you attack, lay any card. Who is left with cards at the end is the fool.

# %%
from IPython.display import SVG, display

from kozyr import agents, envs
from kozyr.envs.table.table import Table

ME = 0
game = envs.game("durak")
variant = game.make_variant(deck=36)
table, opponent = Table(game, variant, seed=11, names=["you", "your policy"]), agents.load(policy)


def choices():
    """Return your legal actions by their words, as "7C" or "pass"."""
    return {game.text.say(variant, table.state(), int(action)): int(action) for action in table.mask.nonzero()[0]}


def wait():
    """Let the policy play until it is your turn, and show what you see."""
    while not table.over and table.turn != ME:
        table.play(opponent.act(table.view(table.turn), table.mask))
    display(SVG(table.drawing(ME)))
    print(f"the game is over, payoff {table.payoffs[ME]:+g}" if table.over else f"choose from {' '.join(choices())}")


def play(word):
    """Play an action by its word."""
    table.play(choices()[word])
    wait()


wait()

# %% [markdown]
# Your move: `play("7C")` plays the seven of clubs, if you may. Here the first choice stands in for yours; put in your
# own, and add cells until the game is over.

# %%
play(next(iter(choices())))

# %%
play(next(iter(choices())))

# %% [markdown]
# In a hurry? `low` plays the rest for you.

# %%
stand_in = agents.load("durak:low", deck=36)
while not table.over:
    player = stand_in if table.turn == ME else opponent
    table.play(player.act(table.view(table.turn), table.mask))
print(f"payoff {table.payoffs[ME]:+g}")

# %% [markdown]
# ## Look back
#
# The viewer shows the whole game. Move the slider, or use the arrow keys; a button shows what each seat knew.

# %%
envs.show(table)

# %% [markdown]
# ## In your browser
#
# On your own machine a table with cards to click is more fun (extra `[play]`):
#
#     kozyr play durak --against runs/demo/policy.onnx --set deck=36
#
# Here is the command for the policy that you have just trained; the folder is a temporary one.

# %%
print(f"kozyr play durak --against {policy} --set deck=36")
