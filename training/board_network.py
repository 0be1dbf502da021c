"""Networks for games on a board: the same small network looks at every cell.

What lies along a line through a cell, up to the first stone or wall that ends it on either side, is one of a few
hundred patterns. A table that is learned has a row for each; the rows of the four lines are summed, for the stones of
either side. Layers that all cells share then look at the cell, its neighbours and the whole board. That such a table
replaces most of a deep network for five in a row is shown by Z. Jin, H. Duan and Z. Hang, "Rapfi: distilling efficient
neural network for the game of Gomoku", 2025 (arXiv:2503.13178); rows, layers and training are others here.
"""

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.agents.base import workers
from kozyr.envs.core.game import Board
from kozyr.training import board_kernels as kernels

LONGEST = 5  # cells to a side that a pattern may have: 3 to the power of twice as many are told apart at first
FREE, OWN, END = range(3)  # what a line's cell holds, as one side sees it


def rays(reach: int) -> NDArray[np.int64]:
    """Return what tells rays from a cell apart, int64 [3 ** reach]: equal where they are equal up to their end.

    The index of a ray is the sum of 3 ** i × what its cell i holds, the nearest first.
    """
    found: list[int] = []
    for far_first in product((FREE, OWN, END), repeat=reach):
        code = 1  # then a binary digit a cell up to the end, nearest first
        for held in reversed(far_first):
            if held == END:
                break
            code = 2 * code + held
        found.append(code - 1)
    return np.array(found)


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


def seen_by(planes: int) -> NDArray[np.float32]:
    """Return the kernel that turns a board's planes into what its cells hold for either side: [2, planes, 1, 1]."""
    kernel = np.full((2, planes, 1, 1), END, np.float32)
    kernel[0, 0] = kernel[1, 1] = OWN
    return kernel


