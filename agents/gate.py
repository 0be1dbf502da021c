"""What every agent of ours checks before its compiled code looks: views and masks are of its game and variant."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.api.shown import readable
from kozyr.envs.core.compile import jit
from kozyr.envs.core.game import Game

FITS = -1


class Gate:
    """The check of one game and variant.

    Args:
        game: the game; variant: its options.
        longer: lengths of other views that begin as the variant's own; what follows is not looked at.
    """

    def __init__(self, game: Game, variant: Any, longer: Collection[int] = ()) -> None:
        self._game, self._variant = game, variant
        self._size, self._actions, self._longer = game.size(variant), game.actions(variant), frozenset(longer)
        self._high, self._unsigned = game.high(variant), np.dtype(f"u{game.view_dtype.itemsize}")
        self._most = self._high.view(self._unsigned)

    def one(self, view: Any, mask: Any) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return a view [view] and a mask [actions] as the compiled code takes them, or raise as `many`."""
        views, masks = self.many(np.asarray(view)[None], np.asarray(mask)[None])
        return views[0], masks[0]

    def many(self, views: Any, masks: Any) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return views [n, view] of the game's type and masks int8 [n, actions].

        Raises:
            ValueError: for other shapes and types, numbers that a view never has, and masks without a legal action.
        """
        seen, may = self._views(np.asarray(views)), self._masks(np.asarray(masks))
        if len(seen) != len(may):
            raise ValueError(f"{len(seen)} views and {len(may)} masks: each view has one mask")
        row = first_beyond(seen.view(self._unsigned), self._most)  # what is below 0 is far above
        if row != FITS:
            raise ValueError(self._beyond(seen, row))
        row = first_empty(may)
        if row != FITS:
            raise ValueError(f"mask {row} has no legal action: ask only the seat to move, while the game is not over")
        return seen, may

    def _views(self, views: NDArray[Any]) -> NDArray[Any]:
        if views.ndim != 2 or views.shape[1] not in (self._size, *self._longer):
            raise ValueError(
                f"views of {self._whose} have shape [n, {self._size}], one view [{self._size}]: these have shape "
                f"{views.shape}; {self._hint}"
            )
        wanted = self._game.view_dtype
        if views.dtype != wanted:
            if views.dtype.kind not in "biuf":
                raise ValueError(f"views of {self._whose} are {wanted}: these are {views.dtype}")
            with np.errstate(invalid="ignore"):
                cast = views.astype(wanted)
            if not (cast == views).all():
                raise ValueError(f"views of {self._whose} are {wanted}: these are {views.dtype} and hold other numbers")
            views = cast
        return np.ascontiguousarray(readable(views))

    def _masks(self, masks: NDArray[Any]) -> NDArray[np.int8]:
        if masks.ndim != 2 or masks.shape[1] != self._actions:
            raise ValueError(
                f"masks of {self._whose} have shape [n, {self._actions}], one mask [{self._actions}]: these have shape "
                f"{masks.shape}; {self._hint}"
            )
        if masks.dtype.kind not in "biu":
            raise ValueError(f"masks are int8 or bool: these are {masks.dtype}")
        return np.ascontiguousarray(readable(masks), np.int8)

    def _beyond(self, views: NDArray[Any], row: int) -> str:
        """Say what is wrong with a row."""
        seen = views[row, : self._size]
        place = int(np.flatnonzero((seen < 0) | (seen > self._high))[0])
        part = next(n for n, s in self._game.parts(self._variant).spans().items() if s.start <= place < s.stop)
        return (
            f"view {row} of {self._whose} has {seen[place]} at {place}, in {part!r}: it goes from 0 to "
            f"{self._high[place]}; {self._hint}"
        )

    @property
    def _whose(self) -> str:
        return f"{self._game.id} for this agent's options"

    @property
    def _hint(self) -> str:
        return "load the agent with the options of the environment"


@jit
def first_beyond(views: NDArray[Any], high: NDArray[Any]) -> int:
    """Return the first row with a number above the highest that its place has, or FITS; all are unsigned."""
    for i in range(len(views)):
        beyond = False
        for e in range(len(high)):
            beyond |= views[i, e] > high[e]
        if beyond:
            return i
    return FITS


@jit
def first_empty(masks: NDArray[np.int8]) -> int:
    """Return the first row in which nothing is legal, or FITS."""
    for i in range(len(masks)):
        some = False
        for a in range(masks.shape[1]):
            some |= masks[i, a] != 0
        if not some:
            return i
    return FITS
