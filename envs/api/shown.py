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
    flags, base = array.flags, array.base
    if flags.writeable:
        return array
    if not (isinstance(base, np.ndarray) and base.shape == array.shape and base.dtype is array.dtype):
        return array.copy()
    whole = base.flags
    return cast(Any, base) if whole.writeable and whole.c_contiguous and flags.c_contiguous else array.copy()


def owned(value: Any) -> Any:
    """Return the value, or the copy of an array whose memory is another's, as after some ways of pickling."""
    return value.copy() if _borrows(value) else value


def _borrows(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not (value.flags.owndata and value.flags.writeable)
