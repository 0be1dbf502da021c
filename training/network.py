"""The networks that learn: views scaled to [0, 1], a trunk shared by actor and critic, and a head for each."""

from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.envs.core import capabilities
from kozyr.envs.core.capabilities import Symmetry, TwoLines
from kozyr.envs.core.game import Game
from kozyr.training.board.patterns import LONGEST
from kozyr.training.board.policy import BoardPolicy, PatternView
from kozyr.training.layers import in_a_row, stacked
from kozyr.training.lineup_network import Lines
from kozyr.training.settings import PLAIN

EVERYTHING = "everything"  # of the settings: the critic reads the views of all seats
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}


class ScaledView(BaseFeaturesExtractor):
    """Divide a view by its space's `high` and pass it through the layers that actor and critic share.

    Attributes:
        turned: of the views that were passed last, which naming they had: int64 [n, 1]; where there is a symmetry.

    Args:
        observation_space: the view's Box, or one that begins with it.
        size: entries that are read; all others are left alone.
        trunk: width of each shared layer; none leaves the scaled view as it is.
        activation: the module between layers.
        symmetry: turns views into their first naming before anything else.
        lineup: says where views show two lines that meet, which are then read beside the rest.
        levels: entries that may be 2 up to this are read once more as zeros and ones: whether they are above 0, 1, …
        sums: int64 [k, n] entries, alike in `high`, that are first summed; the sums are read in that way too.
        bfloat16: the layers multiply so where the processor can.
    """

    scale: torch.Tensor  # [view]
    sums: torch.Tensor  # int64 [k, n]
    counts: torch.Tensor  # int64 [steps] the entries that are read once more, of the view and then of the sums
    steps: torch.Tensor  # [1, steps] what each is compared with
    exchange: torch.Tensor  # int64 [k, view]

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        size: int,
        trunk: list[int],
        activation: type[nn.Module],
        symmetry: Symmetry | None = None,
        lineup: TwoLines | None = None,
        levels: int = 0,
        sums: NDArray[np.int64] | None = None,
        bfloat16: bool = False,
    ) -> None:
        lines = None if lineup is None else Lines(lineup)
        high = np.maximum(observation_space.high[:size].astype(np.float32), 1.0)
        added = np.zeros((0, 1), np.int64) if sums is None or not levels else sums
        counts, steps = count_steps(np.concatenate([high, high[added[:, 0]]]), levels)
        width = size + len(added) + len(counts) + (0 if lines is None else lines.features)
        super().__init__(observation_space, features_dim=trunk[-1] if trunk else width)
        self.register_buffer("scale", torch.from_numpy(1.0 / high))
        self.register_buffer("sums", torch.from_numpy(added), False)
        self.register_buffer("counts", torch.from_numpy(counts), False)
        self.register_buffer("steps", torch.from_numpy(steps)[None], False)
        self.symmetry, self.turned = symmetry, torch.zeros((0, 1), dtype=torch.int64)
        if symmetry is not None:
            one = symmetry.views.shape[1]
            seats = [symmetry.views + first for first in range(0, size, one)]
            self.register_buffer("exchange", torch.from_numpy(np.concatenate(seats, 1)))
        self.lines = lines
        self.layers = in_a_row(stacked([width, *trunk], activation), bfloat16)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return features [n, features] of views [n, view]."""
        read = views[:, : len(self.scale)] * self.scale
        if self.symmetry is not None:
            self.turned = read[:, self.symmetry.first : self.symmetry.last].argmax(1)
            read = read.gather(1, self.exchange[self.turned])
        if len(self.sums):
            read = torch.cat([read, read[:, self.sums].sum(2)], 1)
        if len(self.counts):
            read = torch.cat([read, (read[:, self.counts] > self.steps).float()], 1)
        if self.lines is not None:
            read = torch.cat([read, self.lines(views)], 1)
        return self.layers(read)


def count_steps(high: NDArray[np.float32], levels: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return scaled entries, given their highest values, and what they are compared with: one step for each count."""
    counts = [i for i, top in enumerate(high) if 1 < top <= levels for _ in range(int(top))]
    steps = [(above + 0.5) / top for top in high if 1 < top <= levels for above in range(int(top))]
    return np.array(counts, np.int64), np.array(steps, np.float32)


