"""AgileRL's agents, replay and training loops over our tables, and self-play. Run by `make test-agilerl`."""

from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("agilerl", "2.58")

import gymnasium
import torch
from agilerl.algorithms import DQN, PPO, RainbowDQN
from agilerl.components.data import Transition, transition_to_tensordict
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.hpo.mutation import Mutations
from agilerl.hpo.tournament import TournamentSelection
from agilerl.training.train_off_policy import train_off_policy
from agilerl.training.train_on_policy import train_on_policy

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv
from kozyr.envs.registry import gymnasium_id
from tests.plugs.outsider import score_legally

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
TABLES = 16
NET: dict[str, Any] = {
    "latent_dim": 32,
    "encoder_config": {"hidden_size": [64]},
    "head_config": {"hidden_size": [64]},
}
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36, "transfer": True},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")


def variant_of(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "name"}


def tables(options: dict[str, Any]) -> Any:
    """Return tables that raise on an illegal move, with the masks where AgileRL looks for them."""
    return gymnasium.make_vec(gymnasium_id(options["name"]), TABLES, **variant_of(options))


def spaces(env: Any) -> tuple[Any, Any]:
    return env.single_observation_space, env.single_action_space


def q_values(agent: Any, options: dict[str, Any]) -> float:
    """Play greedily by a network of values in our arena."""
    agent.set_training_mode(False)
    return score_legally(
        options["name"], lambda views, masks: agent.get_action(views, action_mask=masks), **variant_of(options)
    )


@EACH
def test_ppo_trains_by_agilerls_loop(options: dict[str, Any]) -> None:
    env = tables(options)
    agent = PPO(*spaces(env), num_envs=TABLES, learn_step=512, batch_size=128, lr=1e-3, gamma=1.0, net_config=NET)
    before = [weights.clone() for weights in agent.actor.parameters()]
    (trained,), (fitness,) = train_on_policy(
        env, options["name"], "PPO", [agent], max_steps=1024, evo_steps=1024, verbose=False
    )
    assert np.isfinite(fitness)
    after = list(trained.actor.parameters())
    assert all(torch.isfinite(weights).all() for weights in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    trained.set_training_mode(False)
    score_legally(
        options["name"], lambda views, masks: trained.get_action(views, action_mask=masks)[0], **variant_of(options)
    )


@EACH
@pytest.mark.parametrize("kind", [DQN, RainbowDQN])
def test_values_train_by_agilerls_loop(options: dict[str, Any], kind: Any) -> None:
    env = tables(options)
    agent = kind(*spaces(env), lr=1e-3, learn_step=16, batch_size=64, net_config=NET)
    (trained,), (fitness,) = train_off_policy(
        env,
        options["name"],
        kind.__name__,
        [agent],
        ReplayBuffer(max_size=4000),
        max_steps=1024,
        evo_steps=1024,
        verbose=False,
    )
    assert np.isfinite(fitness)
    q_values(trained, options)


def test_a_population_evolves_and_learns() -> None:
    """Tournaments and mutations, AgileRL's own; the best of the population beats random play by far."""
    options = GAMES[0]
    env = tables(options)
    agents = [
        PPO(*spaces(env), index=i, num_envs=TABLES, learn_step=512, batch_size=128, lr=2e-3, gamma=1.0, net_config=NET)
        for i in range(2)
    ]
    population, _ = train_on_policy(
        env,
        "mnk",
        "PPO",
        agents,
        max_steps=12_288,
        evo_steps=4096,
        eval_loop=4,
        selection_strategy=TournamentSelection(2, elitism=True, population_size=2),
        mutation=Mutations(0.5, 0, 0, 0, 0, 0.5, rand_seed=1),
        verbose=False,
    )
    best = max(population, key=lambda one: one.fitness[-1])
    best.set_training_mode(False)
    legal = score_legally("mnk", lambda v, m: best.get_action(v, action_mask=m)[0], 200, **variant_of(options))
    assert legal > 0.6


@EACH
def test_self_play_in_the_turn_based_loop(options: dict[str, Any]) -> None:
    """One DQN plays all seats of a PettingZoo game; each decision ends in the seat's next one."""
    env: Any = RawEnv(envs.game(options["name"]), **variant_of(options))
    space = env.observation_space("player_0")["observation"]
    agent = DQN(space, env.action_space("player_0"), lr=1e-3, batch_size=32, net_config=NET)
    memory, learned = ReplayBuffer(max_size=2000), 0
    for game in range(8):
        env.reset(seed=game)
        before: dict[str, tuple[Any, Any]] = {}
        for name in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            over = terminated or truncated
            view, mask = observation["observation"][None], observation["action_mask"][None]
            assert info["illegal_move"] == 0
            if name in before:
                remember(memory, *before[name], reward, view, over)
            action = None if over else agent.get_action(view, 0.5, action_mask=mask)
            env.step(None if action is None else int(action[0]))
            before[name] = (view, action)
            if len(memory) >= 32 and len(memory) % 4 == 0:
                agent.learn(memory.sample(32))
                learned += 1
    assert learned >= 5
    q_values(agent, options)


def remember(memory: ReplayBuffer, view: Any, action: Any, reward: float, after: Any, over: bool) -> None:
    done = np.array([over], np.float32)
    told = Transition(obs=view, action=action, reward=np.array([reward], np.float32), next_obs=after, done=done)
    batch = transition_to_tensordict(told)
    batch.batch_size = torch.Size([1])
    memory.add(batch)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("agilerl")
