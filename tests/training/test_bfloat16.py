"""Layers that multiply in bfloat16: what they answer, what stays float32, and what is exported."""

from typing import Any

import numpy as np
import pytest
import torch

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.training.encoders import encoder
from kozyr.training.learners.network import Logits
from kozyr.training.settings import run_settings
from tests.training.tiny import DAIFUGO, TINY, drawn, positions

BFLOAT16 = DAIFUGO.replace("[default.net]", "[default.net]\nlevels = 4\nbfloat16 = true")
PLAIN = BFLOAT16.replace("true", "false")


@pytest.fixture(scope="module")
def views() -> torch.Tensor:
    return torch.tensor(positions(64, 9).views)


def nets(tmp_path, *texts: str) -> list[Any]:
    """Return policies of the same weights, one for each of the settings."""
    for i in range(len(texts)):
        (tmp_path / str(i)).mkdir()
    policies = [drawn(tmp_path / str(i), "daifugo", text).model.policy for i, text in enumerate(texts)]
    for other in policies[1:]:
        other.load_state_dict(policies[0].state_dict())
    return policies


@torch.no_grad()
def test_answers_differ_from_float32_by_no_more_than_rounding(tmp_path, views):
    rounded, exact = nets(tmp_path, BFLOAT16, PLAIN)
    told, due = Logits(rounded)(views), Logits(exact)(views)
    assert told.dtype == torch.float32
    size = due.abs().max()
    torch.testing.assert_close(told, due, rtol=0, atol=0.03 * float(size))
    assert torch.equal(told, due) is not encoder.BFLOAT16
    value, due = rounded.predict_values(views), exact.predict_values(views)
    assert value.dtype == torch.float32
    torch.testing.assert_close(value, due, rtol=0, atol=0.03 * float(due.abs().max()))


@torch.no_grad()
def test_a_processor_that_cannot_answers_exactly(tmp_path, views, monkeypatch):
    rounded, exact = nets(tmp_path, BFLOAT16, PLAIN)
    monkeypatch.setattr(encoder, "BFLOAT16", False)
    assert torch.equal(Logits(rounded)(views), Logits(exact)(views))


def test_weights_and_gradients_stay_float32(tmp_path, views):
    rounded, exact = nets(tmp_path, BFLOAT16, PLAIN)
    for net in (rounded, exact):
        net.zero_grad()
        (Logits(net)(views).logsumexp(1).mean() + net.predict_values(views).mean()).backward()
    for mine, due in zip(rounded.parameters(), exact.parameters(), strict=True):
        assert mine.dtype == mine.grad.dtype == torch.float32
        torch.testing.assert_close(mine.grad, due.grad, rtol=0, atol=0.1 * float(due.grad.abs().max()))


@torch.no_grad()
def test_what_is_exported_multiplies_in_float32(tmp_path, views):
    _, exact = nets(tmp_path, BFLOAT16, PLAIN)
    masks = np.ones((len(views), exact.action_space.n), np.int8)
    due = Logits(exact)(views).argmax(1).numpy()
    np.testing.assert_array_equal(OnnxPolicy(tmp_path / "0" / "policy.onnx").act_batch(views.numpy(), masks), due)
    assert len(set(due.tolist())) > 3


def test_bfloat16_is_refused_where_a_board_is_read_by_patterns(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(TINY.replace("[default.net]", "[default.net]\nbfloat16 = true\npatterns = 8"))
    with pytest.raises(ValueError, match=r"net\.bfloat16=true is not allowed with net\.patterns: it is false"):
        run_settings.load(envs.game("mnk"), "default", path)
