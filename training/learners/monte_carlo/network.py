"""Network that values pairs of a view and an action, in torch, and its ONNX form.

The first layer of a pair is the sum of one over the view and one over the action, so that the view's share is worked
out once for all actions (compare DouZero: Zha and others, arXiv 2106.06135, whose networks read both together).
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import gymnasium
import numpy as np
import torch
from onnx import TensorProto
from torch import nn

from kozyr.agents.nets.trained import entries
from kozyr.envs.core.capabilities import action_features
from kozyr.envs.core.game import Game
from kozyr.envs.environments.observations import spaces_of
from kozyr.training import encoders
from kozyr.training.encoders.encoder import ACTIVATIONS, Forms, stacked
from kozyr.training.encoders.view import ScaledView
from kozyr.training.export.onnx_graph import Graph


class Pairs(nn.Module):
    """Sum a layer over the view and one over each action: [n, read] → [n, actions, width].

    Args:
        read: numbers that are read of a view; width: of the layer.
        shares: float32 [actions, features] what each action has.
    """

    features: torch.Tensor

    def __init__(self, read: int, width: int, shares: torch.Tensor) -> None:
        super().__init__()
        self.view, self.action = nn.Linear(read, width), nn.Linear(shares.shape[1], width, bias=False)
        self.register_buffer("features", shares, False)

    def forward(self, read: torch.Tensor) -> torch.Tensor:
        """Return the first layer of every pair, after ReLU."""
        return torch.relu(self.view(read)[:, None] + self.action(self.features))


class PairValues(nn.Module):
    """Layers after the first one, which end in a value: [n, actions, width] → [n, actions].

    Args:
        widths: of the first layer and all after it; actions: of the game.
    """

    def __init__(self, widths: Sequence[int], actions: int) -> None:
        super().__init__()
        self.actions, self.layers = actions, nn.Sequential(*stacked(list(widths), nn.ReLU))
        self.value = nn.Linear(widths[-1], 1)

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        """Return the value of every action."""
        return self.value(self.layers(pairs))[..., 0]


class PairPolicy(nn.Module):
    """Policy that plays the action of the highest value, with as much of SB3's face as a run uses.

    Attributes:
        optimizer: Adam over all weights.

    Args:
        game: the game; variant: its options.
        net: the settings' table, for which `complaint` says nothing.
        seed: of the first weights.
    """

    def __init__(self, game: Game, variant: Any, net: dict[str, Any], seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        whole, actions = encoders.complete(net), game.actions(variant)
        box = cast(gymnasium.spaces.Box, spaces_of(game, variant)[0]["observation"])
        shares = np.asarray(action_features(variant), np.float32) if whole["composed"] else np.eye(actions)
        unseen = entries(game, variant, whole["unseen"])
        parts = [(name, make) for name, make in encoders.parts(variant, whole) if name != "composed"]
        self.pi_features_extractor = ScaledView(box, game.size(variant), [], nn.ReLU, parts, unseen=unseen)
        (width,), read = whole["trunk"], self.pi_features_extractor.features_dim
        self.pairs = Pairs(read, width, torch.from_numpy(shares.astype(np.float32)))
        self.action_net: nn.Module = PairValues([width, *whole["heads"]], actions)
        for name in self.pi_features_extractor.parts:
            part: Any = self.pi_features_extractor.get_submodule(name)
            self.action_net = part.head(self.action_net)
        self.optimizer = torch.optim.Adam(self.parameters())

    @property
    def mlp_extractor(self) -> Any:
        """The layers between the features and the last ones, as `Logits` asks for them."""
        return SimpleNamespace(policy_net=self.pairs)


def complaint(settings: dict[str, Any]) -> str:
    """Return why deep Monte-Carlo cannot do what settings ask for, in words, or ""."""
    net = encoders.complete(settings["net"])
    if encoders.policy_encoder(net) is not encoders.ENCODERS["view"]:
        return "its network cannot read views in a way of their own"
    if len(net["trunk"]) != 1 or ACTIVATIONS[net["activation"]] is not nn.ReLU or net["bfloat16"]:
        return "its network has one layer in net.trunk, net.activation = 'relu' and no bfloat16"
    if net["critic"] != "view" or settings["imitation"]:
        return "it has no critic and no teacher"
    if set(others := {name for name, weight in settings["opponents"].items() if weight > 0}) != {"self"}:
        return f"everybody at the table learns: opponents is self = 1.0, not {', '.join(sorted(others))}"
    return "" if settings["engine"] != "sb3" else "it has an engine of its own: engine is 'auto' or 'compiled'"


def _pairs(graph: Graph, module: Pairs) -> None:
    """Append the nodes of `Pairs.forward`, one row a pair."""
    width = module.view.out_features
    graph.layer(module.view)
    graph.shape(-1, 1, width)
    views = graph.last
    graph.last = graph.weight(module.action.weight)
    actions = graph.add("Transpose", perm=[1, 0])
    if module.features.shape[0] != module.features.shape[1] or not torch.equal(
        module.features, torch.eye(len(module.features))
    ):
        graph.last = graph.constant(module.features.numpy(), np.int8)
        shares = graph.add("Cast", to=TensorProto.FLOAT)
        actions = graph.of("MatMul", shares, actions)
    graph.of("Add", views, actions)
    graph.add("Relu")
    graph.shape(-1, width)


def _values(graph: Graph, module: PairValues) -> None:
    """Append the nodes of `PairValues.forward`, from one row a pair to one a view."""
    graph.layer(module.layers)
    graph.layer(module.value)
    graph.shape(-1, module.actions)


FORMS: Forms = {Pairs: _pairs, PairValues: _values}
