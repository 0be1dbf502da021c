"""The nodes of an ONNX graph that read counts as levels."""

import numpy as np
from onnx import TensorProto

from kozyr.training.graph import Graph
from kozyr.training.readers.levels.network import Steps
from kozyr.training.readers.reader import Forms


def _steps(graph: Graph, module: Steps) -> None:
    """Append what `Steps.forward` does."""
    if len(module.sums):
        read = graph.last
        graph.add("Gather", graph.constant(module.sums.numpy(), np.int64), axis=1)
        graph.of("Concat", read, graph.add("ReduceSum", graph.constant([2], np.int64), keepdims=0), axis=1)
    if len(module.counts):
        read = graph.last
        graph.add("Gather", graph.constant(module.counts.numpy(), np.int64), axis=1)
        graph.add("Greater", graph.constant(module.steps.numpy()))
        graph.of("Concat", read, graph.add("Cast", to=TensorProto.FLOAT), axis=1)


FORMS: Forms = {Steps: _steps}
