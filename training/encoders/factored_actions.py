"""Composed actions: the logit of an action is the sum of the logits of its features."""

from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import TensorProto
from torch import nn

from kozyr.envs.core.capabilities import action_features
from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import Condensed, Encoder, Forms, MakePart, Net, Part, nothing
from kozyr.training.export.onnx_graph import Graph


class Composing(Part):
    """Part that leaves the entries as they are, and replaces the layer that gives the logits.

    Args:
        features: int8 [actions, features] what each action has; high: highest values of the entries.
    """

    def __init__(self, features: NDArray[np.int8], high: NDArray[np.float32]) -> None:
        super().__init__()
        self._features = torch.from_numpy(features.astype(np.float32))

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        """Return the entries as they are."""
        return read

    def head(self, layer: nn.Module) -> nn.Module:
        """Return a layer that says something of each feature and adds it up for each action."""
        return Composed(layer, self._features)


class Composed(nn.Module):
    """Give the logits of actions as sums over their features.

    Args:
        layer: gives the logits of the actions; of it as many rows are kept as there are features, since the optimizer
            knows its weights already.
        told: [actions, features] what each action has.
    """

    features: torch.Tensor  # [features, actions]

    def __init__(self, layer: nn.Module, features: torch.Tensor) -> None:
        super().__init__()
        assert isinstance(layer, nn.Linear)
        layer.out_features = features.shape[1]
        layer.weight.data, layer.bias.data = (x.data[: features.shape[1]].clone() for x in (layer.weight, layer.bias))
        self.layer = layer
        self.register_buffer("features", features.T.contiguous(), False)

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """Return logits [n, actions]."""
        return self.layer(latent) @ self.features


def _composing(graph: Graph, module: Composing) -> None:
    """Append nothing: the entries stay as they are."""


def _composed(graph: Graph, module: Composed) -> None:
    """Append the nodes of `Composed.forward`."""
    graph.layer(module.layer)
    logits, graph.last = graph.last, graph.constant(module.features.numpy(), np.int8)
    features = graph.add("Cast", to=TensorProto.FLOAT)
    graph.of("MatMul", logits, features)


FORMS: Forms = {Composing: _composing, Composed: _composed}


def _complaint(net: Net, game: Game, variant: Any) -> str:
    lacking = action_features(variant) is None
    return f"net.composed=true is not allowed: {game.name} tells no features of its actions" if lacking else ""


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Composing, cast(NDArray[np.int8], action_features(variant)))


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    return nothing()._replace(actions=cast(NDArray[np.int8], action_features(variant)))


KEYS = {"composed": (bool, False)}  # actions with features in common are learned together, where a game tells them
ENCODER = Encoder(KEYS, FORMS, _complaint, _part, condensed=_condensed)
