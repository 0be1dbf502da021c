"""Networks for games on a board: the same small network looks at every cell.

What lies along a line through a cell, up to the first stone or wall that ends it on either side, is one of a few
hundred patterns. A table that is learned has a row for each; the rows of the four lines are summed, for the stones of
either side. Layers that all cells share then look at the cell, its neighbours and the whole board. That such a table
replaces most of a deep network for five in a row is shown by Z. Jin, H. Duan and Z. Hang, "Rapfi: distilling efficient
neural network for the game of Gomoku", 2025 (arXiv:2503.13178); rows, layers and training are others here.
"""

from itertools import pairwise, product
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.envs.core.game import Board

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


def kinds(reach: int) -> NDArray[np.int64]:
    """Return the pattern's number for both rays of a line, int64 [9 ** reach]; a line and its mirror image are one."""
    one = rays(reach)
    low, high = np.minimum.outer(one, one), np.maximum.outer(one, one)
    return (high * (high + 1) // 2 + low).ravel()


def places(reach: int) -> NDArray[np.float32]:
    """Return the kernel that gives a line's number, of both rays, in each direction: [4, 1, size, size]."""
    kernel = np.zeros((4, 1, 2 * reach + 1, 2 * reach + 1), np.float32)
    for line, (down, right) in zip(kernel[:, 0], ((0, 1), (1, 0), (1, 1), (1, -1)), strict=True):
        for i in range(reach):
            line[reach + (i + 1) * down, reach + (i + 1) * right] = 3**i
            line[reach - (i + 1) * down, reach - (i + 1) * right] = 3 ** (reach + i)
    return kernel


class Patterns(nn.Module):
    """Turn stones into features of every cell: [n, planes × cells] to [n, cells, width].

    Args:
        board: where a view shows the board: my stones, theirs, then walls if there are any.
        width: features of a pattern.
    """

    sides: torch.Tensor  # [2, planes, 1, 1] what each plane's stone is to either side
    places: torch.Tensor  # [4, 1, 2 × reach + 1, 2 × reach + 1]
    kinds: torch.Tensor  # int32 [9 ** reach]

    def __init__(self, board: Board, width: int) -> None:
        super().__init__()
        self.board, self.cells = board, board.rows * board.columns
        sides = torch.full((2, board.planes, 1, 1), float(END))
        sides[0, 0] = sides[1, 1] = OWN
        self.register_buffer("sides", sides)
        self.register_buffer("places", torch.from_numpy(places(board.reach)))
        self.register_buffer("kinds", torch.from_numpy(kinds(board.reach).astype(np.int32)))
        self.number = int(self.kinds.max()) + 1  # of patterns of a side
        self.table = nn.Parameter(torch.randn(2 * self.number, width) / 8**0.5)

    def read(self, stones: torch.Tensor) -> torch.Tensor:
        """Return the patterns through every cell, int32 [n × cells, 8], of stones [n, planes × cells]."""
        planes, rows, columns, reach = self.board
        seen = nn.functional.conv2d(stones.reshape(-1, planes, rows, columns), self.sides)
        framed = nn.functional.pad(seen, (reach,) * 4, value=float(END)).flatten(0, 1)[:, None]
        index = nn.functional.conv2d(framed, self.places).to(torch.int32)
        found = self.kinds.index_select(0, index.flatten()).view(-1, 2, 4, self.cells)
        found[:, 1] += self.number
        return found.permute(0, 3, 1, 2).reshape(-1, 8)

    def forward(self, stones: torch.Tensor) -> torch.Tensor:
        """Return the sums of the rows of all patterns."""
        return RowSums.apply(self.table, self.read(stones)).view(len(stones), self.cells, -1)  # pyright: ignore


class RowSums(torch.autograd.Function):
    """Sum rows of a table: float [rows, width] and int32 [n, k] to [n, width].

    It is `embedding_bag` with a way back that takes an eighth of the time: each row's gradient is a sum as well.
    """

    @staticmethod
    def forward(ctx: Any, table: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return the sums."""
        ctx.save_for_backward(rows)
        ctx.number = len(table)
        return nn.functional.embedding_bag(rows, table, mode="sum")

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Return the gradient of the table."""
        (rows,) = ctx.saved_tensors
        met, order = rows.to(torch.int16).flatten().sort()
        first = torch.searchsorted(met, torch.arange(ctx.number, dtype=torch.int16), out_int32=True)
        sums = (order // rows.shape[1]).to(torch.int32)
        return nn.functional.embedding_bag(sums, gradients[0].contiguous(), first, mode="sum"), None


class Neighbours(nn.Module):
    """Add to each feature of a cell the same feature of its neighbours: [n, features, rows, columns] both times.

    Weights are shared by all neighbours that a turn or a mirror takes to each other.
    """

    orbit: torch.Tensor  # int64 [size, size]

    def __init__(self, features: int, reach: int = 1) -> None:
        super().__init__()
        self.reach = reach
        away = np.abs(np.arange(-reach, reach + 1))
        low, high = np.minimum.outer(away, away), np.maximum.outer(away, away)
        self.register_buffer("orbit", torch.from_numpy(high * (high + 1) // 2 + low))
        weights = torch.randn(features, int(self.orbit.max()) + 1) / (2 * reach + 1)
        weights[:, 0] = 1.0  # the cell itself
        self.weights = nn.Parameter(weights)

    @property
    def kernel(self) -> torch.Tensor:
        """The kernel of the convolution: [features, 1, size, size]."""
        return self.weights[:, None, self.orbit]

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the sums."""
        return nn.functional.conv2d(features, self.kernel, padding=self.reach, groups=features.shape[1])


class Look(nn.Module):
    """Turn features of every cell into others that know their neighbours and the board's highest ones.

    [n, cells, before] becomes [n, cells, after].
    """

    def __init__(self, board: Board, before: int, after: int, activation: type[nn.Module]) -> None:
        super().__init__()
        self.board, self.features = board, before
        self.near = Neighbours(before)
        self.cell = nn.Linear(before, after)
        self.whole = nn.Linear(before, after, bias=False)
        self.activation = activation()

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the new features."""
        shape = (-1, self.board.rows, self.board.columns, self.features)
        near = self.near(features.view(shape).permute(0, 3, 1, 2)).permute(0, 2, 3, 1).reshape(features.shape)
        return self.activation(self.cell(near) + self.whole(features.max(1)[0])[:, None])


class PatternView(BaseFeaturesExtractor):
    """Turn a view into features of every cell, flat: [n, cells × features].

    Args:
        observation_space: the view's Box.
        board: where the view shows the board.
        patterns: features of a pattern.
        trunk: features of a cell after each look at its neighbours.
        activation: the module between layers.
    """

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        board: Board,
        patterns: int,
        trunk: list[int],
        activation: type[nn.Module],
    ) -> None:
        self.shown = board.planes * board.rows * board.columns
        super().__init__(observation_space, features_dim=board.rows * board.columns * trunk[-1])
        self.patterns = Patterns(board, patterns)
        self.flags = nn.Linear(observation_space.shape[0] - self.shown, patterns)
        self.activation = activation()
        self.looks = nn.Sequential(
            *(Look(board, before, after, activation) for before, after in pairwise([patterns, *trunk]))
        )

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return features [n, cells × features] of views [n, view]."""
        found = self.patterns(views[:, : self.shown]) + self.flags(views[:, self.shown :])[:, None]
        return self.looks(self.activation(found)).flatten(1)


def stacked(widths: list[int], activation: type[nn.Module]) -> list[nn.Module]:
    """Return linear layers of these widths, each with the module that follows it."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), activation()]
    return layers


class CellLogits(nn.Module):
    """Turn the features of each cell into its logit: [n, cells × features] to [n, cells]."""

    def __init__(self, cells: int, features: int) -> None:
        super().__init__()
        self.cells, self.features = cells, features
        self.layer = nn.Linear(features, 1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the logits of all cells."""
        return self.layer(features.view(-1, self.features)).view(-1, self.cells)


class BoardValue(nn.Module):
    """Turn the features of all cells, their mean and their highest, into a value: [n, cells × features] to [n, 1]."""

    def __init__(self, cells: int, features: int, heads: list[int], activation: type[nn.Module]) -> None:
        super().__init__()
        self.cells, widths = cells, [2 * features, *heads]
        self.layers = nn.Sequential(*stacked(widths, activation), nn.Linear(widths[-1], 1))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the values."""
        cells = features.unflatten(1, (self.cells, -1))
        return self.layers(torch.cat([cells.mean(1), cells.max(1)[0]], 1))


class BoardPolicy(MaskableActorCriticPolicy):
    """SB3's policy with one logit a cell and a value of the whole board.

    Args:
        *args, **kwargs: as SB3 gives them.
        width: features of a cell; heads: widths of the critic's layers.
    """

    def __init__(self, *args: Any, width: int, heads: list[int], **kwargs: Any) -> None:
        self._width, self._heads = width, heads
        super().__init__(*args, net_arch={"pi": [], "vf": []}, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        """Build the policy and give it the board's heads."""
        super()._build(lr_schedule)
        actions: Any = self.action_space
        self.action_net = CellLogits(int(actions.n), self._width)
        self.value_net = BoardValue(int(actions.n), self._width, self._heads, self.activation_fn)
        for module, gain in ((self.action_net, 0.01), (self.value_net, 1.0)):
            module.apply(lambda layer, gain=gain: self.init_weights(layer, gain))
        make: Any = self.optimizer_class
        self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
