"""Dense layers that torch multiplies, forwards and backwards."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import torch
from torch import nn

from kozyr.training.learners.compiled.activations import relu_back, relu_back_half, relu_back_narrow, relu_half

Activation = type[nn.Module] | None
Args = ParamSpec("Args")
Result = TypeVar("Result")
Gradients = Callable[[torch.Tensor], torch.Tensor]  # the tensor for a parameter's gradient
_STEEP = torch.ops.aten  # derivatives of activations, of torch's own


def with_one_torch_thread(work: Callable[Args, Result]) -> Callable[Args, Result]:
    """Let torch multiply in the thread that asks, without gradients: the learner's own threads share the work."""

    @wraps(work)
    def call(*args: Args.args, **keywords: Args.kwargs) -> Result:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with torch.no_grad():
                return work(*args, **keywords)
        finally:
            torch.set_num_threads(before)

    return call


def activate(kind: Activation, tensor: torch.Tensor) -> torch.Tensor:
    """Return the activation of what a layer has summed up, which ReLU and tanh overwrite."""
    if kind is nn.ReLU and tensor.dtype == torch.bfloat16:
        relu_half(_bits(tensor).ravel())
        return tensor
    if kind is nn.ReLU:
        return tensor.relu_()
    if kind is nn.Tanh:
        return tensor.tanh_()
    return tensor if kind is None else nn.functional.silu(tensor)


def activate_back(
    kind: Activation, upper: torch.Tensor, summed: torch.Tensor, active: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    """Return the gradient with respect to what a layer has summed up, and write that of its bias.

    Args:
        kind: the activation's class, or None.
        upper: gradient of its output, which may be overwritten; summed: its input; active: its output.
        bias: to be written, float32.
    """
    half = summed.dtype == torch.bfloat16
    if kind is nn.ReLU and not half:
        relu_back(upper.numpy(), active.numpy(), bias.numpy())
        return upper
    if kind is nn.ReLU and upper.dtype == torch.bfloat16:
        relu_back_half(_bits(upper), _bits(active), bias.numpy())
        return upper
    if kind is nn.ReLU:
        narrow = torch.empty_like(upper, dtype=torch.bfloat16)
        relu_back_narrow(upper.numpy(), _bits(active), bias.numpy(), _bits(narrow))
        return narrow
    upper = upper.to(summed.dtype)
    if kind is nn.Tanh:
        upper = _STEEP.tanh_backward(upper, active)
    elif kind is not None:
        upper = _STEEP.silu_backward(upper, summed)
    torch.sum(upper, 0, dtype=torch.float32, out=bias)
    return upper


def _bits(tensor: torch.Tensor) -> Any:
    """Return the bits of a bfloat16 tensor as an array that shares its memory."""
    return tensor.view(torch.uint16).numpy()


class Dense:
    """Linear layer and its activation; layers that read the same features may be one.

    Args:
        linears: torch's layers, whose weights lie next to each other in memory if they are several.
        activation: its class, or None; half: multiply in bfloat16. Weights and their gradients stay float32.
    """

    def __init__(self, linears: Sequence[nn.Linear], activation: Activation, half: bool = False) -> None:
        self.half, self._activation = half, activation
        self._weights, self._biases = [one.weight for one in linears], [one.bias for one in linears]
        self.widths = [one.out_features for one in linears]

    def refresh(self) -> None:
        """Take over weights that have changed."""
        self.weight, self.bias = (_joined([x.data for x in own]) for own in (self._weights, self._biases))
        if self.half:
            self.weight, self.bias = self.weight.bfloat16(), self.bias.bfloat16()

    def forward(self, before: torch.Tensor) -> torch.Tensor:
        """Return the layer's output [n, out] for features [n, in], and keep what `backward` needs."""
        self._before = before.to(self.weight.dtype)
        self._summed = torch.addmm(self.bias, self._before, self.weight.T)
        self._active = activate(self._activation, self._summed)
        return self._active

    def backward(self, upper: torch.Tensor, gradients: Gradients, out: torch.Tensor | None = None) -> torch.Tensor:
        """Write the gradients of weights and bias, and return that of the features.

        Args:
            upper: gradient of the output, which may be overwritten.
            gradients: as said; out: where the gradient of the features is written.
        """
        upper = self.backward_last(upper, gradients)
        return torch.mm(upper, self.weight) if out is None else torch.mm(upper, self.weight, out=out)

    def backward_last(self, upper: torch.Tensor, gradients: Gradients) -> torch.Tensor:
        """Write the gradients of weights and bias; return that of what was summed up."""
        weight, bias = (_joined([gradients(x) for x in own]) for own in (self._weights, self._biases))
        upper = activate_back(self._activation, upper, self._summed, self._active, bias)
        if self.half:
            weight.copy_(torch.mm(upper.T, self._before))
        else:
            torch.mm(upper.T, self._before, out=weight)
        return upper


def _joined(parts: list[torch.Tensor]) -> torch.Tensor:
    """Return a tensor over the memory of several that lie next to each other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    shape = (sum(len(one) for one in parts), *first.shape[1:])
    return first.as_strided(shape, first.stride())


class Stack:
    """Layers that follow each other, or none."""

    def __init__(self, layers: Sequence[Dense]) -> None:
        self.layers = list(layers)

    def refresh(self) -> None:
        """Take over weights that have changed."""
        for layer in self.layers:
            layer.refresh()

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the last layer's output."""
        for layer in self.layers:
            features = layer.forward(features)
        return features

    def backward(self, upper: torch.Tensor, gradients: Gradients) -> torch.Tensor:
        """Write the gradients of all weights, and return that of the features."""
        for layer in reversed(self.layers):
            upper = layer.backward(upper, gradients)
        return upper
