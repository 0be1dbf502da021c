"""XuanCe's registry, vectors and multi-agent algorithms over our games. Run by `make test-xuance`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("xuance", "1.4.4")

import torch
from xuance.common import get_arguments
from xuance.environment import REGISTRY_MULTI_AGENT_ENV, make_envs
from xuance.torch.agents import REGISTRY_Agents

from kozyr import envs
from kozyr.agents.agent import Solo
from kozyr.agents.arena.matches.match import match
from kozyr.envs.bridges import xuance_env
from tests.plugs.strict import StrictParallel, strict_parallel

pytestmark = pytest.mark.filterwarnings("ignore")  # it is written for NumPy 1 and older Gymnasiums
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36, "transfer": True},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")
PLAIN = {"use_rnn": False, "representation": "Basic_MLP", "representation_hidden_size": [64], "gamma": 1.0}
ON_POLICY = {**PLAIN, "buffer_size": 200, "n_epochs": 2, "n_minibatch": 2, "learning_rate": 1e-3}
OFF_POLICY = {**PLAIN, "buffer_size": 400, "batch_size": 32, "start_training": 40, "decay_step_greedy": 200}
RECURRENT = {"buffer_size": 4, "n_epochs": 2, "gamma": 1.0}


@pytest.fixture(autouse=True)
def strict_and_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let games raise on an illegal move, and XuanCe know them."""
    monkeypatch.setattr(
        envs, "make_parallel", lambda name, mode, **more: strict_parallel(name, render_mode=mode, **more)
    )
    xuance_env.register()


def variant_of(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "name"}


def settings(options: dict[str, Any], algorithm: str, folder: Path, **more: Any) -> Any:
    """Return XuanCe's own settings of an algorithm for games with masks, with another environment."""
    config = get_arguments(algorithm, "sc2", "3m")
    own = {"env_name": xuance_env.NAME, "env_id": options["name"], "variant": variant_of(options), "env_seed": 7}
    places = {"log_dir": str(folder / "logs"), "model_dir": str(folder / "models")}
    vectors = {"vectorize": "DummyVecMultiAgentEnv", "parallels": 4, "render_mode": None}
    for key, value in {**own, **places, **vectors, **more}.items():
        setattr(config, key, value)
    return config


class Learned(Solo):
    """What has learned, as an agent that knows its seat: the shared network is told it."""

    def __init__(self, agents: Any, options: dict[str, Any]) -> None:
        self.agents = agents
        self.env = StrictParallel(envs.game(options["name"]), observation="float32", **variant_of(options))

    def reset(self, seat: int, seed: int) -> None:
        self.key = self.agents.agent_keys[seat]

    def act(self, view: Any, mask: Any) -> int:
        one, keys = self.env.observation_of(view, mask), self.agents.agent_keys
        seen, legal = ([dict.fromkeys(keys, one[part])] for part in ("observation", "action_mask"))
        more = {"deterministic": True} if self.agents.on_policy else {}
        asked = self.agents.get_actions(seen, avail_actions_dict=legal, test_mode=True, **more)
        return int(asked["actions"][0][self.key])


@EACH
def test_a_vector_shows_the_positions_of_the_parallel_environment(options: dict[str, Any], tmp_path: Path) -> None:
    vector = make_envs(settings(options, "ippo", tmp_path))
    seen, _ = vector.reset()
    plain = StrictParallel(envs.game(options["name"]), observation="float32", **variant_of(options))
    rng = np.random.default_rng(3)
    assert vector.agents == plain.possible_agents
    for i in range(4):
        due, _ = plain.reset(seed=7 + i)
        for name, its in due.items():
            np.testing.assert_array_equal(seen[i][name], its["observation"])
            np.testing.assert_array_equal(vector.buf_avail_actions[i][name], its["action_mask"] == 1)
        np.testing.assert_array_equal(vector.buf_state[i], np.concatenate([its["observation"] for its in due.values()]))
        assert vector.state_space.contains(vector.buf_state[i])
    ended = 0
    for _ in range(300):
        acted = [
            {name: rng.choice(np.flatnonzero(mask)) for name, mask in masks.items()}
            for masks in vector.buf_avail_actions
        ]
        seen, rewards, terminated, truncated, infos = vector.step(acted)
        for i in range(4):
            over = all(terminated[i].values()) or truncated[i]
            assert over or not any(rewards[i].values())
            assert sum(rewards[i].values()) == pytest.approx(0, abs=1e-6)
            assert infos[i]["episode_step"] <= vector.max_episode_steps
            if over:  # the loops of XuanCe take what follows from here
                vector.buf_avail_actions[i] = infos[i]["reset_avail_actions"]
                ended += 1
    assert ended
    vector.close()


@pytest.mark.parametrize(
    ("options", "algorithm", "more"),
    [
        (GAMES[0], "ippo", ON_POLICY),
        (GAMES[0], "iql", OFF_POLICY),
        (GAMES[0], "ippo", RECURRENT),
        (GAMES[1], "mappo", {**ON_POLICY, "use_global_state": True}),
        (GAMES[2], "ippo", {**ON_POLICY, "use_parameter_sharing": False}),
    ],
    ids=["mnk-ippo", "mnk-iql", "mnk-recurrent", "durak-mappo", "daifugo-ippo"],
)
def test_an_algorithm_trains_and_plays_in_our_arena(
    options: dict[str, Any], algorithm: str, more: dict[str, Any], tmp_path: Path
) -> None:
    config = settings(options, algorithm, tmp_path, **more)
    agents = REGISTRY_Agents[config.agent](config, make_envs(config))
    before = [weights.detach().clone() for weights in agents.policy.parameters()]
    agents.train(120)
    assert agents.current_step >= 480
    after = list(agents.policy.parameters())
    assert all(torch.isfinite(weights).all() for weights in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    agents.train_envs.close()
    scores = agents.test(2, test_envs=make_envs(config))
    assert scores == pytest.approx(np.zeros(len(scores)), abs=1e-6)  # self-play, and the mean over the seats
    assert len(scores) >= 2
    agents.finish()
    if not config.use_rnn:
        result = match(options["name"], [Learned(agents, options), "random"], 20, **variant_of(options))
        assert [(one.errors, one.first_error) for one in result.agents] == [(0, None)] * 2


def test_processes_play_the_same_games(tmp_path: Path) -> None:
    one = make_envs(settings(GAMES[1], "ippo", tmp_path))
    many = make_envs(settings(GAMES[1], "ippo", tmp_path, vectorize="SubprocVecMultiAgentEnv"))
    for here, there in zip(one.reset()[0], many.reset()[0], strict=True):
        for name in here:
            np.testing.assert_array_equal(here[name], there[name])
    many.close()


def test_the_registry_has_our_games_under_one_name(tmp_path: Path) -> None:
    assert REGISTRY_MULTI_AGENT_ENV[xuance_env.NAME] is xuance_env.XuanceEnv
    with pytest.raises(ValueError, match="bridge"):
        make_envs(settings({"name": "bridge"}, "ippo", tmp_path))


def test_the_page_of_the_documentation_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    running.library("xuance")
