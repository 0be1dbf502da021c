"""Arrays that are shown to everybody and written by their owner only."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game

Array = TypeVar("Array", bound=NDArray[Any])
_pairs: "dict[int, Pair]" = {}  # by the id of the views


def read_only(array: Array) -> Array:
    """Return the same memory as an array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


class Pair(NamedTuple):
    """Views of a game and their masks, which nobody but their owner writes."""

    views: Callable[[], Any]  # as they are shown, while somebody holds them
    masks: Callable[[], Any]
    all_views: NDArray[Any]  # the same memory as its owner has it
    all_masks: NDArray[np.int8]
    game: Game
    variant: Any


def show_together(views: NDArray[Any], masks: NDArray[np.int8], game: Game, variant: Any) -> None:
    """Note that two arrays made by `read_only` always are views of a game and their masks: nobody need check them."""
    key, pairs = id(views), _pairs
    references = ref(views, lambda _: pairs.pop(key, None)), ref(masks)
    pairs[key] = Pair(*references, cast(Any, views.base), cast(Any, masks.base), game, variant)


def shown_together(views: Any, masks: Any) -> Pair | None:
    """Return the pair that two arrays were registered as, or None."""
    pair = _pairs.get(id(views))
    return pair if pair is not None and pair.views() is views and pair.masks() is masks else None


def readable(array: Array) -> Array:
    """Return a read-only array as one that can be written, for code that only reads but insists on it.

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


def own_copy(value: Any) -> Any:
    """Return the value, or the copy of an array whose memory is another's, as after some ways of pickling."""
    return value.copy() if _borrows(value) else value


def _borrows(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not (value.flags.owndata and value.flags.writeable)
