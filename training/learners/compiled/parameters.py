"""Parameters of a policy in one array, and Adam over it: torch's parameters and its optimiser's moments are views."""

import math
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kozyr.envs.compile import fast

_ALIGN = 16  # floats: every parameter begins on a boundary of 64 bytes
_STEP, _FIRST, _SECOND = "step", "exp_avg", "exp_avg_sq"  # torch's names for the state of Adam


class Parameters:
    """Parameters that learn, in one array of floats.

    Attributes:
        numbers: float32 [n] all of them; views of it stand in for the data of torch's parameters.

    Args:
        optimiser: torch's Adam over the parameters.
        by_input: weights of first layers, which lie by inputs: [in, out] in memory, and [out, in] to torch.
        together: parameters that lie next to each other, in their order.
    """

    def __init__(
        self, optimiser: Any, by_input: Collection[torch.Tensor], together: Collection[Sequence[torch.Tensor]] = ()
    ) -> None:
        self._optimiser = optimiser
        self._own, self._groups = list[torch.Tensor](), list[slice]()
        for group in optimiser.param_groups:
            self._groups.append(slice(len(self._own), len(self._own) + len(group["params"])))
            self._own += group["params"]
        self._by_input = {id(p) for p in by_input}
        self._index = {id(p): i for i, p in enumerate(self._own)}
        self._bounds, at = self._places(together)
        self.numbers, self._first, self._second = np.zeros((3, at), np.float32)
        self._steps = np.zeros(len(self._own), np.float32)
        self._counts = [torch.from_numpy(self._steps[i : i + 1])[0] for i in range(len(self._own))]
        self._moments = [(self.view(self._first, p), self.view(self._second, p)) for p in self._own]
        for p in self._own:
            view = self.view(self.numbers, p)
            view.copy_(p.data)
            p.data = view

    def _places(self, together: Collection[Sequence[torch.Tensor]]) -> tuple[list[tuple[int, int]], int]:
        """Return the bounds of each parameter, and the number of all numbers."""
        follower = {id(one): after for group in together for one, after in pairwise(group)}
        later = {id(after) for after in follower.values()}
        bounds, at = [(0, 0)] * len(self._own), 0
        for p in self._own:
            one = None if id(p) in later else p
            while one is not None:
                bounds[self._index[id(one)]] = (at, at + one.numel())
                at, one = at + one.numel(), follower.get(id(one))
            at += -at % _ALIGN
        return bounds, at

    def room(self) -> NDArray[np.float32]:
        """Return an array for the gradients of all parameters: zeros."""
        return np.zeros_like(self.numbers)

    def view(self, numbers: NDArray[np.float32], p: torch.Tensor) -> torch.Tensor:
        """Return the part of an array that belongs to a parameter, in the parameter's shape."""
        first, last = self._bounds[self._index[id(p)]]
        part = torch.from_numpy(numbers)[first:last]
        return part.view(p.shape[1], p.shape[0]).T if id(p) in self._by_input else part.view(p.shape)

    def step(self, gradients: NDArray[np.float32], longest: float) -> bool:
        """Take a step of Adam, after the gradients were cut to a length of at most `longest`.

        Returns:
            False, and no step is taken, if a gradient is NaN or infinite.
        """
        length = math.sqrt(np.dot(gradients, gradients))
        if not math.isfinite(length):
            return False
        scale = min(1.0, longest / (length + 1e-6))
        self._bind()
        for group, which in zip(self._optimiser.param_groups, self._groups, strict=True):
            beta1, beta2 = group["betas"]
            constants = (group["lr"], group["eps"], beta1, beta2, scale)
            for first, last, steps in self._runs(which):
                adam(first, last, steps, self.numbers, gradients, self._first, self._second, *constants)
        return True

    def _runs(self, which: slice) -> list[tuple[int, int, int]]:
        """Count a step of some parameters; return the bounds of those that lie together and have had as many."""
        self._steps[which] += 1
        runs = list[tuple[int, int, int]]()
        for (first, last), steps in sorted(zip(self._bounds[which], self._steps[which].tolist(), strict=True)):
            if runs and runs[-1][2] == steps:
                runs[-1] = (runs[-1][0], last, steps)
            else:
                runs.append((first, last, steps))
        return runs

    def _bind(self) -> None:
        """Let this object's arrays be the optimiser's state, whose numbers are copied where it has others."""
        state = self._optimiser.state
        for i, p in enumerate(self._own):
            mine, first = dict(state[p]), self._moments[i][0]
            if mine and mine[_FIRST].data_ptr() == first.data_ptr():
                continue
            for name, own in zip((_FIRST, _SECOND, _STEP), (*self._moments[i], self._counts[i]), strict=True):
                own.copy_(mine[name]) if mine else own.zero_()
                state[p][name] = own


@fast
def add(numbers: NDArray[np.float32], others: NDArray[np.float32]) -> None:
    """Add other numbers to these."""
    for i in range(len(numbers)):
        numbers[i] += others[i]


@fast
def adam(
    first: int,
    last: int,
    steps: int,
    numbers: NDArray[np.float32],
    gradients: NDArray[np.float32],
    means: NDArray[np.float32],
    squares: NDArray[np.float32],
    rate: float,
    least: float,
    beta1: float,
    beta2: float,
    scale: float,
) -> None:
    """Take a step of Adam (Kingma and Ba, arXiv 1412.6980) as torch does.

    Args:
        first, last: the parameters `first` to `last` − 1 take it; steps: how many they have taken, this one included.
        numbers: all parameters; gradients: theirs, each multiplied by `scale`; means, squares: the moments.
        rate: the learning rate; least: what is added to the root; beta1, beta2: what the moments keep of themselves.
        scale: of the gradients.
    """
    keep1, keep2, new1, new2 = np.float32(beta1), np.float32(beta2), np.float32(1 - beta1), np.float32(1 - beta2)
    unbias, move = np.float32(1 / math.sqrt(1 - beta2**steps)), np.float32(rate / (1 - beta1**steps))
    cut, floor = np.float32(scale), np.float32(least)
    for i in range(first, last):
        g = gradients[i] * cut
        m = keep1 * means[i] + new1 * g
        v = keep2 * squares[i] + new2 * g * g
        means[i], squares[i] = m, v
        numbers[i] -= move * m / (np.float32(math.sqrt(v)) * unbias + floor)
