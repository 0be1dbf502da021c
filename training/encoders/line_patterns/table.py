"""Pattern table of a board: a learned vector for each pattern of stones along a line through a cell.

What lies along a line through a cell, up to the first stone or wall that ends it on either side, is one of a few
hundred patterns. A table that is learned has a row for each; the rows of the four lines are summed, for the stones of
either side. Layers that all cells share then look at the cell, its neighbours and the whole board. That such a table
replaces most of a deep network for five in a row is shown by Z. Jin, H. Duan and Z. Hang, "Rapfi: distilling efficient
neural network for the game of Gomoku", 2025 (arXiv:2503.13178); rows, layers and training are others here.
"""

from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.autograd.function import once_differentiable

from kozyr.envs.core.capabilities import Board
from kozyr.training.encoders.line_patterns import pattern_loops as loops
from kozyr.training.encoders.line_patterns.frame import array, frame, share

FREE, OWN, END = range(3)  # what a line's cell holds, as one side sees it


def rays(reach: int) -> NDArray[np.int64]:
    """Return a code of each ray from a cell, int64 [3 ** reach]: equal for rays that are equal up to their end.

    The index of a ray is the sum of 3 ** i × what its cell i holds, the nearest first.
    """
    codes: list[int] = []
    for far_first in product((FREE, OWN, END), repeat=reach):
        code = 1  # then a binary digit a cell up to the end, nearest first
        for content in reversed(far_first):
            if content == END:
                break
            code = 2 * code + content
        codes.append(code - 1)
    return np.array(codes)


def paired(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of a pattern for every two rays; a line and its mirror image are one."""
    low, high = np.minimum.outer(one, other), np.maximum.outer(one, other)
    return high * (high + 1) // 2 + low


def kinds(reach: int) -> NDArray[np.int64]:
    """Return the pattern's number for both rays of a line, int64 [9 ** reach], by the number that `places` gives."""
    one = rays(reach)
    return paired(one, one).ravel()


def places(reach: int) -> NDArray[np.float32]:
    """Return the kernel that gives a line's number, of both rays, in each direction: [4, 1, size, size]."""
    kernel = np.zeros((4, 1, 2 * reach + 1, 2 * reach + 1), np.float32)
    for line, (down, right) in zip(kernel[:, 0], ((0, 1), (1, 0), (1, 1), (1, -1)), strict=True):
        for i in range(reach):
            line[reach + (i + 1) * down, reach + (i + 1) * right] = 3**i
            line[reach - (i + 1) * down, reach - (i + 1) * right] = 3 ** (reach + i)
    return kernel


def content_kernel(planes: int) -> NDArray[np.float32]:
    """Return the kernel that turns a board's planes into the cells' content for either side: [2, planes, 1, 1]."""
    kernel = np.full((2, planes, 1, 1), END, np.float32)
    kernel[0, 0] = kernel[1, 1] = OWN
    return kernel


class Patterns(nn.Module):
    """Turn stones [n, planes × cells], and features of the whole board [n, width], into those of every cell.

    They are [n, width, size].

    Args:
        board: where a view shows the board: my stones, theirs, then walls if there are any.
        width: features of a pattern.
        threads: among which a batch is shared.
    """

    rays: torch.Tensor  # int16 [4 ** reach] what tells rays apart, by two bits a cell, the nearest lowest
    pairs: torch.Tensor  # int16 [rays, rays]
    cells: torch.Tensor  # int64 [cells] where each is in a row of features

    def __init__(self, board: Board, width: int, threads: int = 1) -> None:
        super().__init__()
        self.board, self.threads = board, threads
        digits = np.arange(4**board.reach)[:, None] >> 2 * np.arange(board.reach) & 3
        coded = rays(board.reach)[(np.minimum(digits, END) * 3 ** np.arange(board.reach)).sum(1)]
        each = np.arange(coded.max() + 1)
        self.register_buffer("rays", torch.from_numpy(coded.astype(np.int16)), False)
        self.register_buffer("pairs", torch.from_numpy(paired(each, each).astype(np.int16)), False)
        self.register_buffer("cells", torch.from_numpy(frame(board).cells()), False)
        self.number = int(self.pairs.max()) + 1  # of patterns of a side
        self.table = nn.Parameter(torch.randn(2 * self.number, width) / 8**0.5)

    def read(self, stones: torch.Tensor) -> torch.Tensor:
        """Return the patterns through every cell, int16 [n, cells, 8], of stones [n, planes × cells]."""
        patterns = torch.empty(len(stones), len(self.cells), 8, dtype=torch.int16)
        planes, to = array(stones).reshape(len(stones), self.board.planes, len(self.cells)), patterns.numpy()
        constants = self.board.columns, self.board.reach, self.rays.numpy(), self.pairs.numpy()
        framed = (self.board.rows + 2 * self.board.reach) * (self.board.columns + 2 * self.board.reach)
        room = np.empty((self.threads, 3, framed), np.int16)
        share(
            len(patterns),
            self.threads,
            lambda part, i: loops.read_patterns(planes[part], *constants, room[i], to[part]),
        )
        return patterns

    def forward(self, stones: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        """Return the positive part of the sums of the rows of all patterns and the board's features."""
        return RowSums.apply(self.table, flags, self.read(stones), self.cells, self.board, self.threads)  # pyright: ignore


class RowSums(torch.autograd.Function):
    """Positive part of sums of eight rows of a table and a row for the whole board.

    Float [rows, width], [n, width] and int16 [n, cells, 8] become [n, width, size].
    """

    @staticmethod
    def forward(
        ctx: Any,
        table: torch.Tensor,
        flags: torch.Tensor,
        patterns: torch.Tensor,
        cells: torch.Tensor,
        board: Board,
        threads: int,
    ) -> torch.Tensor:
        """Return the sums."""
        out = torch.empty(len(patterns), table.shape[1], frame(board).size)
        ctx.save_for_backward(out, patterns, cells)
        ctx.number, ctx.threads = len(table), threads
        weights, base, rows, to, at = array(table), array(flags), patterns.numpy(), out.numpy(), cells.numpy()
        room = np.empty((threads, table.shape[1]), np.float32)
        share(len(out), threads, lambda part, i: loops.sum_rows(weights, rows[part], base[part], at, room[i], to[part]))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:  # pyright: ignore
        """Return the gradients of the table and of the flags."""
        out, patterns, cells = (saved.numpy() for saved in ctx.saved_tensors)
        n, width, size = out.shape
        gradient, flags = array(gradients[0]), np.zeros((n, width), np.float32)
        tables = np.zeros((ctx.threads, ctx.number, width), np.float32)
        room, line = np.empty((ctx.threads, width, size), np.float32), np.empty((ctx.threads, width), np.float32)
        share(
            n,
            ctx.threads,
            lambda p, i: loops.add_rows(gradient[p], out[p], patterns[p], cells, room[i], line[i], tables[i], flags[p]),
        )
        return torch.from_numpy(tables.sum(0)), torch.from_numpy(flags), None, None, None, None
