"""The view as it is: every entry as a share of its highest value, with the parts that other encoders add."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from sb3_contrib.common.maskable.distributions import MaskableCategorical, MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kozyr.agents.nets.trained import entries
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.training.encoders.encoder import (
    ACTIVATIONS,
    Condensed,
    Encoder,
    Forms,
    MakePart,
    Net,
    Parts,
    in_a_row,
    nothing,
    stacked,
)
from kozyr.training.export.onnx_graph import Graph

MANY = 1024  # actions from which on it is faster


class LegalActions(MaskableCategoricalDistribution):
    """Chances of the legal actions, in a table as wide as the most that any position has.

    It says what sb3-contrib's distribution says, which works out chances of all actions and then does it again.
    """

    def proba_distribution(self, action_logits: torch.Tensor) -> "LegalActions":
        """Take the logits of all actions, which count as legal until `apply_masking`."""
        self._logits, self._of_legal = action_logits.view(-1, self.action_dim), None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Keep the legal actions only; None makes all of them legal."""
        legal = torch.ones_like(self._logits) if masks is None else torch.as_tensor(masks)
        self._which, there = to_the_left(legal.reshape(self._logits.shape) != 0)
        self._of_legal = MaskableCategorical(logits=self._logits.gather(1, self._which), masks=there)

    @property
    def distribution(self) -> MaskableCategorical:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the distribution over the places of the table."""
        if self._of_legal is None:
            self.apply_masking(None)
        assert self._of_legal is not None
        return self._of_legal

    def log_prob(self, actions: torch.Tensor) -> torch.Tensor:
        """Return the logarithms of the chances of legal actions."""
        chances = self.distribution
        return chances.log_prob((self._which == actions.view(-1, 1)).byte().argmax(1))

    def sample(self) -> torch.Tensor:
        """Draw an action for each position."""
        return self._actions(self.distribution.sample())

    def mode(self) -> torch.Tensor:
        """Return the likeliest actions."""
        return self._actions(self.distribution.logits.argmax(1))

    def _actions(self, places: torch.Tensor) -> torch.Tensor:
        return self._which.gather(1, places[:, None])[:, 0]


def to_the_left(legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the numbers of legal actions row by row, filled up with the first, and where they are not filled up."""
    rows, actions = legal.nonzero(as_tuple=True)
    counts = torch.bincount(rows, minlength=len(legal))
    first = counts.cumsum(0) - counts
    which = actions[first][:, None].repeat(1, int(counts.max()))
    which[rows, torch.arange(len(rows)) - first[rows]] = actions
    return which, torch.arange(which.shape[1]) < counts[:, None]


class ScaledView(BaseFeaturesExtractor):
    """Divide a view by its space's `high` and pass it through the layers that actor and critic share.

    Args:
        observation_space: the view's Box, or one that begins with it.
        size: entries that are read; all others are left alone.
        trunk: width of each shared layer; none leaves what was read as it is.
        activation: the module between layers.
        parts: by name, what makes the parts that other encoders add, in their order.
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
        modules = {name: make(high) for name, make in parts}
        width = size + sum(part.features for part in modules.values())
        super().__init__(observation_space, features_dim=trunk[-1] if trunk else width)
        scale = torch.from_numpy(1.0 / high)
        scale[list(unseen)] = 0.0
        self.register_buffer("scale", scale)
        for name, part in modules.items():
            self.add_module(name, part)
        self.parts = list(modules)
        self.layers = in_a_row(stacked([width, *trunk], activation), bfloat16)
        self._register_load_state_dict_pre_hook(_drop_exchange)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Return features [n, features] of views [n, view]."""
        read = views[:, : len(self.scale)] * self.scale
        for name in self.parts:
            read = self.get_submodule(name)(read, views)
        return self.layers(read)


def _drop_exchange(weights: dict[str, Any], prefix: str, *_: Any) -> None:
    """Leave out an array that checkpoints had among the weights until 2026, though the game defines it."""
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
    """Append the nodes of `ScaledView.forward`."""
    graph.add("Mul", graph.constant(module.scale.cpu().numpy()))
    for name in module.parts:
        graph.layer(module.get_submodule(name))
    graph.layer(module.layers)


FORMS: Forms = {ScaledView: _view}


EVERYTHING = "everything"  # the critic reads the views of all seats


def _policy(net: Net, game: Game, variant: Any, parts: Parts, threads: int) -> tuple[Any, dict[str, Any]]:
    activation, heads = ACTIVATIONS[net["activation"]], net["heads"]
    read = {"size": game.size(variant), "trunk": net["trunk"], "activation": activation}
    read["unseen"] = entries(game, variant, net.get("unseen", ()))
    return ViewPolicy, {
        "net_arch": {"pi": heads, "vf": heads},
        "activation_fn": activation,
        "share_features_extractor": net["critic"] != EVERYTHING,
        "features_extractor_class": ScaledView,
        "features_extractor_kwargs": {**read, "parts": parts, "bfloat16": net["bfloat16"]},
    }


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    return nothing()  # the keys below change nothing in what the actor reads


KEYS = {
    "critic": (Literal["view", "everything"], "view"),  # what the critic reads: the learner's view or all seats'
    "bfloat16": (bool, False),  # layers multiply so where the processor can: faster, with 8 bits of each factor
}
ENCODER = Encoder(KEYS, FORMS, policy=_policy, condensed=_condensed)


def _unseen_complaint(net: Net, game: Game, variant: Any) -> str:
    parts = [name for name, *_ in game.declaration(variant)]
    wrong = next((name for name in net["unseen"] if name not in parts), None)
    return (
        "" if wrong is None else f"net.unseen: {quote(wrong)} is no part of the view; its parts are {', '.join(parts)}"
    )


def _unseen_condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    return nothing()  # no more than the others: see `entries`


UNSEEN_KEYS = {
    "unseen": (Annotated[list[str], Field(max_length=256)], [])
}  # names of parts of the view that are not read
UNSEEN = Encoder(UNSEEN_KEYS, {}, _unseen_complaint, condensed=_unseen_condensed)
