"""ONNX policies for tests."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from kozyr.agents.nets import policy


def write_random(path: Path, game: Any, v: Any) -> None:
    """Write a layer of random numbers as an ONNX policy."""
    size, actions = game.size(v), game.actions(v)
    weights = np.random.default_rng(1).normal(size=(actions, size)).astype(np.float32)
    nodes = [
        helper.make_node("Cast", [policy.INPUT], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Gemm", ["floats", "weights"], [policy.OUTPUT], transB=1),
    ]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(game.view_dtype))
    given = helper.make_tensor_value_info(policy.INPUT, kind, ["n", size])
    made = helper.make_tensor_value_info(policy.OUTPUT, TensorProto.FLOAT, ["n", actions])
    graph = helper.make_graph(nodes, game.id, [given], [made], [numpy_helper.from_array(weights, "weights")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    facts = {policy.OPTIONS: game.options(v), policy.VIEW: game.declaration(v), policy.ABOUT: {}}
    told = {policy.GAME: game.id, **{key: json.dumps(value) for key, value in facts.items()}}
    helper.set_model_props(model, told)
    onnx.save(model, path)
