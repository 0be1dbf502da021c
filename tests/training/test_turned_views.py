"""Views turned so that trumps come first: what is exchanged, and that the policy treats all suits alike."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core import capabilities
from kozyr.training.learners.network import Logits
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from kozyr.training.settings import run_settings
from tests.training.tiny import ROLLOUT, TINY, drawn, edited, positions

SUITS = 4
DURAK = (
    TINY.replace("m = 3\nn = 3\nk = 3", "deck = 20\nplayers = 2").replace("easy = 1", "low = 1").partition("[wide")[0]
)
TURNED = DURAK.replace("[default.net]", "[default.net]\nturned = true")
VARIANTS: list[dict[str, Any]] = [{"deck": 20}, {"deck": 36, "players": 3, "open_trump": True, "transfer": True}]


@pytest.mark.parametrize("options", VARIANTS)
def test_trumps_come_first_and_nothing_else_moves(options):
    tables, game = positions(64, 17, "durak", **options), envs.game("durak")
    v = game.make_variant(**options)
    symmetry: Any = capabilities.symmetry(v)
    at, ranks = game.parts(v).spans(), v.deck // SUITS
    for view, mask in zip(tables.views, tables.masks, strict=True):
        trump = int(view[at["trump"]].argmax())
        swap = {0: trump, trump: 0}
        turned, legal = view[symmetry.views[trump]], mask[symmetry.actions[trump]]
        for name, span in at.items():
            old, new = view[span], turned[span]
            if name == "trump":
                assert new.tolist() == [1, 0, 0, 0]
            elif len(old) and len(old) % v.deck == 0 and name not in ("sizes", "passes"):
                for c in range(len(old)):
                    block, suit, rank = c // v.deck, c % v.deck // ranks, c % ranks
                    assert new[block * v.deck + swap.get(suit, suit) * ranks + rank] == old[c]
            else:
                np.testing.assert_array_equal(new, old)
        for a in range(len(mask)):
            card = a if a < v.deck else a - v.deck - 1
            suit = card // ranks
            turned_card = swap.get(suit, suit) * ranks + card % ranks
            assert legal[a if a == v.deck else turned_card + (a - card)] == mask[a]
        np.testing.assert_array_equal(turned[symmetry.views[trump]], view)


@pytest.mark.parametrize("critic", ["view", "everything"])
def test_all_suits_are_alike_to_the_policy_before_and_after_its_export(tmp_path, critic):
    run = drawn(tmp_path, "durak", TURNED.replace("turned = true", f'turned = true\ncritic = "{critic}"'))
    variant = run.variant
    tables, symmetry = positions(64, 17, "durak", deck=20), capabilities.symmetry(variant)
    assert symmetry is not None
    logits, exported = Logits(run.model.policy), OnnxPolicy(tmp_path / "policy.onnx")
    for trump in range(SUITS):
        view, mask = tables.views[:, symmetry.views[trump]], tables.masks[:, symmetry.actions[trump]]
        with torch.no_grad():
            told = logits(torch.from_numpy(np.ascontiguousarray(view))).numpy()
        theirs = np.where(mask, told, -np.inf).argmax(1)
        np.testing.assert_array_equal(exported.act_batch(view, mask), theirs)
        first = tables.views[:, symmetry.first : symmetry.last].argmax(1) == 0  # those whose trumps have become `trump`
        with torch.no_grad():
            before = logits(torch.from_numpy(np.ascontiguousarray(tables.views[first]))).numpy()
        np.testing.assert_allclose(told[first], before[:, symmetry.actions[trump]], rtol=1e-5, atol=1e-5)
        assert first.any()


def test_it_is_taught_trained_with_snapshots_and_resumed(tmp_path):
    path = tmp_path / "turned.toml"
    path.write_text(TURNED)
    train(RunPlan("durak", out=tmp_path / "run", settings=path, imitation={"teacher": "low", "decisions": ROLLOUT}))
    train(RunPlan("durak", out=tmp_path / "run", resume=True, timesteps=2 * ROLLOUT))
    assert train(RunPlan("durak", out=tmp_path / "run", resume=True, timesteps=3 * ROLLOUT))["timesteps"] == 3 * ROLLOUT


def test_games_without_a_symmetry_are_refused(tiny):
    edited(tiny, "[default.net]", "[default.net]\nturned = true")
    with pytest.raises(ValueError, match=r"net\.turned=true is not allowed: mnk has no symmetry of suits"):
        run_settings.load(envs.game("mnk"), "default", tiny)
