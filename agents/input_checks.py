"""Checks of an agent's input before compiled code reads it: views and masks of its game and variant."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core.game import Game
from kozyr.envs.environments.readonly_arrays import Pair, readable, shown_together

FITS = -1
ROWS = 16  # views that are compared at once: the end of a row takes as long as the rest of it
_BLOCK = 16
ASK = "ask with what the environment shows to the seat to move"


def forbidden(agent: Any, row: int, action: int) -> str:
    """Return the error of an answer that its mask forbids, in words."""
    if action < 0:
        return f"view {row} contradicts itself: {agent!r} cannot read it; {ASK}"
    return f"view {row} and its mask contradict each other: {agent!r} answers {action}, which the mask forbids; {ASK}"


class Gate:
    """The check of one game and variant.

    Args:
        game: the game; variant: its options.
        longer: lengths of other views that begin as the variant's own; the rest of them is not read.
        unread: entries of a view that may hold any number from 0 on.
    """

    def __init__(self, game: Game, variant: Any, longer: Collection[int] = (), unread: Collection[int] = ()) -> None:
        self._game, self._variant = game, variant
        self._size, self._actions, self._high = game.size(variant), game.actions(variant), game.high(variant)
        self._high[list(unread)] = np.iinfo(game.view_dtype).max
        self._unsigned = np.dtype(f"u{game.view_dtype.itemsize}")
        self._highs = {size: self._repeated(size) for size in (self._size, *longer)}

    def _repeated(self, size: int) -> NDArray[Any]:
        """Return the highest values of ROWS views of a length, unsigned: negative numbers are far above them."""
        high = np.full(size, np.iinfo(self._unsigned).max, self._unsigned)
        high[: self._size] = self._high
        return np.tile(high, ROWS)

    def one(self, view: Any, mask: Any) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return a view [view] and a mask [actions] for compiled code, or raise as `many` does."""
        views, masks = self.many(np.asarray(view)[None], np.asarray(mask)[None])
        return views[0], masks[0]

    def many(self, views: Any, masks: Any) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return views [n, view] of the game's type and masks int8 [n, actions].

        The arrays of `Tables` are right as they are, and are not read: that would take as long as a fast player.

        Raises:
            ValueError: for other shapes and types, numbers that a view never has, and masks without a legal action.
        """
        known = shown_together(views, masks)
        if known is not None and (known.variant is self._variant or self._agrees(known)):
            return known.all_views, known.all_masks
        views, masks = self._views(np.asarray(views)), self._masks(np.asarray(masks))
        if len(views) != len(masks):
            raise ValueError(f"{len(views)} views and {len(masks)} masks: each view has one mask")
        if not fine(views.reshape(-1).view(self._unsigned), self._highs[views.shape[1]], masks.view(np.uint8)):
            raise ValueError(self._beyond(views) or _unclear(masks))
        return views, masks

    def _agrees(self, known: Pair) -> bool:
        """Return True if views are of this game and variant; its object is then stored to recognise it at once."""
        if known.game is not self._game or known.variant != self._variant:
            return False
        self._variant = known.variant
        return True

    def _views(self, views: NDArray[Any]) -> NDArray[Any]:
        if views.ndim != 2 or views.shape[1] not in self._highs:
            raise ValueError(
                f"views of {self._whose} have shape [n, {self._size}], one view [{self._size}]: these have shape "
                f"{views.shape}; {self._hint}"
            )
        dtype = self._game.view_dtype
        if views.dtype != dtype:
            if views.dtype.kind not in "biuf":
                raise ValueError(f"views of {self._whose} are {dtype}: these are {views.dtype}")
            with np.errstate(invalid="ignore"):
                cast = views.astype(dtype)
            if not (cast == views).all():
                raise ValueError(f"views of {self._whose} are {dtype}: these are {views.dtype} and hold other numbers")
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
        if masks.dtype.itemsize > 1:
            masks = np.where((masks == 0) | (masks == 1), masks, 2)  # what is no mark stays none
        return np.ascontiguousarray(readable(masks), np.int8)

    def _beyond(self, views: NDArray[Any]) -> str:
        """Return the error of the first view with a number out of its entry's range, in words, or ""."""
        own = views[:, : self._size]
        wrong = np.argwhere((own < 0) | (own > self._high))
        if not len(wrong):
            return ""
        row, place = wrong[0].tolist()
        part = next(n for n, s in self._game.parts(self._variant).spans().items() if s.start <= place < s.stop)
        return (
            f"view {row} of {self._whose} has {own[row, place]} at {place}, in {part!r}: it goes from 0 to "
            f"{self._high[place]}; {self._hint}"
        )

    @property
    def _whose(self) -> str:
        return f"{self._game.id} for this agent's options"

    @property
    def _hint(self) -> str:
        return "load the agent with the options of the environment"


def _unclear(masks: NDArray[np.int8]) -> str:
    """Return the error of the first mask that has other numbers than 0 and 1, or only 0, in words."""
    for row, mask in enumerate(masks):
        if ((mask != 0) & (mask != 1)).any():
            return f"mask {row} holds other numbers than 0 and 1: an action is legal, 1, or not, 0"
        if not mask.any():
            return f"mask {row} has no legal action: ask only the seat to move, while the game is not over"
    return ""


@jit
def fine(views: NDArray[Any], highs: NDArray[Any], masks: NDArray[np.uint8]) -> bool:
    """Return True if all numbers are in the range of their entries, and all masks of 0 and 1, not all 0.

    Args:
        views: of all rows, one after the other; highs: the same of ROWS rows.
        masks: [n, actions], in one piece.
    """
    many, end = len(highs), len(views)
    for begin in range(0, end, many):
        here, beyond = views[begin : min(begin + many, end)], False
        for e in range(len(here)):
            beyond |= here[e] > highs[e]
        if beyond:
            return False
    marks, strange = masks.reshape(masks.size), False
    for a in range(len(marks)):
        strange |= marks[a] > 1
    some = not strange
    for i in range(len(masks)):
        some = some and some_legal(masks[i])
    return some


@jit
def some_legal(mask: NDArray[np.uint8]) -> bool:
    """Return True if any action is legal; reading a few actions at once costs no more than one."""
    first, some = 0, False
    while first + _BLOCK <= len(mask) and not some:
        for a in range(_BLOCK):
            some |= mask[first + a] > 0
        first += _BLOCK
    while first < len(mask) and not some:
        some = mask[first] > 0
        first += 1
    return some
