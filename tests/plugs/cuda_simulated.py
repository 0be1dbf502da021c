"""Steps tables in numba-cuda's simulator beside those of the processor, for all games. `test_cuda.py` runs it, because
the simulator is chosen before numba-cuda is imported:

    NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 python -m tests.plugs.cuda_simulated durak
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.agents import roster
from kozyr.contract import variants
from kozyr.envs.core.rng import generators
from kozyr.envs.environments.device import DeviceLearnerTables, DeviceTables, DeviceVectorEnv
from kozyr.envs.environments.learner import LearnerTables, opponents_for
from kozyr.envs.environments.observations import WORDS
from kozyr.envs.environments.tables import Tables
from kozyr.envs.loops.tables import random_actions
from kozyr.training.ppo_single_file import Settings, train

TABLES, DRAWN = 3, 12
LONG, SHORT, MANY = 160, 24, 100  # steps; of games with many actions, which are slow here, few


def same(on_gpu: Any, tables: Any, names: str) -> None:
    """Compare what two objects show, to the byte."""
    for name in names.split():
        mine, its = getattr(on_gpu, name).numpy(), getattr(tables, name)
        assert mine.dtype == its.dtype, name
        assert (mine == its).all(), name
    assert on_gpu.host_states().tobytes() == tables.states.tobytes()


def chosen(masks: Any, rngs: Any) -> Any:
    actions = np.zeros(len(masks), np.int64)
    random_actions(masks, rngs, actions)
    return actions


def step_tables(game: Any, variant: Any) -> int:
    """Step tables of all seats; return how many games ended."""
    options = game.options(variant)
    one, other = DeviceTables(game, TABLES, 7, **options), Tables(game, TABLES, 7, **options)
    rngs, ended = generators(1, 1), 0
    for _ in range(LONG if game.actions(variant) < MANY else SHORT):
        same(one, other, "views masks turns payoffs ends")
        actions = chosen(other.masks, rngs)
        one.step(torch.from_numpy(actions))
        ended += other.step(actions)
    same(one, other, "views masks turns payoffs ends")
    illegal = chosen(other.masks, rngs)
    illegal[1] = game.actions(variant)
    with pytest.raises(ValueError, match="at table 1; legal there"):
        one.step(illegal)
    same(one, other, "views masks turns payoffs ends")
    one.step(illegal, check_now=False)
    one.step(chosen(other.masks, rngs), check_now=False)
    same(one, other, "views masks turns payoffs ends")  # nothing moves until somebody asks
    with pytest.raises(ValueError, match=f"action {illegal[1]} is illegal at table 1"):
        one.require_legal()
    legal = one.decide()
    assert one.masks[torch.arange(TABLES), legal].all()
    for seat in range(game.seats(variant)):
        seen = np.zeros_like(other.views)
        for i in range(TABLES):
            seen[i] = game.view(variant, other.states[i], seat)
        assert (one.look(np.full(TABLES, seat)).numpy() == seen).all()
    return ended


def step_learners(game: Any, variant: Any) -> None:
    """Step tables of one learner against each scripted player, and against a mixture of all."""
    named = [agents.load(name, game=game.name, **game.options(variant)) for name in roster.of(game.name).ladder]
    for opponents in (*named, dict.fromkeys(named, 1.0)):
        mixtures = opponents_for(game.seats(variant), opponents)
        one = DeviceLearnerTables(game, variant, TABLES, mixtures, seed=3, opening=1)
        other = LearnerTables(game, variant, TABLES, mixtures, seed=3, opening=1)
        step_both(one, other, 3)
        for both in (one, other):
            both.set_opponents(opponents_for(game.seats(variant), named[0]))  # the others stay to the end of the game
        step_both(one, other, 2)
        one.reset(4)
        other.reset(4)
        step_both(one, other, 1)


def step_both(one: Any, other: Any, steps: int) -> None:
    """Step tables here and there, with the same actions."""
    rngs = generators(1, 1)
    for _ in range(steps):
        same(one, other, "views masks rewards ends finals seats")
        actions = chosen(other.masks, rngs)
        one.step(actions)
        other.step(actions)
    same(one, other, "views masks rewards ends finals seats")


def faces(game: Any) -> None:
    """Use the public faces, and their refusals."""
    vec = envs.make_vec(game.name, 3, device="cuda")
    assert isinstance(vec, DeviceVectorEnv)
    first, _ = vec.reset(seed=5)
    kept = first["observation"].clone()
    observation, rewards, terminated, truncated, infos = vec.step(first["action_mask"].argmax(1))
    assert (first["observation"] == kept).all()
    assert (observation["observation"].shape, rewards.dtype) == (kept.shape, torch.float32)
    assert {terminated.dtype, truncated.dtype, infos["_final_obs"].dtype} == {torch.bool}
    with pytest.raises(ValueError, match="only scripted players"):
        envs.make_vec(game.name, 3, opponents=lambda view, mask: 0, device="cuda")
    with pytest.raises(ValueError, match="a list of seeds is for the processor"):
        vec.reset(seed=[1, 2, 3])
    for word in WORDS:
        forms(game, word)
    tables = envs.make_tables(game.name, 2, device="cuda")
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        tables.step([0, 0, 0])
    with pytest.raises(ValueError, match="whole numbers"):
        tables.step([0.0, 0.0])
    with pytest.raises(ValueError, match="a seat is a whole number from 0 to"):
        tables.look([0, 9])
    with pytest.raises(ValueError, match="level=99 is not allowed"):
        tables.decide(99)


def forms(game: Any, word: str) -> None:
    """Compare the observations and the seats of ended episodes with those of the processor."""
    both: list[Any] = [envs.make_vec(game.name, 3, device=where, observation=word) for where in ("cuda", "cpu")]
    one, other = both
    (mine, _), (its, _) = one.reset(seed=4), other.reset(seed=4)
    for _ in range(SHORT):
        pairs = [(mine[key], its[key]) for key in its] if isinstance(its, dict) else [(mine, its)]
        for left, right in pairs:
            assert left.numpy().dtype == right.dtype
            assert (left.numpy() == right).all()
        actions = other.tables.masks.argmax(1)
        mine, *_, said = one.step(torch.from_numpy(actions))
        its, _, terminated, truncated, told = other.step(actions)
        if (over := terminated | truncated).any():
            assert (said["final_info"]["seat"].numpy() == told["final_info"]["seat"])[over].all()


def training(game: Any) -> None:
    """Train with tables in the simulator and without: the same seed gives the same network."""
    settings = Settings(game=game.name, opponent="random", decisions=64, tables=4, steps=8, width=8)
    nets = [train(replace(settings, device=device), str) for device in ("cuda", "cpu")]
    for one, other in zip(*(net.parameters() for net in nets), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(ValueError, match="only scripted players play on a GPU"):
        replace(settings, opponent="self", device="cuda")


def main(name: str) -> None:
    game = envs.game(name)
    ended = 0
    first, second, *others = variants.drawn(game, DRAWN, seed=2)
    for variant in (first, second, min(others, key=game.actions)):  # games of few actions are quick, and end
        ended += step_tables(game, variant)
        step_learners(game, variant)
        print(f"{name}: equal with {game.options(variant)}", flush=True)
    faces(game)
    training(game)
    print(f"{name}: {ended} games ended")


if __name__ == "__main__":
    main(sys.argv[1])
