"""Write a policy as an ONNX file that `kozyr.agents.nets.policy` loads without torch.

The graph is built node by node from the actor's layers: it needs the `onnx` package only, and nothing is traced.
"""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from kozyr.agents.nets.policy import ABOUT, GAME, INPUT, OPTIONS, OUTPUT, VIEW
from kozyr.envs.core.game import Game
from kozyr.training import lineup_export
from kozyr.training.board.looks import Look
from kozyr.training.board.patterns import END, Patterns, kinds, places, seen_by
from kozyr.training.board.policy import Cut, PatternView
from kozyr.training.network import Logits, ScaledView, TurnedLogits

_OPSET, _IR = 17, 10  # what onnxruntime 1.20 understands
_NODES: dict[type[nn.Module], str] = {nn.ReLU: "Relu", nn.Tanh: "Tanh"}


class _Graph:
    """A chain of nodes under construction."""

    def __init__(self, first: str) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.last = first
        self.naming = ""  # output that tells each view's naming, where there is a symmetry

    def constant(self, value: Any, kind: Any = np.float32) -> str:
        """Add an array and return its name."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, kind), name))
        return name

    def add(self, kind: str, *more: str, **attributes: Any) -> str:
        """Append a node whose first input is the last output; return its own output."""
        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *more], [name], **attributes))
        self.last = name
        return name

    def of(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Append a node of any outputs; return its own."""
        self.last, *more = inputs
        return self.add(kind, *more, **attributes)

    def shape(self, *sizes: int) -> None:
        """Append a change of shape."""
        self.add("Reshape", self.constant(sizes, np.int64))

    def layer(self, module: nn.Module) -> None:
        """Append a layer of a network, or all that a module holds."""
        if isinstance(module, nn.Sequential):
            for inner in module:
                self.layer(inner)
        elif isinstance(module, ScaledView):
            _view(self, module)
        elif isinstance(module, TurnedLogits):
            self.layer(module.layer)
            self.exchange(module.exchange.numpy())
        elif isinstance(module, PatternView):
            _patterns(self, module)
        elif isinstance(module, Cut):
            self.part(1, module.first, module.last)
        elif isinstance(module, nn.Linear):
            self.add("Gemm", *(self.constant(given.detach().numpy()) for given in module.parameters()), transB=1)
        elif isinstance(module, nn.SiLU):
            before = self.last
            self.add("Sigmoid")
            self.add("Mul", before)
        elif type(module) in _NODES:
            self.add(_NODES[type(module)])
        else:
            raise TypeError(f"{type(module).__name__} has no ONNX form yet: write it in {__file__}")

    def exchange(self, places: Any) -> None:
        """Append an exchange of entries by the naming that the view had."""
        logits, self.last = self.last, self.constant(places, np.int64)
        index, self.last = self.add("Gather", self.naming), logits
        self.add("GatherElements", index, axis=1)

    def part(self, axis: int, first: int, last: int) -> None:
        """Append a cut along an axis."""
        self.add("Slice", *(self.constant([bound], np.int64) for bound in (first, last, axis)))


def _view(graph: _Graph, module: ScaledView) -> None:
    """Append what `ScaledView.forward` does."""
    view = graph.last
    graph.add("Mul", graph.constant(module.scale.cpu().numpy()))
    if module.symmetry is not None:
        scaled = graph.last
        graph.part(1, module.symmetry.first, module.symmetry.last)
        graph.naming, graph.last = graph.add("ArgMax", axis=1, keepdims=0), scaled
        graph.exchange(module.exchange.numpy())
    if len(module.sums):
        read = graph.last
        graph.add("Gather", graph.constant(module.sums.numpy(), np.int64), axis=1)
        graph.of("Concat", read, graph.add("ReduceSum", graph.constant([2], np.int64), keepdims=0), axis=1)
    if len(module.counts):
        read = graph.last
        graph.add("Gather", graph.constant(module.counts.numpy(), np.int64), axis=1)
        graph.add("Greater", graph.constant(module.steps.numpy()))
        graph.of("Concat", read, graph.add("Cast", to=TensorProto.FLOAT), axis=1)
    if module.lines is not None:
        read = graph.last
        graph.of("Concat", read, lineup_export.append(graph, module.lines, view), axis=1)
    graph.layer(module.layers)


def _patterns(graph: _Graph, module: PatternView) -> None:
    """Append what `PatternView.forward` tells of the cells: [n, cells]."""
    table, view = module.patterns, graph.last
    graph.part(1, module.shown, module.shown + module.flags.in_features)
    graph.layer(module.flags)
    flags = graph.add("Unsqueeze", graph.constant([2], np.int64))
    graph.last = view
    graph.part(1, 0, module.shown)
    _read(graph, table)
    index, graph.last = graph.last, graph.constant(table.table.detach().numpy())
    graph.add("Gather", index, axis=0)
    graph.add("ReduceSum", graph.constant([1], np.int64), keepdims=0)
    graph.shape(-1, len(table.cells), table.table.shape[1])
    graph.add("Transpose", perm=[0, 2, 1])
    graph.add("Add", flags)
    graph.add("Relu")
    for look in module.looks:
        _look(graph, cast(Look, look))
    weights = graph.constant(module.summary.weights.detach().numpy()[None])
    graph.of("MatMul", weights, graph.last)
    graph.shape(-1, len(table.cells))


def _read(graph: _Graph, module: Patterns) -> None:
    """Append what `Patterns.read` does: int64 [n × cells, 8]."""
    planes, rows, columns, reach = module.board
    graph.shape(-1, planes, rows, columns)
    graph.add("Conv", graph.constant(seen_by(planes)))
    graph.add("Pad", graph.constant([0, 0, reach, reach] * 2, np.int64), graph.constant(END))
    graph.shape(-1, 1, rows + 2 * reach, columns + 2 * reach)
    graph.add("Conv", graph.constant(places(reach)))
    graph.add("Cast", to=TensorProto.INT64)
    index, graph.last = graph.last, graph.constant(kinds(reach), np.int64)
    graph.add("Gather", index)
    graph.shape(-1, 2, 4, rows * columns)
    graph.add("Add", graph.constant([[[0]], [[module.number]]], np.int64))
    graph.add("Transpose", perm=[0, 3, 1, 2])
    graph.shape(-1, 8)


def _look(graph: _Graph, module: Look) -> None:
    """Append what `Look.forward` does: [n, before, cells] to [n, after, cells]."""
    features, board = graph.last, module.board
    graph.add("ReduceMax", axes=[2], keepdims=0)
    graph.layer(module.whole)
    whole, graph.last = graph.add("Unsqueeze", graph.constant([2], np.int64)), features
    graph.shape(-1, module.features, board.rows, board.columns)
    kernel = graph.constant(module.near.kernel.detach().numpy())
    graph.add("Conv", kernel, group=module.features, pads=[1] * 4)
    weights = (each.detach().numpy() for each in module.cell.parameters())
    weight, bias = (graph.constant(each) for each in (next(weights)[:, :, None, None], next(weights)))
    graph.add("Conv", weight, bias)
    graph.shape(-1, module.cell.out_features, board.rows * board.columns)
    graph.add("Add", whole)
    graph.add("Relu")


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
    for module in (logits.features, logits.actor, logits.head):
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
