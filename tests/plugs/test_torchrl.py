"""TorchRL's PettingZooWrapper, collector, masked actor and PPO loss. Run by `make test-torchrl`."""

from typing import Any

import pytest

from tests.docs import running
from tests.plugs.required import library

library("torchrl", "0.14")

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType, check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

from kozyr import envs
from kozyr.envs.environments.aec import RawEnv
from tests.plugs.outsider import score_legally

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
GROUP = "agents"  # all seats share one network
VIEW, MASK, ACTION = (GROUP, "observation", "observation"), (GROUP, "action_mask"), (GROUP, "action")
KEYS = {
    "action": ACTION,
    **{key: (GROUP, key) for key in ("sample_log_prob", "advantage", "value_target", "reward", "done", "terminated")},
    "value": (GROUP, "state_value"),
}
GAMES: list[dict[str, Any]] = [
    {"name": "mnk", "m": 3, "n": 3, "k": 3},
    {"name": "war"},
    {"name": "durak", "players": 4, "deck": 36, "transfer": True},
    {"name": "draw_poker"},
    {"name": "daifugo", "players": 5},
]
EACH = pytest.mark.parametrize("options", GAMES, ids=lambda one: f"{one['name']}-{one.get('players', '')}")


def variant_of(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "name"}


def wrapped(options: dict[str, Any], **more: Any) -> PettingZooWrapper:
    """Return a game that raises on an illegal move, as TorchRL sees it."""
    return PettingZooWrapper(RawEnv(envs.game(options["name"]), **variant_of(options)), use_mask=True, **more)


class Layers(nn.Module):
    """Views, divided by their highest values, through one hidden layer."""

    high: torch.Tensor

    def __init__(self, high: Any, outputs: int) -> None:
        super().__init__()
        self.register_buffer("high", torch.as_tensor(high).float().clamp(min=1))
        self.layers = nn.Sequential(nn.Linear(len(high), 64), nn.ReLU(), nn.Linear(64, outputs))

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        return self.layers(views.float() / self.high)


def networks(options: dict[str, Any]) -> tuple[Layers, ProbabilisticActor, TensorDictModule]:
    game = envs.game(options["name"])
    variant = game.make_variant(**variant_of(options))
    layers = Layers(game.high(variant), game.actions(variant))
    parameters: Any = {"logits": (GROUP, "logits"), "mask": MASK}  # of the distribution
    actor = ProbabilisticActor(
        TensorDictModule(layers, [VIEW], [(GROUP, "logits")]),
        in_keys=parameters,
        out_keys=[ACTION],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=KEYS["sample_log_prob"],
    )
    return layers, actor, TensorDictModule(Layers(game.high(variant), 1), [VIEW], [KEYS["value"]])


@EACH
def test_the_specs_are_what_the_game_does(options: dict[str, Any]) -> None:
    check_env_specs(wrapped(options))
    check_env_specs(wrapped(options, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, return_state=True))


@EACH
def test_random_rollouts_move_one_seat_at_a_time_and_never_illegally(options: dict[str, Any]) -> None:
    told = wrapped(options, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP).rollout(80, break_when_any_done=False)
    assert len(told) == 80
    assert (told[GROUP, "mask"].sum(1) == 1).all()
    acting = told[GROUP, "mask"]
    played = told[ACTION][acting]
    assert told[MASK][acting].gather(1, played[:, None]).all()
    assert not told["next", GROUP, "info", "illegal_move"].any()


def test_all_seats_end_together_with_their_payoffs() -> None:
    env = wrapped({"name": "daifugo", "players": 5}, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    told = env.rollout(2000)
    last = told[-1]["next"]
    assert last["done"].item()
    assert last[GROUP, "done"].all()
    raw: Any = env._env
    assert last[GROUP, "reward"].flatten().tolist() == pytest.approx(raw.state_record().payoff[:5].tolist())
    assert not told[:-1]["next", GROUP, "reward"].any()


@pytest.mark.parametrize("options", [GAMES[0], GAMES[2]], ids=["mnk-2", "durak-4"])
def test_ppo_trains_a_masked_actor_that_plays_in_our_arena(options: dict[str, Any]) -> None:
    layers, actor, critic = networks(options)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    loss.set_keys(**KEYS)
    loss.make_value_estimator(gamma=1.0, lmbda=0.95)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)
    before = [weights.clone() for weights in layers.parameters()]
    env = wrapped(options, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    collector = Collector(env, actor, frames_per_batch=128, total_frames=384)
    for told in collector:
        with torch.no_grad():
            loss.value_estimator(told)
        acting: Any = told[GROUP][told[GROUP, "mask"]]  # only the seat to move has decided anything
        assert acting["action_mask"].gather(1, acting["action"][:, None]).all()
        decisions = TensorDict({GROUP: acting}, [len(acting)])
        for _ in range(3):
            losses = loss(decisions)
            total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            assert torch.isfinite(total)
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
    collector.shutdown()
    assert all(not torch.equal(old, new) for old, new in zip(before, layers.parameters(), strict=True))

    @torch.no_grad()
    def greedy(views: Any, masks: Any) -> Any:
        return MaskedCategorical(layers(torch.from_numpy(views)), mask=torch.from_numpy(masks).bool()).mode

    score_legally(options["name"], greedy, **variant_of(options))


def test_the_page_of_the_documentation_runs() -> None:
    running.library("torchrl")
