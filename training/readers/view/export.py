"""The nodes of an ONNX graph that read a view entry by entry."""

from kozyr.training.graph import Graph
from kozyr.training.readers.reader import Forms
from kozyr.training.readers.view.network import ScaledView


def _view(graph: Graph, module: ScaledView) -> None:
    """Append what `ScaledView.forward` does."""
    graph.add("Mul", graph.constant(module.scale.cpu().numpy()))
    for name in module.parts:
        graph.layer(module.get_submodule(name))
    graph.layer(module.layers)


FORMS: Forms = {ScaledView: _view}