class TurnedLogits(nn.Module):
    """Give the logits of the actions as they are named at the table, after a view was turned.

    Args:
        layer: gives the logits of the turned view; view: the layers that have turned it.
        symmetry: the exchange.
    """

    exchange: torch.Tensor  # int64 [k, actions]

    def __init__(self, layer: nn.Module, view: ScaledView, symmetry: Symmetry) -> None:
        super().__init__()
        self.layer, self._view = layer, (view,)  # in a tuple, so that its weights are not taken for this module's
        self.register_buffer("exchange", torch.from_numpy(symmetry.actions))

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """Return logits [n, actions]."""
        return self.layer(latent).gather(1, self.exchange[self._view[0].turned])


class ViewPolicy(MaskableActorCriticPolicy):
    """SB3's policy whose actor reads its own view, with which observations begin, turned if there is a symmetry.

    The critic has layers of its own and reads everything if SB3 is told that they share none.
    """

    def make_features_extractor(self) -> BaseFeaturesExtractor:
        """Return the actor's layers when asked first, the critic's after that."""
        kwargs = dict(self.features_extractor_kwargs)
        if getattr(self, "features_extractor", None) is not None:
            kwargs["size"] = self.observation_space.shape[0]  # pyright: ignore[reportOptionalSubscript]
        return self.features_extractor_class(self.observation_space, **kwargs)

    def _build_mlp_extractor(self) -> None:
        """Build the layers between the features and the logits or the value."""
        super()._build_mlp_extractor()
        bfloat16, own = self.features_extractor_kwargs["bfloat16"], self.mlp_extractor
        own.policy_net, own.value_net = (in_a_row(list(net), bfloat16) for net in (own.policy_net, own.value_net))

    def _build(self, lr_schedule: Any) -> None:
        """Build the policy; its logits are turned back."""
        super()._build(lr_schedule)
        view: Any = self.pi_features_extractor
        if view.symmetry is not None:
            self.action_net = TurnedLogits(self.action_net, view, view.symmetry)


class Logits(nn.Module):
    """The actor alone: views [n, view] of any type in, logits [n, actions] out.

    It shares its weights with the policy that it is made from.
    """

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.features = policy.pi_features_extractor
        self.actor = policy.mlp_extractor.policy_net
        self.head = policy.action_net

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return the logits of all actions, legal or not."""
        return self.head(self.actor(self.features(views.float())))


def policy_of(game: Game, variant: Any, net: dict[str, Any], threads: int = 1) -> tuple[Any, dict[str, Any]]:
    """Return the policy class and `policy_kwargs` for MaskablePPO, as the settings' table `net` says.

    It needs `trunk`, `heads` and `activation`; what else it lacks is as in a plain network. `threads` share a batch
    where the network is compiled here; elsewhere torch has its own.

    Raises:
        ValueError: where lines are too long to be told apart by their patterns.
    """
    net = PLAIN | net
    activation, trunk, heads = ACTIVATIONS[net["activation"]], net["trunk"], net["heads"]
    board = capabilities.board(variant)
    if net["patterns"] and board is not None:
        if board.reach > LONGEST:
            raise ValueError(
                f"net.patterns={net['patterns']} is not allowed where lines reach {board.reach} cells to each side of "
                f"a cell: at most {LONGEST}, or net.patterns=0"
            )
        read = {"board": board, "patterns": net["patterns"], "trunk": trunk, "threads": threads}
        own = {"heads": heads, "activation_fn": activation}
        return BoardPolicy, {**own, "features_extractor_class": PatternView, "features_extractor_kwargs": read}
    symmetry = capabilities.symmetry(variant) if net["turned"] else None
    lineup = capabilities.two_lines(variant) if net["meeting"] else None
    read = {"size": game.size(variant), "trunk": trunk, "activation": activation}
    read |= {"symmetry": symmetry, "lineup": lineup, "levels": net["levels"], "bfloat16": net["bfloat16"]}
    read["sums"] = capabilities.counted_parts(variant)
    return ViewPolicy, {
        "net_arch": {"pi": heads, "vf": heads},
        "activation_fn": activation,
        "share_features_extractor": net["critic"] != EVERYTHING,
        "features_extractor_class": ScaledView,
        "features_extractor_kwargs": read,
    }
