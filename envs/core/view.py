"""Views are vectors of named parts; spaces and documentation tables come from the declaration."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Part(NamedTuple):
    """One part of a view: the highest value it can hold (the lowest is 0) and what it means."""

    high: int | Callable[[Any], int]
    meaning: str

    def top(self, variant: Any) -> int:
        """Return the highest value under a variant."""
        return self.high(variant) if callable(self.high) else self.high


def spans(offsets: Any) -> dict[str, slice]:
    """Return where each part lies, from a NamedTuple of offsets whose last field is the whole size.

    Example:
        >>> Offsets = NamedTuple("Offsets", [("hand", int), ("stock", int), ("size", int)])
        >>> spans(Offsets(0, 52, 53))
        {'hand': slice(0, 52, None), 'stock': slice(52, 53, None)}
    """
    ends = offsets[1:]
    return {name: slice(a, b) for name, a, b in zip(offsets._fields, offsets, ends, strict=False)}


def high(offsets: Any, parts: Mapping[str, Part], variant: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the highest value of every entry of a view."""
    bound = np.zeros(offsets.size, dtype)
    for name, span in spans(offsets).items():
        bound[span] = parts[name].top(variant)
    return bound
