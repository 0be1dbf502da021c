"""The nodes of an ONNX graph that turn views and turn logits back."""

import numpy as np
import torch

from kozyr.training.graph import Graph
from kozyr.training.readers.reader import Forms
from kozyr.training.readers.turned.network import Turn, TurnedLogits

_NAMING = "naming"  # the graph's output that tells each view's naming


def _turn(graph: Graph, module: Turn) -> None:
    """Append what `Turn.forward` does."""
    scaled = graph.last
    graph.part(1, module.symmetry.first, module.symmetry.last)
    graph.named[_NAMING], graph.last = graph.add("ArgMax", axis=1, keepdims=0), scaled
    _exchange(graph, module.exchange)


def _turn_back(graph: Graph, module: TurnedLogits) -> None:
    """Append what `TurnedLogits.forward` does."""
    graph.layer(module.layer)
    _exchange(graph, module.exchange)


def _exchange(graph: Graph, places: torch.Tensor) -> None:
    """Append an exchange of entries by the naming that the view had."""
    entries, graph.last = graph.last, graph.constant(places.numpy(), np.int64)
    index, graph.last = graph.add("Gather", graph.named[_NAMING]), entries
    graph.add("GatherElements", index, axis=1)


FORMS: Forms = {Turn: _turn, TurnedLogits: _turn_back}
