#!/usr/bin/env bash
# Tianshou's on-policy algorithms for several agents: a seat that loses learns the result of another game.
#
# Most would expect the return of each move to be what its own game paid, as `add_discounted_returns` documents. A game
# in turns ends with one seat's move, and only that move is marked as an end. The dispatcher then gives each learner the
# moves of its own seat: the end of a game that another seat ended is not among them, nor is what was paid there. So
# REINFORCE (gamma 1) gives a lost game of tic-tac-toe the result of the next game that this seat ended itself, and zero
# where none comes. What was paid for the loss is in no return. PPO and A2C take advantages from the same function.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tianshou==2.0.1 pettingzoo==1.27.0 pygame-ce==2.5.8 gymnasium==1.4.0 \
	numpy==2.4.6 torch==2.13.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
from importlib.metadata import version

import numpy as np
import torch
from pettingzoo.classic import tictactoe_v3
from tianshou.algorithm import Reinforce
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOnPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

GAMES = 40
torch.manual_seed(1)


class Masked(Net):
    """A network that plays legal moves only."""

    def forward(self, obs, state=None, info=None):
        logits, state = super().forward(obs.obs.reshape(len(obs.obs), -1), state, info)
        return logits.masked_fill(~torch.as_tensor(np.asarray(obs.mask)), -1e9), state


class Watched(Reinforce):
    """REINFORCE that notes which returns it learns from."""

    def _update_with_batch(self, batch, batch_size, repeat):
        self.returns = np.asarray(batch.returns).flatten()
        return super()._update_with_batch(batch, batch_size, repeat)


def table():
    return PettingZooEnv(tictactoe_v3.env())


def learner(env):
    network = Masked(state_shape=(18,), action_shape=9, hidden_sizes=[16])
    policy = DiscreteActorPolicy(actor=network, action_space=env.action_space)
    return Watched(policy=policy, gamma=1.0, optim=AdamOptimizerFactory(lr=1e-3))


env = table()
both = MultiAgentOnPolicyAlgorithm(algorithms=[learner(env), learner(env)], env=env)
buffer = VectorReplayBuffer(10 * GAMES, 1)
collector = Collector[CollectStats](both, DummyVectorEnv([table]), buffer)
collector.reset()
with policy_within_training_step(both.policy):
    collector.collect(n_episode=GAMES)
    both.update(buffer, batch_size=None, repeat=1)

moves = buffer[buffer.sample_indices(0)]  # all, in the order they were played
seats = np.asarray(moves.obs.agent_id)
games = np.concatenate([[0], np.cumsum(moves.done)[:-1]])
enders = seats[np.asarray(moves.done)]  # who made the last move of each game
assert len(enders) == GAMES
print(f"Tianshou {version('tianshou')}, PettingZoo {version('pettingzoo')}: {GAMES} games of tic-tac-toe, both learn")
print("expected: every move of a game has the game's result for its seat as its return")
as_told, own, lost, lost_as_loss = True, True, 0, 0
for number, seat in enumerate(env.agents):
    paid = np.array([moves.rew[games == game, number].sum() for game in range(GAMES)])
    mine = games[seats == seat]
    learned = [set(both.get_algorithm(seat).returns[mine == game].tolist()) for game in range(GAMES)]
    result = 0.0
    for game in reversed(range(GAMES)):
        if enders[game] == seat:
            result = paid[game]
            own &= learned[game] == {paid[game]}
        as_told &= learned[game] == {result}  # of the next game that this seat ended
    losses = np.flatnonzero(paid < 0)
    assert all(enders[game] != seat for game in losses)
    counts = {value: sum(learned[game] == {value} for game in losses) for value in (-1.0, 0.0, 1.0)}
    lost, lost_as_loss = lost + len(losses), lost_as_loss + counts[-1.0]
    print(f"seen: {seat} lost {len(losses):2} games; returns of their moves:", end=" ")
    print(", ".join(f"{value:+.0f} in {count:2}" for value, count in counts.items()))
print(f"returns of games that the seat ended itself are right: {own}; all others are of its next such game: {as_told}")
sys.exit(0 if lost > 10 and lost_as_loss == 0 and own and as_told else 1)
PROGRAM
export OMP_NUM_THREADS=1
"$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null
