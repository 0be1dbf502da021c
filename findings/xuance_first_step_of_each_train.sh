#!/usr/bin/env bash
# XuanCe's multi-agent algorithms store the first step of each call of train() with the observation and the mask that
# come after it, not with those that the action was chosen by.
#
# train() takes the lists of its vector of environments as the first observations and masks; step() then writes the next
# ones into the same lists, and only what was stored after that is copied. Whoever trains in many short calls, as between
# evaluations, learns from that many wrong transitions; where masks are used their actions are illegal.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet setuptools wheel
"$folder/venv/bin/pip" install --quiet xuance==1.4.4 torch==2.13.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
import tempfile

import numpy as np
from gymnasium.spaces import Box, Discrete
from xuance.common import get_arguments
from xuance.environment import REGISTRY_MULTI_AGENT_ENV, RawMultiAgentEnv, make_envs
from xuance.torch.agents import IQL_Agents


class Clock(RawMultiAgentEnv):
    """Two agents see the time; at time t the only legal action is t modulo 3."""

    def __init__(self, config):
        super().__init__()
        self.agents, self.num_agents, self.max_episode_steps = ["a_0", "a_1"], 2, 50
        self.agent_groups = [self.agents]
        self.state_space = Box(0, 100, (1,))
        self.observation_space = {agent: Box(0, 100, (1,)) for agent in self.agents}
        self.action_space = {agent: Discrete(3) for agent in self.agents}

    def _seen(self):
        return {agent: np.array([self.time], np.float32) for agent in self.agents}

    def reset(self, **_):
        self.time = 0
        return self._seen(), {}

    def step(self, actions):
        assert all(action == self.time % 3 for action in actions.values()), "illegal"
        self.time += 1
        over = self.time == 50
        return self._seen(), dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, over), False, {}

    def avail_actions(self):
        return {agent: np.arange(3) == self.time % 3 for agent in self.agents}

    def state(self):
        return np.array([self.time], np.float32)

    def render(self, *_):
        return None

    def close(self):
        pass


REGISTRY_MULTI_AGENT_ENV["clock"] = Clock
config = get_arguments("iql", "sc2", "3m")
vars(config).update(env_name="clock", vectorize="DummyVecMultiAgentEnv", parallels=1, use_rnn=False)
vars(config).update(representation="Basic_MLP", buffer_size=100, start_training=10**6)
vars(config).update(log_dir=tempfile.mkdtemp(), model_dir=tempfile.mkdtemp())
learner = IQL_Agents(config, make_envs(config))
for _ in range(3):
    learner.train(4)
told = learner.memory.data
times = [int(told["obs"]["a_0"][0, step][0]) for step in range(12)]
acted = [int(told["actions"]["a_0"][0, step]) for step in range(12)]
legal = [bool(told["avail_actions"]["a_0"][0, step][action]) for step, action in enumerate(acted)]
print("XuanCe 1.4.4, IQL: three calls of train(4), at times 0 … 11")
print("expected: the stored observations are the times", list(range(12)), "and all actions are legal by the stored masks")
print("stored observations:", times)
print("steps whose action is illegal by the stored mask:", [step for step in range(12) if not legal[step]])
sys.exit(0 if times == [1, 1, 2, 3, 5, 5, 6, 7, 9, 9, 10, 11] and legal == [step % 4 > 0 for step in range(12)] else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null
