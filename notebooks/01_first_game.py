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
# # 01 · A first game
#
# A game of kozyr is a [PettingZoo](https://pettingzoo.farama.org) environment: seats act in turn, each sees what it
# may know, and a mask tells what is legal.

# %% [markdown]
# [![Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# This notebook needs kozyr. The next cell installs it where it is missing:
# from the checkout if you are in one, else from the wheel that `WHEEL` names, else from PyPI, where kozyr is not yet.
# On Colab, upload this file and a wheel that `make wheel` has written.

# %%
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

EXTRAS = ""
WHEEL = ""  # its address: "https://…/kozyr-0.2.0-py3-none-any.whl", or "file:///content/…" after an upload

if any(find_spec(name) is None for name in ("kozyr",)):
    here = Path("../setup.py").exists()
    place = f"..{EXTRAS}" if here else f"kozyr{EXTRAS} @ {WHEEL}" if WHEEL else f"kozyr{EXTRAS}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", place], check=True)

# %%
from kozyr import agents, envs

env = envs.make("durak", players=3, deck=36, transfer=True)
env.reset(seed=42)
env.possible_agents, env.agent_selection

# %% [markdown]
# ## The loop
#
# `last()` tells the seat to move what it sees. The same seed deals the same cards; the loop is the one of every
# PettingZoo environment.

# %%
moves = 0
env.action_space(env.agent_selection).seed(1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        print(f"{agent}: {reward:+.1f}")
        env.step(None)
        continue
    env.step(env.action_space(agent).sample(observation["action_mask"]))
    moves += 1
moves

# %% [markdown]
# ## A position, drawn
#
# In a notebook an environment draws itself, all cards face up. Here is another game after ten moves between two
# scripted players.

# %%
player = agents.load("durak:heuristic", deck=36)
env = envs.make("durak", deck=36)
env.reset(seed=3)
for _ in range(10):
    observation, *_ = env.last()
    env.step(player.act(observation["observation"], observation["action_mask"]))
env

# %% [markdown]
# ## What a seat sees
#
# The observation is a flat vector of small whole numbers. Its parts have names; the page of each environment says what
# they mean.

# %%
observation, *_ = env.last()
view, mask = observation["observation"], observation["action_mask"]
print(env.agent_selection, "sees", view.shape, view.dtype)
for name, where in env.game.parts(env.variant).spans().items():
    if where.stop - where.start <= 5:
        print(f"{name:9} {view[where]}  {env.game.parts.declared[name].meaning}")

# %% [markdown]
# The mask has a 1 for each legal action; every game can say its actions in words. The seats that are not to move have
# a mask of zeros.

# %%
legal = mask.nonzero()[0].tolist()
state = env.state_record()
print({action: env.game.text.say(env.variant, state, action) for action in legal})
waiting = next(name for name in env.agents if name != env.agent_selection)
print(waiting, "may do", int(env.observe(waiting)["action_mask"].sum()), "things now")

# %% [markdown]
# `raw_env()` refuses an illegal action in words and leaves the game as it was; `env()` disqualifies whoever tries it.

# %%
from kozyr.envs import mnk_v0

tic_tac_toe = mnk_v0.raw_env(m=3, n=3, k=3)
tic_tac_toe.reset(seed=1)
tic_tac_toe.step(4)
try:
    tic_tac_toe.step(4)
except ValueError as error:
    print(error)
tic_tac_toe

# %% [markdown]
# ## What one seat knows
#
# `make_seat` gives one seat as a `gymnasium.Env`, with the others played inside; its drawing hides what the seat does
# not know.

# %%
seat = envs.make_seat("durak", opponents="low", seat=0, deck=36)
seat.reset(seed=3)
for _ in range(3):
    seat.step(seat.action_masks().argmax())
seat

# %% [markdown]
# ## The other games
#
# All games share one interface, so the same lines draw a position of each.

# %%
from IPython.display import display

for name in envs.games():
    env, player = envs.make(name), agents.load(agents.names(name)[-1], game=name)
    env.reset(seed=8)
    for _ in range(3):
        observation, *_ = env.last()
        env.step(player.act(observation["observation"], observation["action_mask"]))
    print(env.game.title)
    display(env)

# %% [markdown]
# ## A whole game to look through
#
# A recorded game opens in a viewer: step through it with the buttons or the arrow keys, or choose what one seat knew.

# %%
from kozyr.agents.player import play_game

game = envs.game("mnk")
variant = game.make_variant(m=7, n=7, k=4)
players = [agents.load(f"mnk:{name}", m=7, n=7, k=4) for name in ("threat", "easy")]
envs.show(play_game(game, variant, seed=3, starter=0, agents=players), high=640)
