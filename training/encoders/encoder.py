"""Encoder of views: the parts of an encoder, and the layers that encoders share.

The file of an encoder has its modules, their ONNX form and, at its end, the settings' keys with their checks.
`kozyr.training.encoders` lists the encoders.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from kozyr.envs.core.game import Game

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}

# Whether this processor multiplies so; builds of torch without oneDNN do not know the question.
BFLOAT16 = torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


class Part(nn.Module):
    """Layer that an encoder adds to the reading of a view.

    Attributes:
        features: entries that it appends to what is read.
    """

    features: int = 0

    def forward(self, read: torch.Tensor, views: torch.Tensor) -> torch.Tensor:
        """Return the next layer's input, given the entries read so far [n, any] and the unscaled views [n, view]."""
        raise NotImplementedError

    def head(self, layer: nn.Module) -> nn.Module:
        """Return the layer that gives the logits, changed if the part changes their order."""
        return layer


Net = Mapping[str, Any]  # the settings' table `net`, with every key of every encoder
MakePart = Callable[[NDArray[np.float32]], Part]  # from the highest values of the entries that are read
Parts = Sequence[tuple[str, MakePart]]  # by their encoders' names
Forms = Mapping[type[nn.Module], Callable[[Any, Any], None]]  # each takes a `Graph` and the module


class Condensed(NamedTuple):
    """Inputs of a small compiled network besides the entries of a view, in their order.

    Attributes:
        sums: int64 [k, 2] pairs of entries, alike in their highest value, whose sum is one entry more.
        counts: int64 [steps] entries, of the view and then of the sums, that are compared.
        steps: float32 [steps] with which share of its highest value each is compared: one if above, or zero.
        actions: int8 [actions, features] what each action has, if its logit is the sum of what is said of that.
    """

    sums: NDArray[np.int64]
    counts: NDArray[np.int64]
    steps: NDArray[np.float32]
    actions: NDArray[np.int8]


def _fits(net: Net, game: Game, variant: Any) -> str:
    return ""


@dataclass(frozen=True)
class Encoder:
    """Encoder of a view for a network, chosen by its keys of the settings' table `net`.

    Most encoders add a `part` to the input of the encoder `view`. One with a `policy` of its own stands alone. All
    functions of `net` are called with every key of every encoder.

    Attributes:
        keys: the type of each of its keys, as pydantic knows it, and its value where it is left out. With all of them
            left out the encoder adds nothing.
        forms: how each of its modules is appended to an ONNX graph.
        complaint: (net, game, variant) says what is wrong with its keys for a game, or nothing.
        part: (net, variant) returns what makes its part, where `complaint` says nothing.
        policy: (net, game, variant, parts, threads) returns the policy class and `policy_kwargs` for MaskablePPO;
            `parts` are those of the other encoders, and `threads` may share a batch.
        condensed: (net, variant, high) returns what a small compiled network reads, given the highest values of the
            entries. Without it there is no such form. No two encoders may tell the same field.
        own_threads: whether its layers share a batch among threads of their own, which torch's would keep from work.
    """

    keys: Mapping[str, tuple[Any, Any]]
    forms: Forms
    complaint: Callable[[Net, Game, Any], str] = _fits
    part: Callable[[Net, Any], MakePart] | None = None
    policy: Callable[[Net, Game, Any, Parts, int], tuple[Any, dict[str, Any]]] | None = None
    condensed: Callable[[Net, Any, NDArray[np.float32]], Condensed] | None = None
    own_threads: bool = False

    def used_keys(self, net: Net) -> dict[str, Any]:
        """Return its keys that are not left out, with their values."""
        return {key: net[key] for key, (_, usual) in self.keys.items() if net.get(key, usual) != usual}


def nothing() -> Condensed:
    """Return the condensed form of an encoder that reads no more than the entries."""
    return Condensed(
        np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros((0, 0), np.int8)
    )


def stacked(widths: list[int], activation: type[nn.Module]) -> list[nn.Module]:
    """Return linear layers of these widths, each with the module that follows it."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), activation()]
    return layers


class MixedPrecision(nn.Sequential):
    """Layers that multiply in bfloat16 where the processor can; weights, gradients and results stay float32.

    A product keeps 8 bits of each factor and is summed in float32 (Kalamkar and others, A Study of BFLOAT16 for Deep
    Learning Training, 2019). Elsewhere the layers are plain ones.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - torch's name
        """Return the last layer's output for features [n, features]: float32."""
        with torch.autocast(input.device.type, torch.bfloat16, BFLOAT16):
            result = super().forward(input)
        return result.float()


def in_a_row(layers: list[nn.Module], bfloat16: bool) -> nn.Sequential:
    """Return layers that follow each other, in bfloat16 if that is asked for."""
    return MixedPrecision(*layers) if bfloat16 else nn.Sequential(*layers)
