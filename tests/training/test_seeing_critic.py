"""A critic that sees everything: what it is shown, and that the actor never reads it."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.loops.tables import look
from kozyr.training.learners.network import Logits
from kozyr.training.learners.vec_env import TablesVecEnv
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import Run, train
from kozyr.training.settings import run_settings
from tests.training.tiny import ROLLOUT, edited

EVERYTHING = ("[default.net]", '[default.net]\ncritic = "everything"')


@pytest.mark.parametrize(
    ("name", "options"), [("durak", {"players": 3}), ("daifugo", {"players": 4}), ("mnk", {"m": 3})]
)
def test_it_is_shown_the_views_of_all_seats_clockwise(name, options):
    game, n = envs.game(name), 8
    v = game.make_variant(**options)
    env: Any = TablesVecEnv(game, n, agents.load("random", name, **options), seed=3, everything=True, **options)
    size, seats, rng = game.size(v), game.seats(v), np.random.default_rng(0)
    shown = env.reset()
    for _ in range(30):
        assert env.observation_space.contains(shown[0])
        assert shown.shape == (n, seats * size)
        for i in range(n):
            for j in range(seats):
                view = np.zeros(size, game.view_dtype)
                look(v, env.tables.states[i : i + 1].copy(), (env.tables.seats[i] + j) % seats, view)
                np.testing.assert_array_equal(shown[i, j * size : (j + 1) * size], view)
        masks = env.action_masks()
        shown, _, ended, infos = env.step(np.where(masks, rng.random(masks.shape), -1.0).argmax(1))
        for i in np.flatnonzero(ended):
            last = infos[i]["terminal_observation"]
            assert last.shape == (seats * size,)
            np.testing.assert_array_equal(last[:size], env.tables.finals[i])
            np.testing.assert_array_equal(last[size:], env.tables.final_others[i].ravel())
            assert last[size:].any()  # that it is what the others saw: tests/training/test_sums.py


def test_the_actor_reads_the_learners_view_only(tmp_path, tiny):
    given = run_settings.load(envs.game("mnk"), "default", edited(tiny, *EVERYTHING))
    game = envs.game("mnk")
    run = Run(game, game.make_variant(**given["variant"]), given, tmp_path)
    with torch.no_grad():
        for weights in run.model.policy.parameters():
            weights.normal_()
    shown, size = run.env.reset().astype(np.float32), run.env.tables.views.shape[1]
    other = shown.copy()
    other[:, size:] = 1 - other[:, size:]
    policy: Any = run.model.policy
    with torch.no_grad():
        both = [policy.get_distribution(torch.from_numpy(one)).distribution.logits for one in (shown, other)]
        values = [policy.predict_values(torch.from_numpy(one)) for one in (shown, other)]
    assert torch.equal(*both)
    assert not torch.equal(*values)
    run.finish()
    exported = OnnxPolicy(tmp_path / "policy.onnx").act_batch(run.env.tables.views, run.env.tables.masks)
    masks = torch.tensor(run.env.tables.masks) == 0
    with torch.no_grad():
        logits = Logits(policy)(torch.tensor(run.env.tables.views)).masked_fill(masks, -torch.inf)
    np.testing.assert_array_equal(exported, logits.argmax(1).numpy())


def test_it_is_taught_trained_and_resumed(tmp_path, tiny):
    lessons = {"teacher": "easy", "decisions": ROLLOUT}
    train(RunPlan("mnk", out=tmp_path / "run", settings=edited(tiny, *EVERYTHING), imitation=lessons))
    content = train(RunPlan("mnk", out=tmp_path / "run", resume=True, timesteps=2 * ROLLOUT))
    assert content["timesteps"] == 2 * ROLLOUT


def test_a_board_network_has_no_such_critic(tiny):
    edited(tiny, "trunk = [16]", 'trunk = [16]\npatterns = 8\ncritic = "everything"')
    with pytest.raises(ValueError, match=r"net.critic='everything' is not allowed with net.patterns"):
        run_settings.load(envs.game("mnk"), "default", tiny)
