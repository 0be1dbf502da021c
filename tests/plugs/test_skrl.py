"""skrl's wrappers, PPO, DDQN, IPPO and its trainer, with masked models. Run by `make test-skrl`."""
# pyright: reportUntypedBaseClass=false

import sys
from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("skrl", "2.1")

import skrl
import torch
from skrl.agents.torch.ddqn import DDQN, DDQN_CFG
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.envs.wrappers.torch.gymnasium_envs import GymnasiumWrapper
from skrl.envs.wrappers.torch.pettingzoo_envs import PettingZooWrapper
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.multi_agents.torch.ippo import IPPO, IPPO_CFG
from skrl.trainers.torch import SequentialTrainer
from skrl.utils.spaces.torch import unflatten_tensorized_space
from torch import nn

from kozyr import envs
from kozyr.envs.environments.observations import Form
from tests.plugs.outsider import score_legally

skrl.logger.handlers[0].setStream(sys.__stderr__)  # at exit it tells of closed environments; pytest's has gone by then
TABLES, ROLLOUT, STEPS = 8, 16, 64
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")
FORM = pytest.mark.parametrize("form", ["flat", "float32"])


def tables(form: str, name: str, **options: Any) -> Any:
    """Return tables that raise on an illegal action, as skrl sees them."""
    env = envs.make_seats(name, TABLES, opponents="random", observation=form, **options)
    return wrap_env(env, verbose=False)


def layers(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, 64), nn.ELU(), nn.Linear(64, outputs))


class Masked(Model):
    """What all models share: a network, and the mask in the observation."""

    def __init__(self, observations: Any, actions: Any, outputs: int) -> None:
        Model.__init__(self, observation_space=observations, action_space=actions, device="cpu")
        self.net = layers(self.num_observations, outputs)

    def mask(self, inputs: Any) -> Any:
        return envs.mask_of(
            unflatten_tensorized_space(self.observation_space, inputs["observations"]), self.num_actions
        )

    def logits(self, inputs: Any) -> Any:
        return self.net(inputs["observations"]).masked_fill(self.mask(inputs) == 0, -1e9)


class Policy(CategoricalMixin, Masked):
    def __init__(self, observations: Any, actions: Any) -> None:
        Masked.__init__(self, observations, actions, int(actions.n))
        CategoricalMixin.__init__(self)

    def compute(self, inputs: Any, role: str) -> Any:
        return self.logits(inputs), {}


class Value(DeterministicMixin, Masked):
    def __init__(self, observations: Any, actions: Any) -> None:
        Masked.__init__(self, observations, actions, 1)
        DeterministicMixin.__init__(self)

    def compute(self, inputs: Any, role: str) -> Any:
        return self.net(inputs["observations"]), {}


class Choices(DeterministicMixin, Masked):
    """Values of all actions; exploration draws legal ones only."""

    def __init__(self, observations: Any, actions: Any) -> None:
        Masked.__init__(self, observations, actions, int(actions.n))
        DeterministicMixin.__init__(self)

    def compute(self, inputs: Any, role: str) -> Any:
        return self.logits(inputs), {}

    def random_act(self, inputs: Any, *, role: str = "") -> Any:
        return torch.multinomial(self.mask(inputs), 1), {}


