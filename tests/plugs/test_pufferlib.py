"""PufferLib's emulation, vectors and trainer over our games. Run by `make test-pufferlib`."""

import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("pufferlib-core", "3.0.23", extra="pufferlib")

import torch

with warnings.catch_warnings():  # its module of training changes the process: that stays here
    before_import = signal.getsignal(signal.SIGINT), sys.excepthook
    import pufferlib.vector
    from pufferlib.emulation import GymnasiumPufferEnv, PettingZooPufferEnv
    from pufferlib.models import Default
    from pufferlib.pufferl import PuffeRL

    signal.signal(signal.SIGINT, before_import[0])
    sys.excepthook = before_import[1]

from kozyr import envs
from tests.plugs.outsider import score_legally
from tests.plugs.strict import strict_parallel

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36, "transfer": True},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")
FLAT = "flat"


class StrictSeat(gymnasium.Wrapper[Any, Any, Any, Any]):
    """One seat that raises where the usual one is disqualified."""

    def step(self, action: Any) -> Any:
        told = super().step(action)
        if told[-1]["illegal_move"]:
            raise ValueError(f"action {action} is illegal")
        return told


def strict_seat(name: str, **options: Any) -> StrictSeat:
    return StrictSeat(envs.make_seat(name, "random", **options))


def all_seats(buf: Any = None, seed: int = 0, **options: Any) -> PettingZooPufferEnv:
    how = {**options, "observation": FLAT}
    return PettingZooPufferEnv(env_creator=strict_parallel, env_kwargs=how, buf=buf, seed=seed)


def one_seat(buf: Any = None, seed: int = 0, **options: Any) -> GymnasiumPufferEnv:
    how = {**options, "observation": FLAT}
    return GymnasiumPufferEnv(env_creator=strict_seat, env_kwargs=how, buf=buf, seed=seed)


class Masked(Default):  # pyright: ignore[reportUntypedBaseClass]
    """PufferLib's network, with the mask at the end of the observation before the softmax."""

    def forward_eval(self, observations: Any, state: Any = None) -> Any:
        logits, values = super().forward_eval(observations, state)
        legal = envs.mask_of(observations, logits.shape[-1]) > 0
        return logits.masked_fill(~legal, -1e9), values


def trainer(vector: Any, policy: Any, folder: Path, steps: int) -> PuffeRL:
    names = ("gae_lambda", "vtrace_rho_clip", "vtrace_c_clip", "clip_coef", "vf_clip_coef", "vf_coef", "max_grad_norm")
    config = dict.fromkeys(names, 0.5) | dict.fromkeys(("use_rnn", "compile", "cpu_offload", "anneal_lr"), False)
    config |= {"env": "kozyr", "seed": 1, "device": "cpu", "precision": "float32", "torch_deterministic": True}
    config |= {"batch_size": "auto", "bptt_horizon": 16, "minibatch_size": 64, "max_minibatch_size": 64}
    config |= {"optimizer": "adam", "learning_rate": 1e-3, "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_eps": 1e-5}
    config |= {"update_epochs": 1, "prio_alpha": 0.8, "prio_beta0": 0.2, "gamma": 1.0, "ent_coef": 0.01}
    config |= {"total_timesteps": steps, "checkpoint_interval": 1000, "data_dir": str(folder)}
    return PuffeRL(config, vector, policy)


@EACH
def test_a_vector_shows_the_positions_of_the_parallel_environment(options: dict[str, Any]) -> None:
    vector = pufferlib.vector.make(all_seats, env_kwargs=options, num_envs=3, backend="Serial")
    seen, _ = vector.reset(seed=5)
    plain = strict_parallel(**options, observation=FLAT)
    seats = len(plain.possible_agents)
    assert seen.shape == (3 * seats, *vector.single_observation_space.shape)
    rows = seen.reshape(3, seats, -1).copy()
    assert not (rows[0] == rows[1]).all() or options["name"] == "mnk"  # other deals
    rng, actions, ended = np.random.default_rng(2), vector.single_action_space.n, 0
    due, _ = plain.reset(seed=5)
    for _ in range(60):
        np.testing.assert_array_equal(vector.observations[:seats], list(due.values()))
        legal = envs.mask_of(vector.observations, actions)
        acted = np.array([rng.choice(np.flatnonzero(one)) for one in legal])
        if ended:
            break
        due, rewards, terminated, *_ = plain.step(dict(zip(plain.possible_agents, acted[:seats], strict=True)))
        _, told, ends, *_ = vector.step(acted)
        np.testing.assert_array_equal(told[:seats], np.array(list(rewards.values()), np.float32))
        np.testing.assert_array_equal(ends[:seats], list(terminated.values()))
        ended = any(terminated.values())
    vector.close()


@pytest.mark.parametrize(
    ("options", "make"),
    [(GAMES[0], all_seats), (GAMES[0], one_seat), (GAMES[1], all_seats), (GAMES[2], one_seat)],
    ids=["mnk-parallel", "mnk-seat", "durak-parallel", "daifugo-seat"],
)
def test_its_trainer_trains_a_masked_policy_that_plays_in_our_arena(
    options: dict[str, Any], make: Any, tmp_path: Path
) -> None:
    vector = pufferlib.vector.make(make, env_kwargs=options, num_envs=4, backend="Serial")
    policy = Masked(vector.driver_env, hidden_size=32)
    before = [weights.detach().clone() for weights in policy.parameters()]
    trained = trainer(vector, policy, tmp_path, steps=1000)
    while trained.global_step < 1000:  # an illegal action raises
        trained.evaluate()
        trained.train()
    trained.close()
    after = list(policy.parameters())
    assert all(torch.isfinite(weights).all() for weights in after)
    assert all(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    plain = vector.driver_env.env.unwrapped

    def decide(views: Any, masks: Any) -> Any:
        with torch.no_grad():
            return policy(torch.as_tensor(plain.observation_of(views, masks)))[0].argmax(1)

    variant = {key: value for key, value in options.items() if key != "name"}
    score_legally(options["name"], decide, deals=20, **variant)


def test_processes_play_the_same_games() -> None:
    """With one environment in each; several would share seeds with those of the next process."""
    seen = []
    for how in ({"backend": "Serial"}, {"backend": "Multiprocessing", "num_workers": 2}):
        vector = pufferlib.vector.make(all_seats, env_kwargs=GAMES[1], num_envs=2, **how)
        observations, _ = vector.reset(seed=5)
        seen.append(np.array(observations).reshape(8, -1))
        vector.close()
    np.testing.assert_array_equal(*seen)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("pufferlib")
