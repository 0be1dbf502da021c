"""The network that a table `net` of the settings describes, and its actor alone."""

from typing import Any

import torch
from torch import nn

from kozyr.envs.core.game import Game
from kozyr.training import encoders


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

    It needs `trunk`, `heads` and `activation`; the encoders' keys may be left out. `threads` share a batch where the
    network is compiled here; elsewhere torch has its own.

    Raises:
        ValueError: in words, where an encoder cannot read the game's views.
    """
    whole = encoders.complete(net)
    if complaint := encoders.complaint(whole, game, variant):
        raise ValueError(complaint)
    policy: Any = encoders.policy_encoder(whole).policy
    return policy(whole, game, variant, encoders.parts(variant, whole), threads)
