#!/usr/bin/env bash
# Kuhn poker of OpenSpiel, brought to PettingZoo by Shimmy, ends with the first action: no game is ever decided.
#
# Shimmy counts deals as steps and begins to count at one. OpenSpiel's max_game_length counts players' actions alone. So
# long games of cards are truncated before their end, and of Kuhn poker all: with rewards of zero, and no message.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet shimmy==2.0.1 open-spiel==2.0.2 pettingzoo==1.27.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
from importlib.metadata import version

import numpy as np
import pyspiel
from shimmy import OpenSpielCompatibilityV0

GAMES = 200


def openspiels(name):
    """Return actions a game and the share of games that are decided, played in OpenSpiel itself."""
    rng, actions, decided = np.random.default_rng(1), 0, 0
    for _ in range(GAMES):
        state = pyspiel.load_game(name).new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([action for action, _ in state.chance_outcomes()])))
            else:
                state.apply_action(int(rng.choice(state.legal_actions())))
                actions += 1
        decided += any(state.returns())
    return actions / GAMES, decided / GAMES


def shimmys(name):
    """Return the same of Shimmy's environment."""
    env, rng, actions, decided = OpenSpielCompatibilityV0(game_name=name), np.random.default_rng(1), 0, 0
    for seed in range(GAMES):
        env.reset(seed=seed)
        paid = 0.0
        for _ in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            over = terminated or truncated
            paid += abs(reward) if over else 0.0
            actions += not over
            env.step(None if over else int(rng.choice(np.flatnonzero(info["action_mask"]))))
        decided += paid > 0
    return actions / GAMES, decided / GAMES


print(f"Shimmy {version('shimmy')}, OpenSpiel {version('open_spiel')}: {GAMES} games played at random")
print("expected: Shimmy's games are as long as OpenSpiel's, and as many are decided")
seen = {}
for name in ("kuhn_poker", "leduc_poker"):
    (there, paid_there), (here, paid_here) = openspiels(name), shimmys(name)
    seen[name] = (there, paid_there, here, paid_here)
    print(f"{name:12} OpenSpiel {there:.2f} actions, {paid_there:4.0%} decided; Shimmy {here:.2f}, {paid_here:4.0%}")
there, paid_there, here, paid_here = seen["kuhn_poker"]
sys.exit(0 if there > 2 and paid_there == 1 and here == 1 and paid_here == 0 else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py"
