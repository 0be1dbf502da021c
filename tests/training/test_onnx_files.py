"""ONNX files, ours and those that training writes: plain ones, which keep to the standard without being forgiven."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from kozyr import agents, envs
from kozyr.envs.environments.observations import spaces_of
from kozyr.training.export import onnx_export
from kozyr.training.export.onnx_graph import Graph
from kozyr.training.learners.monte_carlo.network import PairPolicy
from kozyr.training.learners.network import Logits, policy_of
from kozyr.training.settings import presets, run_settings

BUNDLED = sorted(path for name in envs.games() for path in agents.policies(name))
PRESETS = [(name, preset) for name in envs.games() for preset in presets.names(name)]
SCALARS = {"Pad": 2, "CumSum": 1}  # inputs that are a tensor without axes


def wrong(model: onnx.ModelProto) -> list[str]:
    """Return what onnxruntime forgives in a file and others do not."""
    onnx.checker.check_model(model, full_check=True)
    constants = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    names = Counter(node.name for node in model.graph.node)
    found = [f"{count} nodes are called {name!r}" for name, count in names.items() if not name or count > 1]
    for node in model.graph.node:
        place = SCALARS.get(node.op_type, len(node.input))
        if place < len(node.input) and constants[node.input[place]].ndim:
            found.append(f"{node.name} has {constants[node.input[place]].ndim} axes in place of a number")
    return found


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_a_bundled_file_is_plain_onnx(path: Path) -> None:
    assert wrong(onnx.load(path)) == []


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_what_each_preset_writes_is_plain_onnx(name: str, preset: str) -> None:
    assert wrong(untrained(name, preset)) == []


def untrained(name: str, preset: str) -> Any:
    """Return the network of a preset, as it is before training, as an ONNX model."""
    game = envs.game(name)
    settings = run_settings.load(game, preset)
    variant, net = game.make_variant(**settings["variant"]), settings["net"]
    if settings["algorithm"] == "dmc":
        policy: Any = PairPolicy(game, variant, net, seed=1)
    else:
        kind, arguments = policy_of(game, variant, net)
        both, actions = spaces_of(game, variant)
        policy = kind(both["observation"], actions, lambda _: 1e-3, **arguments)
    return onnx_export.model(Logits(policy), game, variant, {})


def test_a_number_has_no_axes_and_an_array_keeps_its_own() -> None:
    graph = Graph("view", {}, {})
    for value in (2, np.zeros((2, 3)).T, [1.0]):
        graph.constant(value)
    assert [list(one.dims) for one in graph.constants] == [[], [3, 2], [1]]