def train(env: Any, agents: Any, steps: int = STEPS) -> None:
    cfg = {"timesteps": steps, "headless": True, "disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agents, cfg=cfg).train()


def silent(cfg: Any) -> Any:
    """Let an agent write no files."""
    cfg.experiment.write_interval = cfg.experiment.checkpoint_interval = 0
    return cfg


def weights(model: Any) -> Any:
    return nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def assert_learned(model: Any, before: Any) -> None:
    after = weights(model)
    assert torch.isfinite(after).all()
    assert not torch.equal(before, after)


def assert_legal(memory: Any) -> None:
    chances = memory.get_tensor_by_name("log_prob")
    assert torch.isfinite(chances).all()
    assert chances.min() > -1e6  # that of an illegal action is −1e9


def score(form: str, model: Any, name: str, extra: int = 0, **options: Any) -> float:
    """Play the model's best actions in our arena."""
    game = envs.game(name)
    shown = Form(form, game, game.make_variant(**options), extra)

    def decide(views: Any, masks: Any) -> Any:
        masks = np.pad(masks, ((0, 0), (0, extra)))
        seen = shown.show(views, masks)
        parts = [seen] if form == "flat" else [seen[key] for key in sorted(seen)]  # as Gymnasium sorts a Dict
        tensor = torch.as_tensor(np.concatenate(parts, 1), dtype=torch.float32)
        return model.compute({"observations": tensor}, "policy")[0].argmax(1)

    return score_legally(name, decide, **options)


@EACH
@FORM
def test_the_wrapper_shows_the_masks_of_the_tables(form: str, options: dict[str, Any]) -> None:
    env = tables(form, **options)
    assert isinstance(env, GymnasiumWrapper)
    assert env.num_envs == TABLES
    model = Policy(env.observation_space, env.action_space)
    seen, infos = env.reset()
    for _ in range(20):
        assert model.mask({"observations": seen}).int().tolist() == infos["action_mask"].tolist()
        actions, _ = model.act({"observations": seen})
        seen, *_, infos = env.step(actions)
    assert isinstance(wrap_env(envs.make_seat("mnk"), verbose=False), GymnasiumWrapper)
    assert isinstance(wrap_env(envs.make_parallel("mnk"), verbose=False), PettingZooWrapper)


@EACH
@FORM
def test_ppo_trains_and_plays_in_our_arena(form: str, options: dict[str, Any]) -> None:
    env = tables(form, **options)
    spaces = env.observation_space, env.action_space
    models = {"policy": Policy(*spaces), "value": Value(*spaces)}
    before = {key: weights(model) for key, model in models.items()}
    cfg = silent(PPO_CFG(rollouts=ROLLOUT, learning_epochs=2, discount_factor=1.0, entropy_loss_scale=0.01))
    memory = RandomMemory(memory_size=ROLLOUT, num_envs=TABLES, device="cpu")
    agent = PPO(
        models=models, memory=memory, observation_space=spaces[0], action_space=spaces[1], device="cpu", cfg=cfg
    )
    train(env, agent)
    for key, model in models.items():
        assert_learned(model, before[key])
    assert_legal(memory)
    score(form, models["policy"], **options)


@EACH
def test_ddqn_explores_and_plays_legally(options: dict[str, Any]) -> None:
    env = tables("flat", **options)
    spaces = env.observation_space, env.action_space
    models = {"q_network": Choices(*spaces), "target_q_network": Choices(*spaces)}
    before = weights(models["q_network"])
    cfg = silent(DDQN_CFG(learning_starts=8, random_timesteps=8, exploration_scheduler=lambda step, steps: 0.3))
    memory = RandomMemory(memory_size=STEPS, num_envs=TABLES, device="cpu")
    agent = DDQN(
        models=models, memory=memory, observation_space=spaces[0], action_space=spaces[1], device="cpu", cfg=cfg
    )
    train(env, agent)
    assert_learned(models["q_network"], before)
    score("flat", models["q_network"], **options)


@EACH
def test_ippo_plays_all_seats_of_the_parallel_environment(options: dict[str, Any]) -> None:
    """Who waits has one legal action, and each seat has a policy of its own."""
    table = envs.make_parallel(observation="flat", **options)
    env = wrap_env(table, verbose=False)
    agents = env.possible_agents
    spaces = {agent: (env.observation_space(agent), env.action_space(agent)) for agent in agents}
    models = {agent: {"policy": Policy(*spaces[agent]), "value": Value(*spaces[agent])} for agent in agents}
    before = {agent: weights(models[agent]["policy"]) for agent in agents}
    kinds = ("learning_rate_scheduler", "observation_preprocessor", "state_preprocessor", "value_preprocessor")
    empty: Any = {f"{kind}_kwargs": {agent: {} for agent in agents} for kind in kinds}  # 2.1.1 refuses its own default
    memories = {agent: RandomMemory(memory_size=ROLLOUT, device="cpu") for agent in agents}
    learner = IPPO(
        possible_agents=agents,
        models=models,
        memories=memories,
        observation_spaces=env.observation_spaces,
        state_spaces=env.state_spaces,
        action_spaces=env.action_spaces,
        device="cpu",
        cfg=silent(IPPO_CFG(rollouts=ROLLOUT, learning_epochs=2, discount_factor=1.0, **empty)),
    )
    train(env, learner)
    for agent in agents:
        assert_learned(models[agent]["policy"], before[agent])
        assert_legal(memories[agent])
    score("flat", models[agents[0]]["policy"], extra=1, **options)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("skrl")
