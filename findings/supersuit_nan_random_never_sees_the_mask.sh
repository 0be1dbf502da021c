#!/usr/bin/env bash
# SuperSuit's nan_random_v0 is written to draw from the action mask, but looks for it under another name.
#
# Its code asks for the key "action mask", with a space. PettingZoo's environments show "action_mask". So an action that
# is NaN becomes any action, legal or not, and most games of tic-tac-toe end with an illegal move.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet SuperSuit==3.11.0 "pettingzoo[classic]==1.27.0" gymnasium==1.4.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
import warnings

import supersuit
from pettingzoo.classic import tictactoe_v3
from pettingzoo.utils import EnvLogger

warnings.simplefilter("ignore")
EnvLogger.suppress_output()  # a warning for each illegal move
GAMES = 100
env = supersuit.nan_random_v0(tictactoe_v3.env())
board = env.unwrapped
illegal = 0
for seed in range(GAMES):
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(float("nan"))
    # a full game or a line of three ends without a loser by an illegal move: that one has a mark left to set
    squares = list(board.board.squares)
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    over = 0 not in squares or any(squares[a] and squares[a] == squares[b] == squares[c] for a, b, c in lines)
    illegal += not over
print(f"SuperSuit {supersuit.__version__}, tic-tac-toe of PettingZoo: {GAMES} games with NaN for every action")
print("expected: the wrapper draws from the mask, so that no game ends with an illegal move")
print(f"seen: {illegal} games end with an illegal move")
sys.exit(0 if illegal > GAMES / 2 else 1)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py"
