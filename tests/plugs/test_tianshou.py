"""Tianshou's PettingZooEnv, collector, multi-agent DQN and trainer. Run by `make test-tianshou`."""

from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("tianshou", "2.0")

import torch
from tianshou.algorithm import MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv
from tests.plugs.outsider import score_legally

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
TABLES = 4
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "deck": 20, "transfer": True},
    {"name": "durak", "players": 4, "deck": 36},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")


def table(name: str, **options: Any) -> PettingZooEnv:
    """Return a game that raises on an illegal move, as Tianshou sees it."""
    return PettingZooEnv(RawEnv(envs.game(name), **options))


def dqn(env: PettingZooEnv) -> DQN:
    space, actions = env.observation_space["observation"], env.action_space
    net = Net(state_shape=space.shape, action_shape=int(actions.n), hidden_sizes=[64, 64])
    policy = DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=0.3, eps_inference=0.0)
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.95,
        n_step_return_horizon=2,
        target_update_freq=100,
    )


def seated(env: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    """Return two learners in the first seats and Tianshou's random players in all others."""
    others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in env.agents[2:]]
    return MultiAgentOffPolicyAlgorithm(algorithms=[dqn(env), dqn(env), *others], env=env)


@EACH
def test_a_position_becomes_an_observation_with_its_mask(options: dict[str, Any]) -> None:
    env = table(**options)
    observation, _ = env.reset(seed=3)
    raw: Any = env.env
    assert observation["agent_id"] == raw.agent_selection
    own = raw.observe(raw.agent_selection)
    np.testing.assert_array_equal(observation["obs"], own["observation"])
    np.testing.assert_array_equal(observation["mask"], own["action_mask"] == 1)


@EACH
def test_every_seat_gets_its_payoff_at_the_end(options: dict[str, Any]) -> None:
    env, rng = table(**options), np.random.default_rng(1)
    observation, _ = env.reset(seed=4)
    over, rewards = False, []
    while not over:
        assert any(observation["mask"])
        action = rng.choice(np.flatnonzero(observation["mask"]))
        observation, rewards, terminated, truncated, _ = env.step(int(action))
        over = terminated or truncated
        assert over or not any(rewards)
    raw: Any = env.env
    assert rewards == raw.state_record().payoff[: len(rewards)].tolist()


@EACH
def test_a_collector_fills_a_buffer_with_legal_moves(options: dict[str, Any]) -> None:
    tables = DummyVectorEnv([lambda: table(**options)] * TABLES)
    buffer = VectorReplayBuffer(4000, TABLES)
    collector = Collector[CollectStats](seated(table(**options)), tables, buffer, exploration_noise=True)
    collector.reset()
    told = collector.collect(n_step=400)
    assert told.n_collected_steps == len(buffer) == 400
    masks, acted = np.asarray(buffer.obs.mask), np.asarray(buffer.act)[:, None]
    sampled = buffer.sample_indices(0)
    assert np.take_along_axis(masks[sampled], acted[sampled].astype(int), 1).all()
    assert set(buffer.obs.agent_id[sampled]) == set(table(**options).agents)


@EACH
def test_dqn_trains_and_plays_in_our_arena(options: dict[str, Any]) -> None:
    tables, tested = (DummyVectorEnv([lambda: table(**options)] * TABLES) for _ in range(2))
    both = seated(table(**options))
    learner = both.get_algorithm("player_0")
    before = [weights.clone() for weights in learner.policy.parameters()]
    training = Collector[CollectStats](both, tables, VectorReplayBuffer(8000, TABLES), exploration_noise=True)
    training.reset()
    training.collect(n_step=200)
    result = both.run_training(
        OffPolicyTrainerParams(
            training_collector=training,
            test_collector=Collector[CollectStats](both, tested),
            max_epochs=1,
            epoch_num_steps=400,
            collection_step_num_env_steps=40,
            test_step_num_episodes=TABLES,
            batch_size=64,
            update_step_num_gradient_steps_per_sample=0.25,
            multi_agent_return_reduction=lambda rewards: rewards[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    assert result.train_step >= 400
    assert result.update_step > 0
    after = list(learner.policy.parameters())
    assert all(torch.isfinite(weights).all() for weights in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    variant = {key: value for key, value in options.items() if key != "name"}
    score_legally(options["name"], lambda views, masks: greedy(learner, views, masks), **variant)


def greedy(learner: Any, views: Any, masks: Any) -> Any:
    return learner.policy(Batch(obs=Batch(obs=views, mask=masks.astype(bool)), info=Batch())).act


def test_the_page_of_the_documentation_runs() -> None:
    running.library("tianshou")
