"""The policy of games on a board: what it reads of a view, and what actor and critic take of that."""

from itertools import pairwise
from typing import Any

import gymnasium
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.envs.core.capabilities import Board
from kozyr.training.encoders.line_patterns.neighbour_sums import Look, Summary
from kozyr.training.encoders.line_patterns.table import Patterns
from kozyr.training.learners.layers import stacked


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
        self.shown = board.planes * cells
        self.patterns = Patterns(board, patterns, threads)
        self.flags = nn.Linear(observation_space.shape[0] - self.shown, patterns)
        widths = pairwise([patterns, *trunk])
        self.looks = nn.Sequential(*(Look(board, before, after, threads) for before, after in widths))
        self.summary = Summary(board, trunk[-1], threads)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return the summary of views [n, view]."""
        flags = self.flags(views[:, self.shown :])
        return self.summary(self.looks(self.patterns(views[:, : self.shown], flags)))


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