class Patterns(nn.Module):
    """Turn stones into features of every cell: [n, planes × cells] and [n, width] of the whole board to [n, width, size].

    Args:
        board: where a view shows the board: my stones, theirs, then walls if there are any.
        width: features of a pattern.
    """

    rays: torch.Tensor  # int16 [4 ** reach] what tells rays apart, by two bits a cell, the nearest lowest
    pairs: torch.Tensor  # int16 [rays, rays]
    cells: torch.Tensor  # int64 [cells] where each is in a row of features

    def __init__(self, board: Board, width: int) -> None:
        super().__init__()
        self.board, digits = board, np.arange(4**board.reach)[:, None] >> 2 * np.arange(board.reach) & 3
        coded = rays(board.reach)[(np.minimum(digits, END) * 3 ** np.arange(board.reach)).sum(1)]
        each = np.arange(coded.max() + 1)
        self.register_buffer("rays", torch.from_numpy(coded.astype(np.int16)), False)
        self.register_buffer("pairs", torch.from_numpy(paired(each, each).astype(np.int16)), False)
        self.register_buffer("cells", torch.from_numpy(kernels.frame(board.rows, board.columns).cells()), False)
        self.number = int(self.pairs.max()) + 1  # of patterns of a side
        self.table = nn.Parameter(torch.randn(2 * self.number, width) / 8**0.5)

    def read(self, stones: torch.Tensor) -> torch.Tensor:
        """Return the patterns through every cell, int16 [n, cells, 8], of stones [n, planes × cells]."""
        found = torch.empty(len(stones), len(self.cells), 8, dtype=torch.int16)
        given, to = _array(stones).reshape(len(stones), self.board.planes, -1), found.numpy()
        told = self.board.columns, self.board.reach, self.rays.numpy(), self.pairs.numpy()
        framed = (self.board.rows + 2 * self.board.reach) * (self.board.columns + 2 * self.board.reach)
        room = np.empty((torch.get_num_threads(), 3, framed), np.int16)
        _share(len(found), lambda part, i: kernels.read_patterns(given[part], *told, room[i], to[part]))
        return found

    def forward(self, stones: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        """Return what is above 0 of the sums of the rows of all patterns and the board's features."""
        return RowSums.apply(self.table, flags, self.read(stones), self.cells, self.board)  # pyright: ignore


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    """Return a tensor's values as a C-contiguous array."""
    return tensor.detach().contiguous().numpy()


def _share(n: int, work: Callable[[slice, int], None]) -> None:
    """Share n positions among as many threads as torch uses; each is told its part and its number."""
    threads = torch.get_num_threads()
    ends = [n * i // threads for i in range(threads + 1)]
    tasks = [workers(threads).submit(work, slice(*ends[i : i + 2]), i) for i in range(1, threads)]
    work(slice(0, ends[1]), 0)
    for task in tasks:
        task.result()


def _rooms(features: NDArray[Any], out: NDArray[Any]) -> NDArray[np.float32]:
    """Return room for what each thread notes about one position of features [n, before, size] and [n, after, size]."""
    rows = features.shape[1] + out.shape[1] + 3
    return np.zeros((torch.get_num_threads(), rows, features.shape[2]), np.float32)


class RowSums(torch.autograd.Function):
    """What is above 0 of sums of eight rows of a table and a row for the whole board.

    Float [rows, width], [n, width] and int16 [n, cells, 8] become [n, width, size].
    """

    @staticmethod
    def forward(
        ctx: Any, table: torch.Tensor, flags: torch.Tensor, found: torch.Tensor, cells: torch.Tensor, board: Board
    ) -> torch.Tensor:
        """Return the sums."""
        out = torch.empty(len(found), table.shape[1], kernels.frame(board.rows, board.columns).size)
        ctx.save_for_backward(out, found, cells)
        ctx.number = len(table)
        given, base, rows, to, at = _array(table), _array(flags), found.numpy(), out.numpy(), cells.numpy()
        room = np.empty((torch.get_num_threads(), table.shape[1]), np.float32)
        _share(len(out), lambda part, i: kernels.sum_rows(given, rows[part], base[part], at, room[i], to[part]))
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of the table and of the flags."""
        out, found, cells = (saved.numpy() for saved in ctx.saved_tensors)
        n, width, size = out.shape
        given, flags = _array(gradients[0]), np.zeros((n, width), np.float32)
        tables = np.zeros((torch.get_num_threads(), ctx.number, width), np.float32)
        room = np.empty((len(tables), width + 1, max(size, width)), np.float32)
        _share(n, lambda p, i: kernels.add_rows(given[p], out[p], found[p], cells, room[i], tables[i], flags[p]))
        return torch.from_numpy(tables.sum(0)), torch.from_numpy(flags), None, None, None


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
        return self.weights[:, None, torch.tensor([[2, 1, 2], [1, 0, 1], [2, 1, 2]])]


class Look(nn.Module):
    """Turn features of every cell into others that know their neighbours and the board's highest ones.

    [n, before, size] becomes [n, after, size], what is above 0.
    """

    inside: torch.Tensor  # [size] 1 at cells

    def __init__(self, board: Board, before: int, after: int) -> None:
        super().__init__()
        self.board, self.features = board, before
        self.near = Neighbours(before)
        self.cell = nn.Linear(before, after)
        self.whole = nn.Linear(before, after, bias=False)
        frame = kernels.frame(board.rows, board.columns)
        self.pitch, inside = frame.pitch, torch.zeros(frame.size)
        inside[torch.from_numpy(frame.cells())] = 1.0
        self.register_buffer("inside", inside, False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the new features."""
        weights = self.near.weights, self.cell.weight, self.cell.bias, self.whole.weight
        return Looked.apply(features, *weights, self.inside, self.pitch)  # pyright: ignore


class Looked(torch.autograd.Function):
    """What `Look` does, and the way back."""

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
    ) -> torch.Tensor:
        """Return the new features."""
        out = torch.empty(len(features), len(bias), features.shape[2])
        ctx.save_for_backward(features, out, near, cell, whole)
        ctx.pitch = pitch
        given, to, weights = _array(features), out.numpy(), [_array(each) for each in (near, cell, bias, whole)]
        told, room = (pitch, inside.numpy(), *weights), _rooms(given, to)
        _share(len(out), lambda part, i: kernels.look(given[part], *told, room[i], to[part]))
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of the features and of all weights."""
        features, out, near, cell, whole = (_array(saved) for saved in ctx.saved_tensors)
        shapes, threads = (near.shape, cell.shape, cell.shape[:1], whole.shape), torch.get_num_threads()
        sums = [tuple(np.zeros(shape, np.float32) for shape in shapes) for _ in range(threads)]
        given, back, room = _array(gradients[0]), np.zeros_like(features), _rooms(features, out)
        told = ctx.pitch, near, np.ascontiguousarray(cell.T), np.ascontiguousarray(whole.T)
        _share(
            len(out),
            lambda p, i: kernels.look_back(given[p], features[p], out[p], *told, room[i], back[p], sums[i]),
        )
        totals = [torch.from_numpy(np.sum(parts, 0)) for parts in zip(*sums, strict=True)]
        return torch.from_numpy(back), *totals, None, None


class Summary(nn.Module):
    """Turn features of every cell into a number a cell, and each feature's mean and highest value: [n, cells + 2 × width].

    Args:
        board: where a view shows the board.
        width: features of a cell.
    """

    cells: torch.Tensor  # int64 [cells] where each is in a row of features

    def __init__(self, board: Board, width: int) -> None:
        super().__init__()
        self.register_buffer("cells", torch.from_numpy(kernels.frame(board.rows, board.columns).cells()), False)
        self.weights = nn.Parameter(torch.randn(width) * 0.01 / width**0.5)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the summary of features [n, width, size]."""
        return Told.apply(features, self.weights, self.cells)  # pyright: ignore


class Told(torch.autograd.Function):
    """What `Summary` does, and the way back."""

    @staticmethod
    def forward(ctx: Any, features: torch.Tensor, weights: torch.Tensor, cells: torch.Tensor) -> torch.Tensor:
        """Return the summary."""
        ctx.save_for_backward(features, weights, cells)
        n, width, size = features.shape
        out, room = torch.empty(n, len(cells) + 2 * width), np.zeros((torch.get_num_threads(), size), np.float32)
        given, to, told = _array(features), out.numpy(), (cells.numpy(), _array(weights))
        _share(n, lambda part, i: kernels.tell(given[part], *told, room[i], to[part]))
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of the features and of the weights."""
        features, weights, cells = (_array(saved) for saved in ctx.saved_tensors)
        given, back, threads = _array(gradients[0]), np.empty_like(features), torch.get_num_threads()
        room, sums = np.zeros((threads, features.shape[2]), np.float32), np.zeros((threads, len(weights)), np.float32)
        told = cells, weights
        _share(
            len(back), lambda p, i: kernels.tell_back(given[p], features[p], *told, room[i], back[p], sums[i])
        )
        return torch.from_numpy(back), torch.from_numpy(sums.sum(0)), None


class PatternView(BaseFeaturesExtractor):
    """Turn a view into a number a cell and features of the board: [n, cells + 2 × features].

    Args:
        observation_space: the view's Box.
        board: where the view shows the board.
        patterns: features of a pattern.
        trunk: features of a cell after each look at its neighbours.
    """

    def __init__(
        self, observation_space: gymnasium.spaces.Box, board: Board, patterns: int, trunk: list[int]
    ) -> None:
        cells = board.rows * board.columns
        super().__init__(observation_space, cells + 2 * trunk[-1])
        self.shown = board.planes * cells
        self.patterns = Patterns(board, patterns)
        self.flags = nn.Linear(observation_space.shape[0] - self.shown, patterns)
        self.looks = nn.Sequential(*(Look(board, before, after) for before, after in pairwise([patterns, *trunk])))
        self.summary = Summary(board, trunk[-1])

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return the summary of views [n, view]."""
        flags = self.flags(views[:, self.shown :])
        return self.summary(self.looks(self.patterns(views[:, : self.shown], flags)))


def stacked(widths: list[int], activation: type[nn.Module]) -> list[nn.Module]:
    """Return linear layers of these widths, each with the module that follows it."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), activation()]
    return layers


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
