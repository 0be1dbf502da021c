"""Layers that several networks are made of."""

from itertools import pairwise

import torch
from torch import nn

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}

# Whether this processor multiplies so; builds of torch without oneDNN do not know the question.
BFLOAT16 = torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


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
        """Return what the last layer makes of features [n, features]: float32."""
        with torch.autocast(input.device.type, torch.bfloat16, BFLOAT16):
            told = super().forward(input)
        return told.float()


def in_a_row(layers: list[nn.Module], bfloat16: bool) -> nn.Sequential:
    """Return layers that follow each other, in bfloat16 if that is asked for."""
    return MixedPrecision(*layers) if bfloat16 else nn.Sequential(*layers)
