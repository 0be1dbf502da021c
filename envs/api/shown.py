"""Arrays that are shown to everybody and written by their owner only."""

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """Return the same memory as an array that cannot be written."""
    seen = array.view()
    seen.flags.writeable = False
    return seen


def readable(array: Array) -> Array:
    """Return what a read-only array holds as an array for code that reads it, but wants one that can be written.

    Numba would compile once more for an array that cannot be written, and PyTorch would warn. Nothing is copied where
    the array shows all of another one.
    """
    if array.flags.writeable:
        return array
    base = array.base
    return cast(Any, base) if isinstance(base, np.ndarray) and _same(base, array) else array.copy()


def owned(value: Any) -> Any:
    """Return the value, or the copy of an array whose memory is another's, as after some ways of pickling."""
    return value.copy() if _borrows(value) else value


def _same(base: Any, array: NDArray[Any]) -> bool:
    """Tell whether an array shows all of one that can be written."""
    alike = base.shape == array.shape and base.strides == array.strides and base.dtype == array.dtype
    return alike and base.flags.writeable


def _borrows(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not (value.flags.owndata and value.flags.writeable)
