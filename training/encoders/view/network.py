"""The policy that reads a view entry by entry: shared layers, then a head each for actor and critic."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.training.encoders.encoder import Forms, MakePart
from kozyr.training.encoders.view.legal import MANY, LegalActions
from kozyr.training.export.onnx_graph import Graph
from kozyr.training.learners.layers import in_a_row, stacked


class ScaledView(BaseFeaturesExtractor):
    """Divide a view by its space's `high` and pass it through the layers that actor and critic share.

    Args:
        observation_space: the view's Box, or one that begins with it.
        size: entries that are read; all others are left alone.
        trunk: width of each shared layer; none leaves what was read as it is.
        activation: the module between layers.
        parts: by name, what makes the parts that other readers add, in their order.
        bfloat16: the layers multiply so where the processor can.
        unseen: entries that are read as 0.
    """

    scale: torch.Tensor  # [view]

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        size: int,
        trunk: list[int],
        activation: type[nn.Module],
        parts: Sequence[tuple[str, MakePart]] = (),
        bfloat16: bool = False,
        unseen: Sequence[int] = (),
    ) -> None:
        high = np.maximum(observation_space.high[:size].astype(np.float32), 1.0)
        made = {name: make(high) for name, make in parts}
        width = size + sum(part.features for part in made.values())
        super().__init__(observation_space, features_dim=trunk[-1] if trunk else width)
        scale = torch.from_numpy(1.0 / high)
        scale[list(unseen)] = 0.0
        self.register_buffer("scale", scale)
        for name, part in made.items():
            self.add_module(name, part)
        self.parts = list(made)
        self.layers = in_a_row(stacked([width, *trunk], activation), bfloat16)
        self._register_load_state_dict_pre_hook(_drop_exchange)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return features [n, features] of views [n, view]."""
        read = views[:, : len(self.scale)] * self.scale
        for name in self.parts:
            read = self.get_submodule(name)(read, views)
        return self.layers(read)


def _drop_exchange(weights: dict[str, Any], prefix: str, *_: Any) -> None:
    """Leave out what checkpoints had among the weights until 2026, though the game tells it."""
    weights.pop(f"{prefix}exchange", None)


class ViewPolicy(MaskableActorCriticPolicy):
    """SB3's policy whose actor reads its own view, with which observations begin.

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
        """Build the policy; parts that change the order of actions change its logits back."""
        if isinstance(self.action_space, gymnasium.spaces.Discrete) and self.action_space.n >= MANY:
            self.action_dist = LegalActions(int(self.action_space.n))
        super()._build(lr_schedule)
        view: Any = self.pi_features_extractor
        for name in view.parts:
            self.action_net = view.get_submodule(name).head(self.action_net)


def _view(graph: Graph, module: ScaledView) -> None:
    """Append what `ScaledView.forward` does."""
    graph.add("Mul", graph.constant(module.scale.cpu().numpy()))
    for name in module.parts:
        graph.layer(module.get_submodule(name))
    graph.layer(module.layers)


FORMS: Forms = {ScaledView: _view}
