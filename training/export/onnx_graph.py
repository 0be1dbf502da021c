"""An ONNX graph under construction: built node by node from layers, so that nothing is traced."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from onnx import helper, numpy_helper
from torch import nn

from kozyr.training.encoders.encoder import Forms

_NODES: dict[type[nn.Module], str] = {nn.ReLU: "Relu", nn.Tanh: "Tanh"}


class Graph:
    """A chain of nodes.

    Attributes:
        nodes, constants: its parts; last: name of the last output.
        weights: by the names of constants, the parameter that each shows, and at which places: `parameter[index]`.
        view: name of the views as floats, unscaled.
        outputs: names of outputs that a later layer reads, by names that encoders give them.

    Args:
        view: the input, of floats.
        forms: how modules other than torch's own are appended.
        names: of the parameters, by their ids, as in the network's `state_dict`.
    """

    def __init__(self, view: str, forms: Forms, names: Mapping[int, str]) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.weights: dict[str, tuple[torch.Tensor, Any]] = {}
        self.outputs: dict[str, str] = {}
        self.last = self.view = view
        self._forms: Mapping[type[nn.Module], Any] = forms
        self._names = names

    def constant(self, value: Any, kind: Any = np.float32, name: str = "") -> str:
        """Add an array, or a plain number as a tensor without axes, and return its name."""
        name = name or f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, kind, order="C"), name))
        return name

    def weight(self, parameter: torch.Tensor, index: Any = ...) -> str:
        """Add a parameter, or an indexed view of it, under its own name; return that."""
        name = self.constant(parameter.detach()[index].numpy(), name=self._names[id(parameter)])
        self.weights[name] = parameter, index
        return name

    def add(self, kind: str, *more: str, **attributes: Any) -> str:
        """Append a node whose first input is the last output; return its own output."""
        place = len(self.nodes)
        name = f"x{place}"
        self.nodes.append(helper.make_node(kind, [self.last, *more], [name], name=f"{kind}_{place}", **attributes))
        self.last = name
        return name

    def of(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Append a node of any outputs; return its own."""
        self.last, *more = inputs
        return self.add(kind, *more, **attributes)

    def shape(self, *sizes: int) -> None:
        """Append a change of shape."""
        self.add("Reshape", self.constant(sizes, np.int64))

    def part(self, axis: int, first: int, last: int) -> None:
        """Append a cut along an axis."""
        self.add("Slice", *(self.constant([bound], np.int64) for bound in (first, last, axis)))

    def layer(self, module: nn.Module) -> None:
        """Append a layer of a network, or all that a module holds.

        Raises:
            TypeError: for a module that no encoder has written a form for.
        """
        if type(module) in self._forms:
            self._forms[type(module)](self, module)
        elif isinstance(module, nn.Sequential):
            for inner in module:
                self.layer(inner)
        elif isinstance(module, nn.Linear):
            self.add("Gemm", *map(self.weight, module.parameters()), transB=1)
        elif isinstance(module, nn.SiLU):
            before = self.last
            self.add("Sigmoid")
            self.add("Mul", before)
        elif type(module) in _NODES:
            self.add(_NODES[type(module)])
        else:
            raise TypeError(f"{type(module).__name__} has no ONNX form: add one to the `forms` of its encoder")
