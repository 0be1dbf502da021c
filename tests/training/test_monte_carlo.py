"""Deep Monte-Carlo: values and gradients are those of torch, results reach every decision, and it learns to play."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.dispatch import play
from kozyr.envs.core.state import OVER
from kozyr.training.learners.engine import learner
from kozyr.training.learners.monte_carlo import self_play
from kozyr.training.learners.network import Logits
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from kozyr.training.settings import run_settings
from tests.training.tiny import TINY

N, STEPS = 8, 24
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "plain": ("durak", {"players": 3, "deck": 20}, {}),
    "turned": ("durak", {"deck": 36}, {"turned": True, "heads": [12, 8]}),
    "levels": ("daifugo", {"players": 4}, {"levels": 11}),
    "composed": ("daifugo", {"rules": "uecda", "rounds": 2}, {"composed": True, "unseen": ["total"]}),
    "openings": ("mnk", {"m": 5, "n": 5, "k": 4}, {}),
    "chips": ("draw_poker", {"players": 3}, {}),
}


class Still(BaseCallback):
    """Hears of everything and says nothing."""

    def _on_step(self) -> bool:
        return True


def made(case: str, **more: Any) -> Any:
    """Return the learner of a case."""
    name, options, net = CASES[case]
    game = envs.game(name)
    settings = run_settings.load(game, "default")
    settings |= {"num_tables": N, "n_steps": STEPS, "batch_size": 40, "n_epochs": 1, "threads": 1}
    settings |= {"algorithm": "dmc", "opponents": {"self": 1.0}, "variant": options, **more}
    settings["net"] = {**settings["net"], "trunk": [24], "heads": [16], **net}
    env = TablesVecEnv(game, N, envs.players(game, "random", options), **options)
    model = learner(game, game.make_variant(**options), env, settings, lambda: 1.0)
    model.set_logger(Logger(None, []))
    return model


def played(model: Any, rollouts: int = 3) -> NDArray[np.int64]:
    """Play without learning, and return the slots that are ready."""
    still = Still()
    still.init_callback(model)
    for _ in range(rollouts):
        model._play(still)
    return model._slots.ready[: model._slots.counts[1]].copy()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_torch(case: str, threads: int) -> None:
    model = made(case, threads=threads)
    slots, policy = played(model, 20 if case in ("levels", "composed") else 6), model.policy
    picks = np.random.default_rng(1).permutation(slots)[:33]
    assert len(picks) > 20
    with torch.no_grad():  # all that is zero at first, too
        for p in policy.parameters():
            p.add_(0.1 * torch.from_numpy(np.random.default_rng(2).standard_normal(p.shape).astype(np.float32)))
    for one in model._values:
        one.refresh()
    own = model._slots
    with torch.enable_grad():
        values = Logits(policy)(torch.from_numpy(own.views[picks]))
        values = values.reshape(len(picks), -1).gather(1, torch.from_numpy(own.actions[picks])[:, None])[:, 0]
        loss = torch.nn.functional.mse_loss(values, torch.from_numpy(own.results[picks]))
        policy.optimizer.zero_grad()
        loss.backward()
    assert model.loss_gradient(picks) == pytest.approx(loss.item(), rel=1e-5)
    for name, p in policy.named_parameters():
        mine, theirs = model._values[0].gradient(p).numpy(), p.grad.numpy()
        np.testing.assert_allclose(mine, theirs, atol=2e-5 * max(1, np.abs(theirs).max()), err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_without_noise_the_highest_value_is_played(case: str) -> None:
    model = made(case, dmc={"epsilon": 0.0, "epsilon_end": 0.0})
    played(model, 1)
    at = model._tables
    with torch.no_grad():
        actions = model._values[0].choose(at.views, at.masks, 0.0, np.zeros(N, at.deals.dtype))
        values = Logits(model.policy)(torch.from_numpy(at.views)).reshape(N, -1).numpy()
    values = np.where(at.masks, values, -np.inf)
    np.testing.assert_allclose(values[np.arange(N), actions], values.max(1), atol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_every_decision_gets_what_its_seat_was_paid(case: str) -> None:
    """A game is followed beside the tables, by the rules alone."""
    model = made(case, dmc={"epsilon": 1.0, "epsilon_end": 1.0})
    name, options, _ = CASES[case]
    game = envs.game(name)
    v, seen, told = game.make_variant(**options), [list[Any]() for _ in range(N)], list[Any]()
    advance = self_play.advance

    def watched(variant: Any, at: Any, into: Any, actions: Any, opening: int, paid: Any) -> int:
        states = at.states.copy()
        for i in range(N):
            s: Any = states[i]
            seen[i].append((int(s.turn), at.views[i].copy(), int(actions[i])))
            play(v, s, int(actions[i]))
            if s.turn == OVER:
                told.extend((view, action, float(s.payoff[seat])) for seat, view, action in seen[i])
                seen[i].clear()
        return advance(variant, at, into, actions, opening, paid)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(self_play, "advance", watched)
        slots = played(model, 25 if case in ("levels", "composed") else 4)
    own = model._slots
    mine = sorted((own.views[i].tobytes(), int(own.actions[i]), float(own.results[i])) for i in slots)
    assert mine == sorted((view.tobytes(), action, result) for view, action, result in told)
    assert len(mine) > 20


def test_a_run_learns_and_its_file_plays_as_it_does(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    text = (
        TINY.replace("[default]\n", '[default]\nalgorithm = "dmc"\ndmc = { epsilon = 0.3 }\n')
        .replace("trunk = [16]", "trunk = [32]")
        .replace("= 1e-3", "= 5e-3")
    )
    head, _, rest = text.partition("[default.opponents]")
    measured = rest[rest.index("[default.evaluation]") :].replace("final_deals = 8", "final_deals = 200")
    path.write_text(head + "[default.opponents]\nself = 1.0\n" + measured)
    content = train(RunPlan("mnk", out=tmp_path / "run", settings=path, timesteps=60_000))
    assert content["engine"]["name"] == "compiled"
    assert content["results"][0]["score"] > 0.65, content["results"]
    policy = OnnxPolicy(tmp_path / "run" / "policy.onnx")
    assert policy.game.name == "mnk"
    again = train(RunPlan("mnk", out=tmp_path / "run", resume=True, timesteps=60_500))
    assert again["timesteps"] > content["timesteps"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"opponents": {"self": 1.0, "low": 1.0}}, "everybody at the table learns: opponents is self = 1.0, not low"),
        ({"engine": "sb3"}, "it has an engine of its own"),
        ({"imitation": {"teacher": "low"}}, "it has no critic and no teacher"),
    ],
)
def test_what_it_cannot_do_is_said(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"algorithm='dmc' is not allowed: {words}"):
        made("plain", **changes)
