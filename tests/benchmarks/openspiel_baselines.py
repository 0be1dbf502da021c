"""Train tasks of the newest suite by algorithms of OpenSpiel that kozyr has not: NFSP, and DQN with masks.

    python -m tests.benchmarks.openspiel_baselines war_20 draw_poker_2 durak_36

Each seat has a network of its own, as OpenSpiel's agents have, and sees the view, scaled. That of the first seat is
scored, in every seat. Rows have the form of `tests.benchmarks.baselines` and go into the same file. What has a row is
not trained again; a run that was stopped begins anew. OpenSpiel's agents need dm-tree, which it does not ask for.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import dqn, nfsp

from kozyr import envs
from kozyr.agents.arena import scores
from kozyr.agents.arena.scores.suite import Task
from kozyr.envs.bridges import openspiel
from kozyr.envs.table import file_output
from kozyr.training.run import report
from tests.benchmarks.baselines import KEPT, OF_OPENSPIEL, RESULTS, SCORED, identity, points_of, read

COMMON: dict[str, Any] = {
    "hidden_layers_sizes": [128, 128],
    "batch_size": 128,
    "replay_buffer_capacity": 200_000,
    "min_buffer_size_to_learn": 1_000,
    "learn_every": 16,
    "update_target_network_every": 1_000,
    "optimizer_str": "adam",
    "epsilon_decay_schedule_str": "linear",
    "gradient_clipping": 1.0,
}
OF_NFSP: dict[str, Any] = {
    "reservoir_buffer_capacity": 1_000_000,
    "anticipatory_param": 0.1,
    "rl_learning_rate": 1e-3,
    "sl_learning_rate": 1e-3,
    "epsilon_start": 0.06,
    "epsilon_end": 0.001,
}
OF_DQN: dict[str, Any] = {"learning_rate": 1e-3, "epsilon_start": 1.0, "epsilon_end": 0.05}


def agent_of(algorithm: str, seat: int, sizes: tuple[Any, Any], decisions: int, seed: int) -> Any:
    """Return a learner of OpenSpiel for a seat, of views and actions of these sizes.

    NFSP gives the seed to its average policy alone: its Q-network begins alike for every seed (OpenSpiel 2.0.2).
    """
    its = {**COMMON, "epsilon_decay_duration": decisions // 2, "seed": 100 * seed + seat}
    if algorithm == "nfsp":
        return nfsp.NFSP(seat, *sizes, **its, **OF_NFSP)
    return dqn.DQN(seat, *sizes, **its, **OF_DQN)


def player_of(agent: Any, high: NDArray[Any]) -> Callable[[Any, Any], int]:
    """Return what an agent has learned so far, as a function of a view and a mask.

    NFSP draws from its average policy, DQN takes the action of the highest value.
    """
    draws = isinstance(agent, nfsp.NFSP)
    network = agent._avg_network if draws else agent._q_network  # they have no public names
    weights = [one.detach().numpy().copy() for one in network.parameters()]  # of each layer, then its biases
    luck = np.random.default_rng(1)

    def act(view: Any, mask: Any) -> int:
        x = np.asarray(view, np.float32) / high
        for k in range(0, len(weights) - 2, 2):
            x = np.maximum(weights[k] @ x + weights[k + 1], 0)
        x = np.where(np.asarray(mask, bool), weights[-2] @ x + weights[-1], -np.inf)
        if not draws:
            return int(x.argmax())
        chances = np.exp(x - x.max())
        return int(luck.choice(len(x), p=chances / chances.sum()))

    return act


def trained(task: Task, algorithm: str, seed: int, decisions: int) -> list[dict[str, Any]]:
    """Train and return the points of the policies that were kept, with the decisions of the first seat and seconds."""
    name = task.game.rpartition("_v")[0]
    game, variant = envs.game(name), envs.game(name).make_variant(**task.options)
    observed = rl_environment.ObservationType.OBSERVATION
    env: Any = rl_environment.Environment(
        openspiel.load(name, chance="sampled", seed=seed, **task.options), observation_type=observed, seed=seed
    )
    sizes = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    learners = [agent_of(algorithm, seat, sizes, decisions, seed) for seat in range(env.num_players)]
    np.random.seed(seed)  # noqa: NPY002 - what OpenSpiel draws from; each learner that was made has set another seed
    torch.manual_seed(seed)
    high = np.maximum(game.high(variant), 1).astype(np.float32)
    found, made, part, seconds, began = list[dict[str, Any]](), 0, 1, 0.0, time.process_time()
    while part <= KEPT:
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            made += seat == 0
            step = env.step([learners[seat].step(step).action])
        for one in learners:
            one.step(step)
        while part <= KEPT and made >= part * decisions / KEPT:
            seconds += time.process_time() - began
            if part in SCORED:
                agent = player_of(learners[0], high)
                (one,) = scores.score(agent, tasks=[task.name], quick=True).tasks
                found.append({"decisions": made, "seconds": round(seconds, 2), **points_of(one)})
            part, began = part + 1, time.process_time()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and score what has no row yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.openspiel_baselines", description=__doc__)
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="tasks of the suite")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of rows (default: %(default)s)")
    parser.add_argument("--algorithms", nargs="+", choices=list(OF_OPENSPIEL), default=list(OF_OPENSPIEL), help="some")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each (default: %(default)s)")
    parser.add_argument("--decisions", type=int, default=250_000, help="of the first seat (default: %(default)s)")
    given = parser.parse_args(arguments)
    if given.seeds < 1 or given.decisions < KEPT:
        parser.error(f"--seeds must be at least 1 and --decisions at least {KEPT}")
    try:
        tasks = [scores.load().task(name) for name in given.tasks]
    except ValueError as error:
        parser.error(str(error))
    torch.set_num_threads(1)
    for seed in range(1, given.seeds + 1):
        for task, algorithm in ((task, algorithm) for task in tasks for algorithm in given.algorithms):
            its: dict[str, Any] = {
                "task": task.name,
                "algorithm": algorithm,
                "seed": seed,
                "decisions": given.decisions,
                "quick": True,
            }
            if any(identity(one) == identity(its) for one in read(given.results)):
                continue
            row = its | {
                "points": trained(task, algorithm, seed, given.decisions),
                "processor": report.machine()["processor"],
            }
            file_output.append(given.results, json.dumps(row).encode() + b"\n")
            print(f"{task.name} {algorithm} {seed}: {row['points'][-1]['points']:.1f} points", file=sys.stderr)


if __name__ == "__main__":
    main()
