"""Counts as levels: entries that count something, and sums of such entries, are read as zeros and ones too."""

from functools import partial
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import TensorProto
from pydantic import Field

from kozyr.envs.core.capabilities import counted_parts
from kozyr.training.encoders.encoder import Condensed, Encoder, Forms, MakePart, Net, Part, nothing
from kozyr.training.export.onnx_graph import Graph


class Steps(Part):
    """Add sums of scaled entries and, as zeros and ones, which levels up to `levels` entries and sums have reached.

    Args:
        sums: int64 [k, n] entries, alike in `high`, that are summed.
        levels: counts that may be 2 up to this are read.
        high: highest values of the entries.
    """

    sums: torch.Tensor  # int64 [k, n]
    counts: torch.Tensor  # int64 [steps] which entries are compared, of the view and then of the sums
    steps: torch.Tensor  # [1, steps] what each is compared with

    def __init__(self, sums: NDArray[np.int64], levels: int, high: NDArray[np.float32]) -> None:
        super().__init__()
        counts, steps = count_steps(np.concatenate([high, high[sums[:, 0]]]), levels)
        self.register_buffer("sums", torch.from_numpy(sums), False)
        self.register_buffer("counts", torch.from_numpy(counts), False)
        self.register_buffer("steps", torch.from_numpy(steps)[None], False)
        self.features = len(sums) + len(counts)

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        """Return the entries, their sums, and zeros and ones."""
        if len(self.sums):
            read = torch.cat([read, read[:, self.sums].sum(2)], 1)
        if len(self.counts):
            read = torch.cat([read, (read[:, self.counts] > self.steps).float()], 1)
        return read


def count_steps(high: NDArray[np.float32], levels: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return scaled entries, given their highest values, and the steps to compare them with: one for each count."""
    counts = [i for i, top in enumerate(high) if 1 < top <= levels for _ in range(int(top))]
    steps = [(above + 0.5) / top for top in high if 1 < top <= levels for above in range(int(top))]
    return np.array(counts, np.int64), np.array(steps, np.float32)


def _steps(graph: Graph, module: Steps) -> None:
    """Append the nodes of `Steps.forward`."""
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


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Steps, counted_parts(variant), net["levels"])


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    sums = counted_parts(variant)
    counts, steps = count_steps(np.concatenate([high, high[sums[:, 0]]]), net["levels"])
    return nothing()._replace(sums=sums, counts=counts, steps=steps)


KEYS = {"levels": (Annotated[int, Field(ge=0, le=2**15)], 0)}  # entries that may be 2 up to this are read so; 0: none
ENCODER = Encoder(KEYS, FORMS, part=_part, condensed=_condensed)
