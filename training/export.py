"""Write a policy as an ONNX file that `kozyr.agents.nets.policy` loads without torch.

The graph is built node by node from the actor's layers: it needs the `onnx` package only, and nothing is traced.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from kozyr.agents.nets.policy import ABOUT, GAME, INPUT, OPTIONS, OUTPUT, VIEW
from kozyr.envs.core.game import Game
from kozyr.training.network import Logits

_OPSET, _IR = 17, 10  # what onnxruntime 1.20 understands
_NODES: dict[type[nn.Module], str] = {nn.ReLU: "Relu", nn.Tanh: "Tanh"}


class _Graph:
    """A chain of nodes under construction."""

    def __init__(self, first: str) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.last = first

    def constant(self, value: Any) -> str:
        """Add an array and return its name."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name))
        return name

    def add(self, kind: str, *more: str, **attributes: Any) -> None:
        """Append a node whose first input is the last output."""
        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *more], [name], **attributes))
        self.last = name

    def layer(self, module: nn.Module) -> None:
        """Append one layer of a network."""
        if isinstance(module, nn.Linear):
            weights, bias = (p.detach().cpu().numpy() for p in (module.weight, module.bias))
            self.add("Gemm", self.constant(weights), self.constant(bias), transB=1)
        elif isinstance(module, nn.SiLU):
            before = self.last
            self.add("Sigmoid")
            self.add("Mul", before)
        elif type(module) in _NODES:
            self.add(_NODES[type(module)])
        else:
            raise TypeError(f"{type(module).__name__} has no ONNX form yet: write it in {__file__}")


def _layers(logits: Logits) -> Iterator[nn.Module]:
    yield from logits.features.layers
    yield from logits.actor
    yield logits.head


def write(path: Path, logits: Logits, game: Game, variant: Any, about: dict[str, Any]) -> None:
    """Write the actor with all that `OnnxPolicy` needs to know; the file appears whole or not at all.

    Args:
        path: where to.
        logits: the actor.
        game: the game; variant: what it was trained for.
        about: what is known about its training; goes through JSON.
    """
    graph = _Graph(INPUT)
    graph.add("Cast", to=TensorProto.FLOAT)
    graph.add("Mul", graph.constant(logits.features.scale.cpu().numpy()))
    for module in _layers(logits):
        graph.layer(module)
    graph.nodes[-1].output[0] = OUTPUT
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(game.view_dtype))
    shown = helper.make_tensor_value_info(INPUT, kind, ["n", game.size(variant)])
    answer = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", game.actions(variant)])
    model = helper.make_model(
        helper.make_graph(graph.nodes, game.id, [shown], [answer], graph.constants),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
        producer_name="kozyr",
    )
    facts = {OPTIONS: game.options(variant), VIEW: game.declaration(variant), ABOUT: about}
    helper.set_model_props(model, {GAME: game.id, **{key: json.dumps(value) for key, value in facts.items()}})
    onnx.checker.check_model(model)
    part = path.with_name(path.name + ".part")
    part.write_bytes(model.SerializeToString())
    part.replace(path)
