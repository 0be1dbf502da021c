"""Composed actions: what features tell, that the network learns through them, and that the exported policy agrees."""

from pathlib import Path

import numpy as np
import pytest
import torch

from kozyr import envs
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.capabilities import action_features
from kozyr.envs.daifugo.suited import sets
from kozyr.training.export.condense import condense
from kozyr.training.learners.network import Logits
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from kozyr.training.settings import run_settings
from tests.training.tiny import DAIFUGO, ROLLOUT, TINY, drawn, positions

UECDA = DAIFUGO.replace("players = 3", 'rules = "uecda"\nrounds = 2').replace(
    "[default.net]", "[default.net]\ncomposed = true"
)


def test_no_two_sets_have_the_same_features() -> None:
    told = action_features(envs.game("daifugo").make_variant(rules="uecda"))
    assert told is not None
    assert len(np.unique(told, axis=0)) == len(told) == sets.ACTIONS
    assert set(np.unique(told)) == {0, 1}
    assert told.any(0).all()
    pair = sets.NUMBER[sets._group(5, 0b0011, None)]  # two sevens, of spades and hearts
    single = [sets.NUMBER[sets._group(5, 1 << suit, None)] for suit in (0, 1)]
    cards = sets.COLUMNS * sets.SUITS
    np.testing.assert_array_equal(told[pair, :cards], told[single, :cards].sum(0))


def test_games_without_features_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    for text, game in ((DAIFUGO, "daifugo"), (TINY, "mnk")):
        path.write_text(text.replace("[default.net]", "[default.net]\ncomposed = true"))
        with pytest.raises(ValueError, match=f"net.composed=true is not allowed: {game} tells no features"):
            run_settings.load(envs.game(game), "default", path)


def test_the_exported_policy_plays_as_it_was_trained(tmp_path: Path) -> None:
    run = drawn(tmp_path, "daifugo", UECDA)
    tables = positions(64, 40, "daifugo", **run.game.options(run.variant))
    with torch.no_grad():
        told = Logits(run.model.policy)(torch.tensor(tables.views)).numpy()
    due = np.where(tables.masks, told, -np.inf).argmax(1)
    policy = OnnxPolicy(tmp_path / "policy.onnx")
    np.testing.assert_array_equal(policy.act_batch(tables.views, tables.masks), due)
    assert len(set(due.tolist())) > 3
    run.save()
    condense(tmp_path, tmp_path / "small.npz")
    small = CondensedPolicy(tmp_path / "small.npz")
    assert (small.act_batch(tables.views, tables.masks) == due).mean() > 0.95  # its numbers have three digits
    legal = np.where(tables.masks, told, -np.inf)
    shares = np.exp(legal - legal.max(1, keepdims=True))
    np.testing.assert_allclose(
        small.probabilities(tables.views, tables.masks), shares / shares.sum(1, keepdims=True), atol=0.02
    )


def test_features_learn_and_a_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "uecda.toml"
    path.write_text(UECDA)
    kept = list[torch.Tensor]()
    for resume, n in ((False, 2 * ROLLOUT), (True, 4 * ROLLOUT)):  # the last rollout of each has a rate of 0
        train(RunPlan("daifugo", out=tmp_path / "run", settings=None if resume else path, resume=resume, timesteps=n))
        weights = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)["policy"]
        kept.append(weights["action_net.layer.weight"])
    assert len(kept[0]) == 163
    assert (kept[0] != kept[1]).any()
