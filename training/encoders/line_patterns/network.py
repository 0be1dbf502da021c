"""Network of games on a board: the reading of a view, the actor's and the critic's heads, and the ONNX form."""

from itertools import pairwise
from typing import Any, cast

import gymnasium
import numpy as np
import torch
from onnx import TensorProto
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.envs.core.capabilities import Board
from kozyr.training.encoders.encoder import Forms, stacked
from kozyr.training.encoders.line_patterns.neighbour_sums import KERNEL, Look, Summary
from kozyr.training.encoders.line_patterns.table import END, Patterns, content_kernel, kinds, places
from kozyr.training.export.onnx_graph import Graph


class PatternView(BaseFeaturesExtractor):
    """Turn a view into a number a cell and features of the board: [n, cells + 2 × features].

    Args:
        observation_space: the view's Box.
        board: where the view shows the board.
        patterns: features of a pattern.
        trunk: features of a cell after each look at its neighbours.
        threads: among which a batch is shared.
    """

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        board: Board,
        patterns: int,
        trunk: list[int],
        threads: int = 1,
    ) -> None:
        cells = board.rows * board.columns
        super().__init__(observation_space, cells + 2 * trunk[-1])
        self.board_entries = board.planes * cells
        self.patterns = Patterns(board, patterns, threads)
        self.flags = nn.Linear(observation_space.shape[0] - self.board_entries, patterns)
        widths = pairwise([patterns, *trunk])
        self.looks = nn.Sequential(*(Look(board, before, after, threads) for before, after in widths))
        self.summary = Summary(board, trunk[-1], threads)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return the summary of views [n, view]."""
        flags = self.flags(views[:, self.board_entries :])
        return self.summary(self.looks(self.patterns(views[:, : self.board_entries], flags)))


class Cut(nn.Module):
    """Leave entries first … last − 1: [n, any] to [n, last − first]."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__()
        self.first, self.last = first, last

    def forward(self, entries: torch.Tensor) -> torch.Tensor:
        """Return the entries."""
        return entries[:, self.first : self.last]


class BoardPolicy(MaskableActorCriticPolicy):
    """SB3's policy with one logit a cell and a value of the whole board.

    Args:
        *args, **kwargs: as SB3 gives them.
        heads: widths of the critic's layers.
    """

    def __init__(self, *args: Any, heads: list[int], **kwargs: Any) -> None:
        self._heads = heads
        super().__init__(*args, net_arch={"pi": [], "vf": []}, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        """Build the policy and give it the board's heads."""
        super()._build(lr_schedule)
        actions: Any = self.action_space
        cells = int(actions.n)
        layers = stacked([self.features_dim - cells, *self._heads, 1], self.activation_fn)[:-1]
        for layer in layers:
            self.init_weights(layer, 1.0)
        self.action_net = Cut(0, cells)
        self.value_net = nn.Sequential(Cut(cells, self.features_dim), *layers)
        make: Any = self.optimizer_class
        self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def _patterns(graph: Graph, module: PatternView) -> None:
    """Append the cells' part of `PatternView.forward`: [n, cells]."""
    table, view = module.patterns, graph.last
    graph.part(1, module.board_entries, module.board_entries + module.flags.in_features)
    graph.layer(module.flags)
    flags = graph.add("Unsqueeze", graph.constant([2], np.int64))
    graph.last = view
    graph.part(1, 0, module.board_entries)
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
    """Append the nodes of `Patterns.read`: int64 [n × cells, 8]."""
    planes, rows, columns, reach = module.board
    graph.shape(-1, planes, rows, columns)
    graph.add("Conv", graph.constant(content_kernel(planes)))
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
    """Append the nodes of `Look.forward`: [n, before, cells] to [n, after, cells]."""
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
    """Append the nodes of `Cut.forward`."""
    graph.part(1, module.first, module.last)


FORMS: Forms = {PatternView: _patterns, Cut: _cut}
