"""d3rlpy's offline learners on recorded games, with masked values. Run by `make test-d3rlpy`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("d3rlpy", "2.8.1")

import minari
import torch
from d3rlpy.algos import DiscreteBCConfig, DiscreteCQLConfig
from d3rlpy.dataset import MDPDataset
from d3rlpy.logging import NoopAdapterFactory
from d3rlpy.metrics import evaluate_qlearning_with_environment
from d3rlpy.models.q_functions import MeanQFunctionFactory

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.envs.environments.observations import Form
from kozyr.training.data import minari_dataset
from tests.plugs.outsider import score_legally

GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")
STEPS: dict[str, Any] = {"logger_adapter": NoopAdapterFactory(), "show_progress": False}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for the records and Minari's datasets, where the tests are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return tmp_path


class MaskedFactory(MeanQFunctionFactory):  # pyright: ignore[reportUntypedBaseClass]
    """d3rlpy's usual values, very low for illegal actions."""

    def create_discrete(self, encoder: Any, hidden_size: int, action_size: int) -> Any:
        def mask(_: Any, inputs: Any, output: Any) -> Any:
            illegal = envs.mask_of(inputs[0], action_size) == 0
            return output._replace(q_value=output.q_value.masked_fill(illegal, -1e9))

        values, forwarder = super().create_discrete(encoder, hidden_size, action_size)
        values.register_forward_hook(mask)
        return values, forwarder


def form_of(name: str, **options: Any) -> Form:
    game = envs.game(name)
    return Form("flat", game, game.make_variant(**options))


def data_of(name: str, **options: Any) -> tuple[list[Any], Any]:
    """Return the episodes of recorded games, one for each seat, and d3rlpy's dataset of them."""
    match(name, ["random", "random"], deals=10, record="games.jsonl", **options)
    minari_dataset.write(Path("games.jsonl"), "kozyr/test-v0")
    episodes, form = list(minari.load_dataset("kozyr/test-v0").iterate_episodes()), form_of(name, **options)
    shown = [form.show(one.observations["observation"], one.observations["action_mask"])[:-1] for one in episodes]
    dataset = MDPDataset(
        observations=np.concatenate(shown),
        actions=np.concatenate([one.actions for one in episodes]),
        rewards=np.concatenate([one.rewards for one in episodes]).astype(np.float32),
        terminals=np.concatenate([one.terminations | one.truncations for one in episodes]),
        action_size=envs.game(name).actions(envs.game(name).make_variant(**options)),
    )
    return episodes, dataset


def weights(module: Any) -> Any:
    return torch.nn.utils.parameters_to_vector(module.parameters()).detach().clone()


def train(algo: Any, dataset: Any, part: str, steps: int = 60) -> Any:
    """Train and return the module that decides, whose weights have changed and are finite."""
    algo.build_with_dataset(dataset)
    module = getattr(algo.impl.modules, part)
    before = weights(module)
    results = algo.fit(dataset, n_steps=steps, n_steps_per_epoch=steps, **STEPS)
    assert all(np.isfinite(value) for _, metrics in results for value in metrics.values())
    assert torch.isfinite(weights(module)).all()
    assert not torch.equal(weights(module), before)
    return module


@EACH
def test_the_dataset_has_every_decision_with_its_mask_and_payoff(options: dict[str, Any]) -> None:
    episodes, dataset = data_of(**options)
    actions = dataset.dataset_info.action_size
    assert len(dataset.episodes) == len(episodes) > 10
    assert dataset.transition_count == sum(map(len, episodes))
    for one, its in zip(episodes, dataset.episodes, strict=True):
        mask = envs.mask_of(its.observations, actions)
        np.testing.assert_array_equal(mask, one.observations["action_mask"][:-1])
        assert mask[np.arange(len(mask)), its.actions[:, 0]].all()
        np.testing.assert_array_equal(its.rewards[:, 0], one.rewards.astype(np.float32))
        assert its.terminated


def test_the_last_decision_before_a_timeout_is_dropped() -> None:
    """So ends by a cap are given as ends of the game."""
    rewards, terminals = np.array([0, 0, 1], np.float32), np.array([0, 0, 1], np.float32)
    counts = list[int]()
    for ends in ({"terminals": terminals}, {"terminals": np.zeros(3, np.float32), "timeouts": terminals}):
        dataset = MDPDataset(np.zeros((3, 2), np.float32), np.zeros(3, np.int64), rewards, **ends, action_size=2)
        counts.append(dataset.transition_count)
    assert counts == [3, 2]


@EACH
def test_masked_cql_trains_and_plays_in_our_arena(options: dict[str, Any]) -> None:
    _, dataset = data_of(**options)
    config = DiscreteCQLConfig(
        learning_rate=1e-3, batch_size=32, gamma=1.0, target_update_interval=20, q_func_factory=MaskedFactory()
    )
    algo = config.create(device="cpu")
    train(algo, dataset, "q_funcs")
    variant = {key: value for key, value in options.items() if key != "name"}
    form = form_of(**options)
    score_legally(options["name"], lambda views, masks: algo.predict(form.show(views, masks)), **variant)


@EACH
def test_cloned_behaviour_is_masked_when_it_plays(options: dict[str, Any]) -> None:
    _, dataset = data_of(**options)
    algo = DiscreteBCConfig(learning_rate=1e-3, batch_size=32).create(device="cpu")
    policy = train(algo, dataset, "imitator")
    variant = {key: value for key, value in options.items() if key != "name"}
    form = form_of(**options)

    def decide(views: Any, masks: Any) -> Any:
        with torch.no_grad():
            logits = policy(torch.as_tensor(form.show(views, masks))).logits
        return logits.masked_fill(torch.as_tensor(masks) == 0, -1e9).argmax(1)

    score_legally(options["name"], decide, **variant)


@pytest.mark.parametrize("factory", [MaskedFactory, MeanQFunctionFactory])
def test_d3rlpys_own_evaluation_is_legal_with_masked_values(factory: Any) -> None:
    _, dataset = data_of("durak", deck=36)
    algo = DiscreteCQLConfig(q_func_factory=factory()).create(device="cpu")
    algo.build_with_dataset(dataset)
    seat, illegal = envs.make_seat("durak", observation="flat", deck=36), list[int]()
    step = seat.step

    def step_and_count(action: Any) -> Any:
        result = step(action)
        illegal.append(result[-1]["illegal_move"])
        return result

    seat.step = step_and_count  # pyright: ignore[reportAttributeAccessIssue]
    evaluate_qlearning_with_environment(algo, seat, n_trials=10)
    assert illegal
    assert any(illegal) == (factory is MeanQFunctionFactory)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("d3rlpy")
