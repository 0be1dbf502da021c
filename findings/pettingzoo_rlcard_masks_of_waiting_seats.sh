#!/usr/bin/env bash
# PettingZoo's games from RLCard show a seat that waits the legal actions of the seat that is to move.
#
# The pages of all its turn-based games promise the same: the mask is all zeros for any agent except the one whose turn
# it is. Tic-tac-toe and Connect Four keep to that. The three games from RLCard ignore whom they are asked about. So
# whoever tells by the mask which seats decide, as after turn_based_aec_to_parallel, takes every seat for one that does.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pettingzoo==1.27.0 rlcard==1.2.0 pygame==2.6.1 gymnasium==1.4.0

cat > "$folder/program.py" <<'PROGRAM'
import inspect
import sys

import numpy as np
import pettingzoo
from pettingzoo.classic import connect_four_v3, leduc_holdem_v4, texas_holdem_no_limit_v6, texas_holdem_v4, tictactoe_v3
from pettingzoo.utils import turn_based_aec_to_parallel

PROMISE = "will be all zeros for any agent except the one whose turn it is"
GAMES = 20


def shares(module):
    """Return how often a waiting seat's mask allows something, and how often it is the mover's, of all waits."""
    env, rng = turn_based_aec_to_parallel(module.env()), np.random.default_rng(0)
    waits = allowed = same = 0
    for seed in range(GAMES):
        seen, _ = env.reset(seed=seed)
        while env.agents:
            mover = env.aec_env.agent_selection
            masks = {agent: seen[agent]["action_mask"] for agent in env.agents}
            for agent in set(env.agents) - {mover}:
                waits += 1
                allowed += masks[agent].any()
                same += np.array_equal(masks[agent], masks[mover])
            legal = np.flatnonzero(masks[mover])
            seen, *_ = env.step({agent: int(rng.choice(legal)) for agent in env.agents})
    return allowed / waits, same / waits


print(f"PettingZoo {pettingzoo.__version__}: the masks of seats that wait, {GAMES} games each")
print("expected: all zeros, as the page of each game says")
seen = {}
for module in (tictactoe_v3, connect_four_v3, leduc_holdem_v4, texas_holdem_v4, texas_holdem_no_limit_v6):
    name = module.__name__.rpartition(".")[2]
    page = inspect.getdoc(sys.modules[module.raw_env.__module__]) or ""
    allowed, same = seen[name] = shares(module)
    told = "promised" if PROMISE in " ".join(page.split()) else "not promised"
    print(f"{name:26} {told}; {allowed:4.0%} allow an action, {same:4.0%} are those of the seat to move")
boards = [seen["tictactoe_v3"], seen["connect_four_v3"]]
cards = [pair for name, pair in seen.items() if "holdem" in name]
sys.exit(0 if boards == [(0, 0)] * 2 and cards == [(1, 1)] * 3 else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py"
