"""The networks that learn: views scaled to [0, 1], a trunk shared by actor and critic, and a head for each."""

from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.envs.core.game import Game
from kozyr.training.board_network import BoardPolicy, LineView

EVERYTHING = "everything"  # of the settings: the critic reads the views of all seats
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}


class ScaledView(BaseFeaturesExtractor):
    """Divide a view by its space's `high` and pass it through the layers that actor and critic share.

    Args:
        observation_space: the view's Box, or one that begins with it.
        size: entries that are read; all others are left alone.
        trunk: width of each shared layer; none leaves the scaled view as it is.
        activation: the module between layers.
    """

    scale: torch.Tensor  # [view]

    def __init__(
        self, observation_space: gymnasium.spaces.Box, size: int, trunk: list[int], activation: type[nn.Module]
    ) -> None:
        super().__init__(observation_space, features_dim=trunk[-1] if trunk else size)
        high = np.maximum(observation_space.high[:size].astype(np.float32), 1.0)
        self.register_buffer("scale", torch.from_numpy(1.0 / high))
        layers: list[nn.Module] = []
        for before, after in zip([size, *trunk], trunk):  # noqa: B905 (the last width has no layer after it)
            layers += [nn.Linear(before, after), activation()]
        self.layers = nn.Sequential(*layers)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return features [n, features] of views [n, view]."""
        return self.layers(views[:, : len(self.scale)] * self.scale)


class SeeingPolicy(MaskableActorCriticPolicy):
    """SB3's policy whose actor reads its own view, with which observations begin, and whose critic reads everything."""

    def make_features_extractor(self) -> BaseFeaturesExtractor:
        """Return the actor's layers when asked first, the critic's after that."""
        kwargs = dict(self.features_extractor_kwargs)
        if getattr(self, "features_extractor", None) is not None:
            kwargs["size"] = self.observation_space.shape[0]  # pyright: ignore[reportOptionalSubscript]
        return self.features_extractor_class(self.observation_space, **kwargs)


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


def policy_of(game: Game, variant: Any, net: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the policy class and `policy_kwargs` for MaskablePPO, as the settings' table `net` says."""
    activation, trunk, heads = ACTIVATIONS[net["activation"]], net["trunk"], net["heads"]
    if net["lines"] and game.board is not None:
        read = {"board": game.board(variant), "lines": net["lines"], "trunk": trunk, "activation": activation}
        own = {"width": trunk[-1], "heads": heads, "activation_fn": activation}
        return BoardPolicy, {**own, "features_extractor_class": LineView, "features_extractor_kwargs": read}
    everything = net["critic"] == EVERYTHING
    return SeeingPolicy if everything else "MlpPolicy", {
        "net_arch": {"pi": heads, "vf": heads},
        "activation_fn": activation,
        "share_features_extractor": not everything,
        "features_extractor_class": ScaledView,
        "features_extractor_kwargs": {"size": game.size(variant), "trunk": trunk, "activation": activation},
    }
