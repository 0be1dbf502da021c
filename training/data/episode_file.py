"""An HDF5 file of episodes as Minari reads it, written with h5py's own low-level calls, which take half the time."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.training.data import games

_BLOCK = 1 << 20  # bytes of names, shapes and attributes that go to the disk at once


class Episode(NamedTuple):
    """One seat's part of a game, T decisions.

    Attributes:
        observations: "observation" [T + 1, view] and "action_mask" int8 [T + 1, actions], zeros in its last row.
        actions: int64 [T]; rewards: float64 [T], 0 but the last one.
        terminations, truncations: bool [T], False but for the last one, where one of the two is True.
        seed: of the deal.
        options: the seat and its `agent`, where the record tells it; the `number` of the game in the file, from 1; the
            `starter`; how many of the seat's first decisions were random (`opening`); whether someone forfeited.
    """

    observations: dict[str, NDArray[Any]]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    seed: int
    options: dict[str, int | bool | str]


class EpisodeFile:
    """A file that grows by an episode at a time.

    Args:
        path: where; what is there is replaced.
    """

    def __init__(self, path: Path) -> None:
        self._h5: Any = games.library("h5py", "Minari, h5py and Pillow", "minari")
        self._file: Any = self._h5.File(path, "w", track_order=True, meta_block_size=_BLOCK)
        self._scalar = self._h5.h5s.create(self._h5.h5s.SCALAR)
        self._types: dict[np.dtype[Any], Any] = {}
        self._text = self._h5.string_dtype()
        self._count = 0

    def add(self, episode: Episode) -> None:
        """Write an episode down, whose number is that of those before it."""
        group = self._group(self._file.id, f"episode_{self._count}")
        numbers = {"id": self._count, "seed": episode.seed, "total_steps": len(episode.actions)}
        for name, value in {**numbers, **{f"options/{name}": it for name, it in episode.options.items()}}.items():
            self._attribute(group, name, value)
        views = self._group(group, "observations")
        for name, array in episode.observations.items():
            self._array(views, name, array)
        for name in ("actions", "rewards", "terminations", "truncations"):
            self._array(group, name, getattr(episode, name))
        self._group(group, "infos")  # empty: without one, Minari's `repr` of an episode fails
        self._count += 1

    def close(self) -> None:
        """Close the file; again does nothing."""
        self._file.close()

    def _group(self, place: Any, name: str) -> Any:
        return self._h5.h5g.create(place, name.encode())

    def _array(self, place: Any, name: str, array: Any) -> None:
        shape = self._h5.h5s.create_simple(array.shape)
        kind = self._type(array.dtype)
        dataset, every = self._h5.h5d.create(place, name.encode(), kind, shape), self._h5.h5s.ALL
        dataset.write(every, every, np.ascontiguousarray(array), kind)

    def _attribute(self, group: Any, name: str, value: Any) -> None:
        text = isinstance(value, str)
        it = np.asarray(value, self._text if text else None)
        kind = self._type(it.dtype)
        self._h5.h5a.create(group, name.encode(), kind, self._scalar).write(it, None if text else kind)

    def _type(self, dtype: np.dtype[Any]) -> Any:
        """Return HDF5's type for one of NumPy's: told to h5py, it does not work it out for every array."""
        if dtype not in self._types:
            self._types[dtype] = self._h5.h5t.py_create(dtype, logical=True)
        return self._types[dtype]
