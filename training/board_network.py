"""Networks for games on a board: the same small network reads the lines through every cell.

The lines in four directions through a cell are read by shared layers and summed, as the pattern players of five in a
row do; layers that all cells share turn the sum, the strongest lines of the board and the flags of the view into the
cell's features.
"""

from itertools import pairwise
from typing import Any

import gymnasium
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.envs.core.game import Board


class LineView(BaseFeaturesExtractor):
    """Turn a view into features of every cell, flat: [n, cells × features].

    The board is laid out as one long row, with a margin after each of its rows, so that the neighbours of a cell in a
    direction are a constant step apart: 1 along the row, the row's width down, one more or one less diagonally.

    Args:
        observation_space: the view's Box.
        board: where the view shows the board.
        lines: widths of the layers that read a line.
        trunk: widths of the layers of a cell.
        activation: the module between layers.
    """

    outside: torch.Tensor  # [1, 1, margin + rows × width + margin] 1 in the margins

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        board: Board,
        lines: list[int],
        trunk: list[int],
        activation: type[nn.Module],
    ) -> None:
        self.board, self.cells, self.length = board, board.rows * board.columns, 2 * board.reach + 1
        super().__init__(observation_space, features_dim=self.cells * trunk[-1])
        self.width = board.columns + board.reach
        self.margin = board.reach * (self.width + 1)
        rows = nn.functional.pad(torch.zeros(board.rows, board.columns), (0, board.reach), value=1.0)
        outside = nn.functional.pad(rows.flatten(), (self.margin, self.margin), value=1.0)
        self.register_buffer("outside", outside[None, None])
        flags = observation_space.shape[0] - board.planes * self.cells
        self.stones = nn.Linear(board.planes * self.length, lines[0])
        self.edges = nn.Linear(self.length, lines[0], bias=False)
        self.lines = nn.Sequential(activation(), *stacked(lines, activation))
        self.cell = nn.Linear(lines[-1], trunk[0])
        self.context = nn.Linear(lines[-1], trunk[0], bias=False)
        self.flags = nn.Linear(flags, trunk[0], bias=False)
        self.layers = nn.Sequential(activation(), *stacked(trunk, activation))

    @property
    def steps(self) -> tuple[int, ...]:
        """Steps between the cells of a line in each of the four directions."""
        return 1, self.width, self.width + 1, self.width - 1

    def span(self, step: int) -> tuple[int, int]:
        """Return the first and the last + 1 of the places that lines in a direction reach."""
        first = self.margin - self.board.reach * step
        return first, self.outside.shape[2] - first

    def read(self, laid: torch.Tensor) -> torch.Tensor:
        """Return the lines through every cell, [4, n, cells, planes × length], of boards laid out, [n, planes, …]."""
        _, rows, columns, _ = self.board
        n, planes, size = laid.shape
        found = torch.empty((len(self.steps), n, rows, columns, planes, self.length))
        for direction, step in zip(found, self.steps, strict=True):
            strides = (planes * size, self.width, 1, size, step)
            direction.copy_(laid.as_strided(direction.shape, strides, self.span(step)[0]))
        return found.view(len(self.steps), n, self.cells, -1)

    def edge(self) -> torch.Tensor:
        """Return what the board's edges add to its lines: [4, 1, cells, features]."""
        return self.edges(self.read(self.outside))

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return features [n, cells × features] of views [n, view]."""
        planes, rows, columns, reach = self.board
        stones = views[:, : planes * self.cells].reshape(-1, planes, rows, columns)
        laid = nn.functional.pad(nn.functional.pad(stones, (0, reach)).flatten(2), (self.margin, self.margin))
        found = self.lines(self.stones(self.read(laid)) + self.edge()).sum(0)
        context = self.context(found.amax(1)) + self.flags(views[:, planes * self.cells :])
        return self.layers(self.cell(found) + context[:, None]).flatten(1)


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
        return self.layers(torch.cat([cells.mean(1), cells.amax(1)], 1))


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
