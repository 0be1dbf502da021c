"""Layers over the features of a board's cells: sums over neighbours, and a summary of the board."""

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable

from kozyr.envs.core.capabilities import Board
from kozyr.training.encoders.line_patterns import neighbour_loops as loops
from kozyr.training.encoders.line_patterns.frame import array, frame, share

KERNEL = (slice(None), None, torch.tensor([[2, 1, 2], [1, 0, 1], [2, 1, 2]]))  # of `Neighbours.weights`


class Neighbours(nn.Module):
    """Weights of a cell and its eight neighbours, [features, 3]: those at sides share one, and those at corners.

    Whatever turns or mirrors the board changes nothing.
    """

    def __init__(self, features: int) -> None:
        super().__init__()
        weights = torch.randn(features, 3) / 3
        weights[:, 0] = 1.0  # the cell itself
        self.weights = nn.Parameter(weights)

    @property
    def kernel(self) -> torch.Tensor:
        """The weights as a convolution's: [features, 1, 3, 3]."""
        return self.weights[KERNEL]


class Look(nn.Module):
    """Turn features of every cell into others that know their neighbours and the board's highest ones.

    [n, before, size] becomes [n, after, size], what is above 0.

    Raises:
        ValueError: for numbers of features that are no multiples of four, which the compiled loops take together.
    """

    inside: torch.Tensor  # [size] 1 at cells

    def __init__(self, board: Board, before: int, after: int, threads: int = 1) -> None:
        super().__init__()
        if before % 4 or after % 4:
            raise ValueError(f"{before} and {after} features of a cell are not allowed: both are multiples of 4")
        self.board, self.features, self.threads = board, before, threads
        self.near = Neighbours(before)
        self.cell = nn.Linear(before, after)
        self.whole = nn.Linear(before, after, bias=False)
        rows = frame(board)
        self.pitch, inside = rows.pitch, torch.zeros(rows.size)
        inside[torch.from_numpy(rows.cells())] = 1.0
        self.register_buffer("inside", inside, False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the new features."""
        weights = self.near.weights, self.cell.weight, self.cell.bias, self.whole.weight
        return LookFunction.apply(features, *weights, self.inside, self.pitch, self.threads)  # pyright: ignore


class LookFunction(torch.autograd.Function):
    """Forward and backward pass of `Look`."""

    @staticmethod
    def forward(
        ctx: Any,
        features: torch.Tensor,
        near: torch.Tensor,
        cell: torch.Tensor,
        bias: torch.Tensor,
        whole: torch.Tensor,
        inside: torch.Tensor,
        pitch: int,
        threads: int,
    ) -> torch.Tensor:
        """Return the new features."""
        out = torch.empty(len(features), len(bias), features.shape[2])
        ctx.save_for_backward(features, out, near, cell, whole)
        ctx.pitch, ctx.threads = pitch, threads
        rows, to, weights = array(features), out.numpy(), (array(near), array(cell), array(bias), array(whole))
        room = np.zeros((threads, *features.shape[1:]), np.float32)
        layer, top = (pitch, inside.numpy(), *weights), np.empty(room.shape[:2], np.float32)
        share(len(out), threads, lambda part, i: loops.look(rows[part], *layer, room[i], top[i], to[part]))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:  # pyright: ignore
        """Return the gradients of the features and of all weights."""
        features, out, near, cell, whole = (array(saved) for saved in ctx.saved_tensors)
        shapes, threads = (near.shape, cell.shape, cell.shape[:1], whole.shape), ctx.threads
        sums = [tuple(np.zeros(shape, np.float32) for shape in shapes) for _ in range(threads)]
        grad, back = array(gradients[0]), np.zeros_like(features)
        room = np.zeros((threads, out.shape[1] + 2 * features.shape[1], out.shape[2]), np.float32)
        total = np.empty((threads, out.shape[1]), np.float32)
        layer = ctx.pitch, near, np.ascontiguousarray(cell.T), np.ascontiguousarray(whole.T)
        share(
            len(out),
            threads,
            lambda p, i: loops.look_back(grad[p], features[p], out[p], *layer, room[i], total[i], back[p], sums[i]),
        )
        totals = [torch.from_numpy(np.sum(parts, 0)) for parts in zip(*sums, strict=True)]
        return torch.from_numpy(back), *totals, None, None, None


class Summary(nn.Module):
    """Turn features of every cell into a number a cell, and each feature's mean and highest value.

    [n, width, size] becomes [n, cells + 2 × width].

    Args:
        board: where a view shows the board.
        width: features of a cell.
        threads: among which a batch is shared.
    """

    cells: torch.Tensor  # int64 [cells] where each is in a row of features

    def __init__(self, board: Board, width: int, threads: int = 1) -> None:
        super().__init__()
        self.threads = threads
        self.register_buffer("cells", torch.from_numpy(frame(board).cells()), False)
        self.weights = nn.Parameter(torch.randn(width) * 0.01 / width**0.5)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the summary of features [n, width, size]."""
        return Summarise.apply(features, self.weights, self.cells, self.threads)  # pyright: ignore


class Summarise(torch.autograd.Function):
    """Forward and backward pass of `Summary`."""

    @staticmethod
    def forward(
        ctx: Any, features: torch.Tensor, weights: torch.Tensor, cells: torch.Tensor, threads: int
    ) -> torch.Tensor:
        """Return the summary."""
        ctx.save_for_backward(features, weights, cells)
        ctx.threads = threads
        n, width, size = features.shape
        out, room = torch.empty(n, len(cells) + 2 * width), np.zeros((threads, size), np.float32)
        rows, to, layer = array(features), out.numpy(), (cells.numpy(), array(weights))
        share(n, threads, lambda part, i: loops.summarise(rows[part], *layer, room[i], to[part]))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:  # pyright: ignore
        """Return the gradients of the features and of the weights."""
        features, weights, cells = (array(saved) for saved in ctx.saved_tensors)
        gradient, back, threads = array(gradients[0]), np.empty_like(features), ctx.threads
        room, sums = np.zeros((threads, features.shape[2]), np.float32), np.zeros((threads, len(weights)), np.float32)
        layer = cells, weights
        share(
            len(back),
            threads,
            lambda p, i: loops.summarise_back(gradient[p], features[p], *layer, room[i], back[p], sums[i]),
        )
        return torch.from_numpy(back), torch.from_numpy(sums.sum(0)), None, None
