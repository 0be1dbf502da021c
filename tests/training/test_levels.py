"""Counts read as zeros and ones: what is read of a view, and what is kept when the policy is exported."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.capabilities import counted_parts
from kozyr.training.learners.network import Logits, policy_of
from kozyr.training.settings import run_settings
from tests.training.tiny import DAIFUGO, TINY, drawn, positions

NET = {"trunk": [], "heads": [8], "activation": "relu"}


def read(levels: int, views: np.ndarray) -> np.ndarray:
    """Return what an untrained network reads of views, with no layer after it."""
    game = envs.game("daifugo")
    variant = game.make_variant(players=3)
    _, arguments = policy_of(game, variant, {**NET, "levels": levels})
    spaces: Any = envs.make_vec("daifugo", 1, "random", players=3).single_observation_space
    space = spaces["observation"]
    view = arguments["features_extractor_class"](space, **arguments["features_extractor_kwargs"])
    with torch.no_grad():
        return view(torch.tensor(views)).numpy()


@pytest.mark.parametrize("levels", [4, 30])
def test_counts_and_their_sums_have_a_place_for_each_step(levels):
    views, game = positions(40, 11).views, envs.game("daifugo")
    variant = game.make_variant(players=3)
    high, at = game.high(variant), game.parts(variant).spans()
    scaled, told = views / np.maximum(high, 1), read(levels, views)
    np.testing.assert_allclose(told[:, : len(high)], scaled, rtol=1e-6)
    seen = views[:, at["hand"]] + views[:, at["played"]]
    np.testing.assert_allclose(told[:, len(high) :][:, : seen.shape[1]], seen / high[at["hand"]], rtol=1e-6)
    expected = [
        [counts[i] > above for counts, tops in ((view, high), (sums, high[at["hand"]])) for i in range(len(tops))
         if 1 < tops[i] <= levels for above in range(tops[i])]
        for view, sums in zip(views, seen, strict=True)
    ]  # fmt: skip
    np.testing.assert_array_equal(told[:, len(high) + seen.shape[1] :], expected)
    assert 0.05 < np.mean(expected) < 0.95


def test_without_levels_a_view_is_read_once():
    views = positions(8, 5).views
    assert read(0, views).shape == views.shape


@pytest.mark.parametrize("critic", ["view", "everything"])
def test_what_is_exported_answers_as_what_was_trained(tmp_path, critic):
    read_so = f'[default.net]\nlevels = 30\ncritic = "{critic}"'
    run = drawn(tmp_path, "daifugo", DAIFUGO.replace("[default.net]", read_so))
    tables = positions(64, 9)
    with torch.no_grad():
        told = Logits(run.model.policy)(torch.tensor(tables.views)).numpy()
    theirs = np.where(tables.masks, told, -np.inf).argmax(1)
    np.testing.assert_array_equal(OnnxPolicy(tmp_path / "policy.onnx").act_batch(tables.views, tables.masks), theirs)
    assert len(set(theirs.tolist())) > 3


@pytest.mark.parametrize("name", [name for name in envs.games() if len(counted_parts(envs.game(name).make_variant()))])
def test_sums_are_of_entries_that_count_alike(name):
    game: Any = envs.game(name)
    high, views = game.high(game.make_variant()), positions(50, 20, name).views
    sums = counted_parts(game.make_variant())
    assert (high[sums] == high[sums[:, :1]]).all()
    told = views[:, sums].sum(2)
    assert (told <= high[sums[:, 0]]).all()
    assert (told == high[sums[:, 0]]).any()


def test_levels_are_refused_where_a_board_is_read_by_patterns(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(TINY.replace("[default.net]", "[default.net]\nlevels = 4\npatterns = 8"))
    with pytest.raises(ValueError, match=r"net\.levels=4 is not allowed with net\.patterns: it is 0"):
        run_settings.load(envs.game("mnk"), "default", path)
