"""Ways to read a view: one from elsewhere works and is refused like ours, and one that is whole stands alone."""

from typing import Annotated, Any

import numpy as np
import pytest
import torch
from pydantic import Field

from kozyr import envs
from kozyr.agents.nets.policy import OnnxPolicy
from kozyr.envs.core.game import Game
from kozyr.training import encoders
from kozyr.training.encoders.encoder import Encoder, MakePart, Net, Part
from kozyr.training.export.condense import condense
from kozyr.training.export.onnx_graph import Graph
from kozyr.training.learners.network import Logits, policy_of
from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from kozyr.training.settings import run_settings
from tests.training.tiny import DAIFUGO, ROLLOUT, TINY, drawn, edited, positions


class Powers(Part):
    """Appends the entries' powers."""

    def __init__(self, powers: int, high: np.ndarray) -> None:
        super().__init__()
        self.powers, self.features = powers, powers * len(high)

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        return torch.cat([read**power for power in range(1, self.powers + 2)], 1)


def _powers(graph: Graph, module: Powers) -> None:
    read = [graph.last]
    for _ in range(module.powers):
        read.append(graph.of("Mul", read[-1], read[0]))
    graph.of("Concat", *read, axis=1)


def _complaint(net: Net, game: Game, variant: Any) -> str:
    return "net.powers is not allowed: war has no powers" if game.name == "war" else ""


def _part(net: Net, variant: Any) -> MakePart:
    return lambda high: Powers(net["powers"], high)


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    encoder = Encoder({"powers": (Annotated[int, Field(ge=0, le=3)], 0)}, {Powers: _powers}, _complaint, _part)
    monkeypatch.setitem(encoders.ENCODERS, "powers", encoder)
    return encoder


def powered(net: str = "powers = 2") -> str:
    return DAIFUGO.replace("[default.net]", f"[default.net]\n{net}")


def test_a_reader_from_elsewhere_is_exported_as_it_was_trained(theirs, tmp_path):
    run = drawn(tmp_path, "daifugo", powered())
    tables, policy = positions(64, 9), OnnxPolicy(tmp_path / "policy.onnx")
    with torch.no_grad():
        told = Logits(run.model.policy)(torch.tensor(tables.views)).numpy()
    assert run.model.policy.pi_features_extractor.layers[0].in_features == 3 * tables.views.shape[1]
    due = np.where(tables.masks, told, -np.inf).argmax(1)
    np.testing.assert_array_equal(policy.act_batch(tables.views, tables.masks), due)
    assert len(set(due.tolist())) > 3


def test_a_reader_from_elsewhere_is_trained_and_resumed(theirs, tmp_path):
    path = tmp_path / "powers.toml"
    path.write_text(powered("powers = 1"))
    train(RunPlan("daifugo", out=tmp_path / "run", settings=path, timesteps=ROLLOUT))
    content = train(RunPlan("daifugo", out=tmp_path / "run", resume=True, timesteps=2 * ROLLOUT))
    assert content["settings"]["net"]["powers"] == 1


def test_a_reader_from_elsewhere_is_refused_in_its_own_words(theirs, tmp_path):
    path = tmp_path / "powers.toml"
    path.write_text(powered("powers = 4"))
    with pytest.raises(ValueError, match=r"net: powers=4 is not allowed: powers is a whole number from 0 to 3"):
        run_settings.load(envs.game("daifugo"), "default", path)
    path.write_text(powered("power = 2"))
    with pytest.raises(ValueError, match=r"net: unknown key 'power'\. Did you mean 'powers'\? The keys are: .*levels"):
        run_settings.load(envs.game("daifugo"), "default", path)
    net = {"trunk": [8], "heads": [8], "activation": "relu", "powers": 1}
    with pytest.raises(ValueError, match="war has no powers"):
        policy_of(envs.game("war"), envs.game("war").make_variant(), net)


def test_a_reader_without_a_condensed_form_is_named(theirs, tmp_path):
    drawn(tmp_path, "daifugo", powered()).save()
    with pytest.raises(ValueError, match=r"net\.powers=2, which has no small form"):
        condense(tmp_path, tmp_path / "small.npz")


@pytest.mark.parametrize(("key", "value", "usual"), [("turned", "true", "false"), ("levels", "3", "0")])
def test_patterns_are_read_alone(tiny, key, value, usual):
    edited(tiny, "trunk = [16]", f"trunk = [16]\npatterns = 8\n{key} = {value}")
    words = rf"net\.{key}={value} is not allowed with net\.patterns: it is {usual}"
    with pytest.raises(ValueError, match=words):
        run_settings.load(envs.game("mnk"), "default", tiny)


def test_a_variant_that_is_chosen_later_is_read_or_refused(tmp_path):
    path = tmp_path / "wide.toml"
    path.write_text(TINY.replace("trunk = [16]", "trunk = [16]\npatterns = 8"))
    with pytest.raises(ValueError, match=r"net\.patterns=8 is not allowed where lines reach 6 cells"):
        train(RunPlan("mnk", out=tmp_path / "run", settings=path, options={"m": 9, "n": 9, "k": 7}))


def test_weights_of_earlier_checkpoints_are_taken(tmp_path):
    text = TINY.replace("m = 3\nn = 3\nk = 3", "deck = 20").replace("easy = 1", "low = 1").partition("[wide")[0]
    policy = drawn(tmp_path, "durak", text.replace("[default.net]", "[default.net]\nturned = true")).model.policy
    weights = policy.state_dict()
    for name in ("features_extractor", "pi_features_extractor", "vf_features_extractor"):
        weights[f"{name}.exchange"] = torch.zeros(1)
    policy.load_state_dict(weights)
    with pytest.raises(RuntimeError, match=r"exchanges"):
        policy.load_state_dict({**weights, "pi_features_extractor.exchanges": torch.zeros(1)})
