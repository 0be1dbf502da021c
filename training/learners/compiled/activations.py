"""ReLU and its gradient with that of a bias, in float32 and in the bits of bfloat16, in one walk over the numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import fast

_ZERO = np.float32(0)
_NOTHING, _NEGATIVE, _HALF = np.uint16(0), np.uint16(0x8000), np.uint32(16)
_NEARLY, _ODD = np.uint32(0x7FFF), np.uint32(1)


@fast
def narrowed(x: Any) -> Any:
    """Return the bits of the bfloat16 next to a float32, the even one of two."""
    bits = np.float32(x).view(np.uint32)
    return np.uint16((bits + _NEARLY + ((bits >> _HALF) & _ODD)) >> _HALF)


@fast
def relu_half(numbers: NDArray[np.uint16]) -> None:
    """Replace negative bfloat16 numbers by 0: [numbers]."""
    for i in range(len(numbers)):
        numbers[i] = numbers[i] if numbers[i] < _NEGATIVE else _NOTHING


@fast
def relu_back(upper: NDArray[Any], active: NDArray[Any], bias: NDArray[Any]) -> None:
    """Turn the gradient of a ReLU's output into that of its input, in place, and write that of the bias before it."""
    bias[:] = _ZERO
    for r in range(len(upper)):
        above, own = upper[r], active[r]
        for c in range(len(bias)):
            x = above[c] if own[c] > _ZERO else _ZERO
            above[c] = x
            bias[c] += x


@fast
def relu_back_half(upper: NDArray[np.uint16], active: NDArray[np.uint16], bias: NDArray[Any]) -> None:
    """Do what `relu_back` does in bfloat16; the bias's gradient is float32."""
    bias[:] = _ZERO
    for r in range(len(upper)):
        above, own = upper[r], active[r]
        for c in range(len(bias)):
            x = above[c] if own[c] != 0 else _NOTHING
            above[c] = x
            bias[c] += np.uint32(np.uint32(x) << _HALF).view(np.float32)


@fast
def relu_back_narrow(
    upper: NDArray[Any], active: NDArray[np.uint16], bias: NDArray[Any], out: NDArray[np.uint16]
) -> None:
    """Do what `relu_back_half` does for a float32 gradient, whose bfloat16 is written to `out`."""
    bias[:] = _ZERO
    for r in range(len(upper)):
        above, own, into = upper[r], active[r], out[r]
        for c in range(len(bias)):
            x = above[c] if own[c] != 0 else _ZERO
            into[c] = narrowed(x)
            bias[c] += x
