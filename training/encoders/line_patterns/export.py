"""The nodes of an ONNX graph that read a board by patterns."""

from typing import cast

import numpy as np
from onnx import TensorProto

from kozyr.training.encoders.encoder import Forms
from kozyr.training.encoders.line_patterns.neighbour_sums import KERNEL, Look
from kozyr.training.encoders.line_patterns.network import Cut, PatternView
from kozyr.training.encoders.line_patterns.table import END, Patterns, kinds, places, seen_by
from kozyr.training.export.onnx_graph import Graph


def _patterns(graph: Graph, module: PatternView) -> None:
    """Append what `PatternView.forward` tells of the cells: [n, cells]."""
    table, view = module.patterns, graph.last
    graph.part(1, module.shown, module.shown + module.flags.in_features)
    graph.layer(module.flags)
    flags = graph.add("Unsqueeze", graph.constant([2], np.int64))
    graph.last = view
    graph.part(1, 0, module.shown)
    _read(graph, table)
    index, graph.last = graph.last, graph.weight(table.table)
    graph.add("Gather", index, axis=0)
    graph.add("ReduceSum", graph.constant([1], np.int64), keepdims=0)
    graph.shape(-1, len(table.cells), table.table.shape[1])
    graph.add("Transpose", perm=[0, 2, 1])
    graph.add("Add", flags)
    graph.add("Relu")
    for look in module.looks:
        _look(graph, cast(Look, look))
    weights = graph.weight(module.summary.weights, None)
    graph.of("MatMul", weights, graph.last)
    graph.shape(-1, len(table.cells))


def _read(graph: Graph, module: Patterns) -> None:
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


def _look(graph: Graph, module: Look) -> None:
    """Append what `Look.forward` does: [n, before, cells] to [n, after, cells]."""
    features, board = graph.last, module.board
    graph.add("ReduceMax", axes=[2], keepdims=0)
    graph.layer(module.whole)
    whole, graph.last = graph.add("Unsqueeze", graph.constant([2], np.int64)), features
    graph.shape(-1, module.features, board.rows, board.columns)
    kernel = graph.weight(module.near.weights, KERNEL)
    graph.add("Conv", kernel, group=module.features, pads=[1] * 4)
    graph.add("Conv", graph.weight(module.cell.weight, (..., None, None)), graph.weight(module.cell.bias))
    graph.shape(-1, module.cell.out_features, board.rows * board.columns)
    graph.add("Add", whole)
    graph.add("Relu")


def _cut(graph: Graph, module: Cut) -> None:
    """Append what `Cut.forward` does."""
    graph.part(1, module.first, module.last)


FORMS: Forms = {PatternView: _patterns, Cut: _cut}
