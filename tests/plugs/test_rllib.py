"""RLlib's new API stack over our games: every seat an agent. Run by `make test-rllib`, which installs it."""

from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("ray", "2.60", "rllib")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own warnings are not ours

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from kozyr import envs
from kozyr.training.rllib.games import GameEnv
from kozyr.training.rllib.module import BotModule, MaskedModule

NET = {
    "patterns": 0,
    "critic": "view",
    "turned": False,
    "meeting": False,
    "trunk": [32],
    "heads": [16],
    "activation": "relu",
}
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("durak", {"players": 2, "deck": 20}),
    ("daifugo", {"players": 4}),
    ("daifugo", {"players": 4, "eight_stop": True}),  # who plays an eight acts again
]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


class Checked(RLlibCallback):  # pyright: ignore[reportUntypedBaseClass]
    """Count the actions of every episode and those that its masks forbade."""

    def on_episode_end(self, *, episode, metrics_logger, **kwargs):
        played = forbidden = 0
        for one in episode.agent_episodes.values():
            masks = [shown["action_mask"] for shown in one.get_observations()][: len(one)]
            played += len(one)
            forbidden += sum(mask[action] == 0 for mask, action in zip(masks, one.get_actions(), strict=True))
        metrics_logger.log_value("played", played, reduce="lifetime_sum")
        metrics_logger.log_value("forbidden", forbidden, reduce="lifetime_sum")


def config_of(name: str, options: dict[str, Any], bots: str | None = None, runners: int = 0) -> PPOConfig:
    """Return PPO for a game; player_0 learns against a bot, or all seats share the learner."""
    facts = {"game": name, "options": options}
    modules = {"learner": RLModuleSpec(MaskedModule, model_config={**facts, "net": NET})}
    if bots is not None:
        modules["bot"] = RLModuleSpec(BotModule, model_config={**facts, "agent": bots})

    def seated(agent: str, *args: Any, **kwargs: Any) -> str:
        return "learner" if bots is None or agent == "player_0" else "bot"

    return (
        PPOConfig()
        .environment(GameEnv, env_config={"game": name, **options}, disable_env_checking=True)
        .env_runners(num_env_runners=runners, batch_mode="complete_episodes")
        .multi_agent(policies=set(modules), policy_mapping_fn=seated, policies_to_train=["learner"])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(train_batch_size_per_learner=400, minibatch_size=200, num_epochs=2, lr=1e-3)
        .callbacks(Checked)
        .debugging(seed=1, log_level="ERROR")
    )


@pytest.mark.parametrize(("name", "options"), GAMES)
@pytest.mark.parametrize("bots", [None, "random"])
def test_ppo_trains_with_no_illegal_move(name, options, bots):
    algorithm = config_of(name, options, bots).build_algo()
    try:
        before = algorithm.get_module("learner").get_state()
        algorithm.train()
        results = algorithm.train()
        after = algorithm.get_module("learner").get_state()
    finally:
        algorithm.stop()
    seen = results["env_runners"]
    assert seen["played"] > 200
    assert seen["forbidden"] == 0
    assert any(np.abs(after[key] - before[key]).max() > 0 for key in before)
    assert results["learners"]["learner"]["num_module_steps_trained"] > 0


@pytest.mark.parametrize("name", envs.games())
def test_a_game_keeps_rllibs_contract(name):
    env, rng = GameEnv({"game": name}), np.random.default_rng(0)
    shown, _ = env.reset(seed=1)
    total: dict[str, float] = dict.fromkeys(env.agents, 0.0)
    rewards: dict[str, float] = {}
    over = False
    while not over:
        ((agent, seen),) = shown.items()
        assert env.observation_spaces[agent].contains(seen)
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        shown, rewards, ended, cut, _ = env.step({agent: action})
        for who, reward in rewards.items():
            total[who] += reward
        over = ended["__all__"] or cut["__all__"]
    assert set(shown) == set(rewards)
    assert all(
        total[agent] == pytest.approx(env.raw._s.payoff[k]) for k, agent in enumerate(env.agents) if agent in shown
    )


def test_an_agent_that_acts_twice_in_a_row_has_a_reward_between() -> None:
    env, rng, twice = GameEnv({"game": "daifugo", "players": 4, "eight_stop": True}), np.random.default_rng(0), 0
    for seed in range(5):
        shown, over = env.reset(seed=seed)[0], False
        while not over:
            ((agent, seen),) = shown.items()
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            shown, rewards, ended, cut, _ = env.step({agent: action})
            over = ended["__all__"] or cut["__all__"]
            if agent in shown:
                assert agent in rewards  # without it RLlib ends the worker
                twice += not over
    assert twice > 0


def test_mistakes_are_told():
    env = GameEnv({"game": "durak", "deck": 20})
    shown, _ = env.reset(seed=1)
    ((agent, seen),) = shown.items()
    with pytest.raises(ValueError, match=f"{agent} is to act, not nobody"):
        env.step({})
    with pytest.raises(ValueError, match="not legal here"):
        env.step({agent: int(seen["action_mask"].argmin())})
    with pytest.raises(ValueError, match="unknown game"):
        GameEnv({"game": "bridge"})


def test_the_page_of_the_documentation_runs() -> None:
    running.library("rllib")
