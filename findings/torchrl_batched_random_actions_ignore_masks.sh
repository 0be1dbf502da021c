#!/usr/bin/env bash
# TorchRL's random actions heed action masks in one environment, and ignore them in a SerialEnv of the same ones.
#
# Each environment writes its mask into its own action spec, from which random actions are drawn. A batched environment
# draws from a spec of its own, which no mask ever reaches. So `rollout()` without a policy, and the random frames that
# a collector begins with (`init_random_frames`; BenchMARL's `off_policy_init_random_frames`), play illegal actions.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torchrl==0.14.1 torch==2.13.0 pettingzoo==1.27.0

cat > "$folder/program.py" <<'PROGRAM'
import sys

import numpy as np
import torch
import torchrl
from gymnasium import spaces
from pettingzoo import ParallelEnv
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import SerialEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper


class Clock(ParallelEnv):
    """Two agents; at time t the only legal one of ten actions is t modulo 10."""

    metadata = {"name": "clock"}
    possible_agents = ["a_0", "a_1"]

    def observation_space(self, agent):
        return spaces.Dict({"observation": spaces.Box(0, 1000, (1,)), "action_mask": spaces.Box(0, 1, (10,), np.int8)})

    def action_space(self, agent):
        return spaces.Discrete(10)

    def _seen(self):
        mask = (np.arange(10) == self.time % 10).astype(np.int8)
        view = np.array([self.time], np.float32)
        return {agent: {"observation": view, "action_mask": mask} for agent in self.agents}

    def reset(self, seed=None, options=None):
        self.agents, self.time = self.possible_agents[:], 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.time += 1
        false = dict.fromkeys(self.agents, False)
        return self._seen(), dict.fromkeys(self.agents, 0.0), false, false, {agent: {} for agent in self.agents}


def make():
    return PettingZooWrapper(Clock(), categorical_actions=True)


def legal(told):
    group = told["a"]
    return group["action_mask"].gather(-1, group["action"][..., None]).float().mean().item()


torch.manual_seed(0)
shares = {
    "one environment, rollout(500)": legal(make().rollout(500, break_when_any_done=False)),
    "SerialEnv of two, rollout(500)": legal(SerialEnv(2, make).rollout(500, break_when_any_done=False)),
}
frames = dict.fromkeys(["frames_per_batch", "total_frames", "init_random_frames"], 500)
policy = TensorDictModule(lambda mask: mask.int().argmax(-1), [("a", "action_mask")], [("a", "action")])  # legal ones
collector = Collector(SerialEnv(2, make), policy, **frames)
shares["SerialEnv of two, init_random_frames=500"] = legal(next(iter(collector)))
collector.shutdown()
print(f"TorchRL {torchrl.__version__}: random actions, of which one in ten is legal")
print("expected: masks are heeded everywhere, or nowhere")
for how, share in shares.items():
    print(f"{how:42} {share:6.1%} legal")
one, serial, collected = shares.values()
sys.exit(0 if one == 1 and max(serial, collected) < 0.2 else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py"
