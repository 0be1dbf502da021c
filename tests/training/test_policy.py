"""The exported policy: the network that was trained, as an agent."""

import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kozyr import agents, envs
from kozyr.agents.agent import Agent
from kozyr.agents.arena.matches.match import match
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.encoders.encoder import ACTIVATIONS
from kozyr.training.learners.network import Logits
from kozyr.training.opponents.opponent_pool import TorchAgent
from kozyr.training.run.train import Run
from kozyr.training.settings import run_settings
from tests.training.tiny import edited, positions


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_the_exported_policy_is_the_trained_one(tmp_path, tiny, activation):
    given = run_settings.load(envs.game("mnk"), "default", edited(tiny, "relu", activation))
    game = envs.game("mnk")
    variant = game.make_variant(**given["variant"])
    run = Run(game, variant, given, tmp_path)
    with torch.no_grad():
        for weights in run.model.policy.action_net.parameters():
            weights.normal_()
    run.finish()
    policy = OnnxPolicy(tmp_path / "policy.onnx")
    tables = positions(200, 6, "mnk", **game.options(variant))
    views, masks = tables.views.copy(), tables.masks.copy()
    actions = policy.act_batch(views, masks)
    theirs, _ = run.model.predict(views, action_masks=masks, deterministic=True)
    np.testing.assert_array_equal(actions, theirs)
    np.testing.assert_array_equal(
        actions, TorchAgent(Logits(run.model.policy), "", greedy=True).act_batch(views, masks)
    )
    assert len(set(actions.tolist())) > 1
    assert policy.act(views[0], masks[0]) == actions[0]


def test_a_policy_is_an_agent(finished):
    policy: Any = agents.load(str(finished / "policy.onnx"), game="mnk", m=3, n=3, k=3)
    assert isinstance(policy, Agent)
    assert isinstance(policy, OnnxPolicy)
    assert (policy.game.id, policy.name, policy.about["timesteps"]) == ("mnk_v0", "policy", 512)
    tables = positions(200, 6, policy.game.name, **policy.game.options(policy.variant))
    views, masks = tables.views, tables.masks
    again = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(again.act_batch(views, masks), policy.act_batch(views, masks))
    drawn = OnnxPolicy(finished / "policy.onnx", greedy=False)
    drawn.reset(0, 1)
    actions = drawn.act_batch(views, masks)
    assert masks[np.arange(len(masks)), actions].all()
    drawn.reset(0, 1)
    np.testing.assert_array_equal(drawn.act_batch(views, masks), actions)


def test_a_policy_is_refused_where_it_does_not_fit(finished, tmp_path):
    path = finished / "policy.onnx"
    with pytest.raises(ValueError, match="plays mnk_v0, not durak_v0"):
        agents.load(str(path), game="durak")
    with pytest.raises(ValueError, match="another variant of mnk_v0: m=3, not 15; n=3, not 15; k=3, not 5"):
        agents.load(str(path), game="mnk")
    with pytest.raises(ValueError, match="there is no policy"):
        OnnxPolicy(tmp_path / "none.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="cannot be read"):
        OnnxPolicy(tmp_path / "bad.onnx")
    data = path.read_bytes()
    others = [(b"mnk_v0", b"mnk_v7", "which is not here"), (b'["mine"', b'["hers"', "another view")]
    for old, new, words in (*others, (b'"k": 3', b'"k": 0', "a variant that mnk_v0 has not: mnk: k=0")):
        assert old in data
        (tmp_path / "other.onnx").write_bytes(data.replace(old, new))
        with pytest.raises(ValueError, match=words):
            OnnxPolicy(tmp_path / "other.onnx")


def test_a_policy_plays_without_torch(finished):
    code = f"""
        import sys
        sys.modules.update(dict.fromkeys(("torch", "stable_baselines3", "sb3_contrib", "onnx")))
        from kozyr.agents.arena.matches.match import match
        print(match("mnk", [{str(finished / "policy.onnx")!r}, "random"], 4, 0, m=3, n=3, k=3).agents[0].errors)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


def test_a_policy_plays_without_onnxruntime(finished, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    policy = OnnxPolicy(Path(finished / "policy.onnx"))
    assert match("mnk", [policy, "random"], 4, 0, m=3, n=3, k=3).agents[0].errors == 0
