"""BenchMARL's tasks, experiments and algorithms over parallel environments. Run by `make test-benchmarl`."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.docs import running
from tests.plugs.required import library

library("benchmarl", "1.5.2")

import torch
from benchmarl.algorithms import IppoConfig, IqlConfig, MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.experiment.callback import Callback
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import ExplorationType, check_env_specs, set_exploration_type

from kozyr import envs
from tests.plugs.outsider import score_legally
from tests.plugs.strict import strict_parallel

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::RuntimeWarning")
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "durak", "players": 4, "deck": 36, "transfer": True},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', 2)}")


class Record(Callback):  # pyright: ignore[reportUntypedBaseClass]
    """Keep what was collected."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[Any] = []

    def on_batch_collected(self, batch: Any) -> None:
        self.batches.append(batch.clone())


class Task(PettingZooClass):  # pyright: ignore[reportUntypedBaseClass]
    """A game whose environments have seeds of their own and raise on an illegal move."""

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Any:
        seeds = count(seed or 0)
        return lambda: PettingZooWrapper(
            strict_parallel(**self.config, observation="float32"), seed=next(seeds), device=device
        )

    def supports_discrete_actions(self) -> bool:
        return True

    def max_steps(self, env: Any) -> int:
        return 2000


def experiment(options: dict[str, Any], algorithm: Any, folder: Path, **more: Any) -> Experiment:
    config = ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.max_n_frames = 2, None
    config.gamma, config.lr, config.render, config.evaluation = 1.0, 1e-3, False, False
    config.on_policy_collected_frames_per_batch = config.off_policy_collected_frames_per_batch = 160
    config.on_policy_n_envs_per_worker = config.off_policy_n_envs_per_worker = 2
    config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 2, 80
    config.off_policy_n_optimizer_steps, config.off_policy_train_batch_size = 4, 80
    config.loggers, config.create_json, config.save_folder = [], False, str(folder)
    for key, value in more.items():
        assert hasattr(config, key)
        setattr(config, key, value)
    model = MlpConfig.get_from_yaml()
    return Experiment(Task(options["name"].upper(), options), algorithm.get_from_yaml(), model, seed=1, config=config)


def decide(trained: Experiment, options: dict[str, Any], views: Any, masks: Any) -> Any:
    """Ask the policy for the first of the seats: all share its weights."""
    seats = len(trained.group_map["player"])
    seen = envs.make_parallel(**options, observation="float32").observation_of(views, masks)
    every = {key: torch.as_tensor(its)[:, None].repeat(1, seats, 1) for key, its in seen.items()}
    group = {"observation": {"observation": every["observation"]}, "action_mask": every["action_mask"].bool()}
    asked = TensorDict({"player": TensorDict(group, [len(views), seats])}, [len(views)])
    with set_exploration_type(ExplorationType.DETERMINISTIC), torch.no_grad():
        return trained.policy(asked)["player", "action"][:, 0]


@EACH
def test_torchrl_finds_the_specs_to_be_what_the_game_does(options: dict[str, Any]) -> None:
    check_env_specs(Task("GAME", options).get_env_fun(1, False, 3, "cpu")())


def test_each_environment_has_deals_of_its_own() -> None:
    make = Task("DURAK", GAMES[1]).get_env_fun(2, False, 3, "cpu")
    one, other = (make().reset()["player", "observation", "observation"] for _ in range(2))
    assert not torch.equal(one, other)


@pytest.mark.parametrize(
    ("options", "algorithm"),
    [(GAMES[0], IppoConfig), (GAMES[0], IqlConfig), (GAMES[1], MappoConfig), (GAMES[2], IppoConfig)],
    ids=["mnk-ippo", "mnk-iql", "durak-mappo", "daifugo-ippo"],
)
def test_an_algorithm_trains_and_plays_in_our_arena(options: dict[str, Any], algorithm: Any, tmp_path: Path) -> None:
    trained = experiment(options, algorithm, tmp_path)
    before = [weights.detach().clone() for weights in trained.policy.parameters()]
    record = Record()
    trained.callbacks.append(record)
    trained.run()
    after = list(trained.policy.parameters())
    assert all(torch.isfinite(weights).all() for weights in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    assert sum(batch.numel() for batch in record.batches) == 320
    for batch in record.batches:
        group = batch["player"]
        assert group["action_mask"].gather(-1, group["action"][..., None]).all()
        waiting = group["action_mask"][..., -1]
        assert (waiting.sum(-1) == waiting.shape[-1] - 1).all()  # all but the seat to move
        ended = batch["next", "done"].flatten()
        assert not batch["next", "player", "reward"].flatten(0, 1)[~ended].any()
    assert any(batch["next", "done"].any() for batch in record.batches)
    variant = {key: value for key, value in options.items() if key != "name"}
    score_legally(options["name"], lambda views, masks: decide(trained, options, views, masks), deals=20, **variant)


def test_an_experiment_evaluates_and_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    more = {"evaluation": True, "evaluation_interval": 320, "evaluation_episodes": 3, "create_json": True}
    first = experiment(GAMES[0], IppoConfig, tmp_path, checkpoint_at_end=True, **more)
    first.run()
    checkpoint = next(first.folder_name.glob("checkpoints/*.pt"))
    assert list(first.folder_name.glob("*.json"))
    second = experiment(GAMES[0], IppoConfig, tmp_path, restore_file=str(checkpoint), max_n_iters=3)
    assert second.total_frames == 320
    pairs = zip(first.policy.parameters(), second.policy.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    second.run()
    assert second.total_frames == 480


def test_the_page_of_the_documentation_runs() -> None:
    running.library("benchmarl")
