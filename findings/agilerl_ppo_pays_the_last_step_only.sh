#!/usr/bin/env bash
# AgileRL's PPO cuts its advantages one step too early: what the end of an episode pays reaches its last step alone.
#
# Most would expect generalised advantage estimation to stop behind the step that ends an episode. `collect_rollouts`
# stores with each step whether that step was the last; the buffer reads it as whether the step before was. So a last
# step is cut from the steps that led to it, and joined to the next episode instead. Where a game pays at its end, no
# move but the last learns of it, save by what the critic has learnt. Here gamma and lambda are 1 and the critic says
# zero, so that returns should be sums of rewards. With `use_gae=False` the same buffer gives just these.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 tensordict==0.13.0 gymnasium==1.4.0 numpy==2.4.6 \
	pettingzoo==1.26.1 accelerate==1.15.0 transformers==5.23.0 peft==0.21.0 wandb==0.31.0 \
	pydantic==2.14.3 pillow==13.0.0
"$folder/venv/bin/pip" install --quiet --no-deps agilerl==2.58.0 agilerl-arena==1.29.0 fastrand==3.1.0 \
	lazy-loader==0.6 dill==0.4.1 flatten-dict==0.5.0  # of all that AgileRL asks for, what PPO needs

cat > "$folder/program.py" <<'PROGRAM'
import sys
from importlib.metadata import version

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from gymnasium.vector import AutoresetMode, SyncVectorEnv

LENGTH, EPISODES = 5, 4


class Ends(gymnasium.Env):
    """Each episode pays 10 for its first step, and 1 or 2, by turns, for its last."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)
    episode = 0

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.episode += 1
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        over = self.steps == LENGTH
        paid = 10 * (self.steps == 1) + (2 - self.episode % 2) * over
        return np.full(1, self.steps / LENGTH, np.float32), float(paid), over, False, {}


def returns(use_gae):
    """Return what each step paid, and what PPO is to learn of it, with a row for each episode."""
    env = SyncVectorEnv([Ends], autoreset_mode=AutoresetMode.SAME_STEP)
    agent = PPO(
        env.single_observation_space,
        env.single_action_space,
        num_envs=1,
        learn_step=LENGTH * EPISODES,
        gamma=1.0,
        gae_lambda=1.0,
        share_encoders=False,
        rollout_buffer_config={"use_gae": use_gae},
    )
    with torch.no_grad():  # a critic that says zero of everything, so that returns are sums of rewards
        for weight in agent.critic.parameters():
            weight.zero_()
    collect_rollouts(agent, env)
    rewards, values, learned = (agent.rollout_buffer.buffer[k].numpy() for k in ("rewards", "values", "returns"))
    assert not values.any()
    return rewards.reshape(EPISODES, LENGTH), learned.reshape(EPISODES, LENGTH)


print(f"AgileRL {version('agilerl')}: PPO, {EPISODES} episodes of {LENGTH} steps, collected by collect_rollouts")
(rewards, gae), (same, plain) = returns(True), returns(False)
assert (rewards == same).all() and (rewards[:, 0] == 10).all()
due = rewards[:, ::-1].cumsum(1)[:, ::-1]  # what is still to come in the episode
for name, what in (("rewards", rewards), ("expected, and seen without GAE", due), ("seen with GAE", gae)):
    print(f"{name}:", *what.astype(int).tolist())
early = rewards.copy()
early[:-1, -1] += rewards[1:, 0]  # the last step of an episode and the first of the next
sys.exit(0 if (plain == due).all() and (gae == early).all() else 1)
PROGRAM
export OMP_NUM_THREADS=1
"$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null
