"""Layout of boards in rows of features, and shares of positions for threads."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kozyr.agents.agent import workers
from kozyr.envs.core.capabilities import Board

_WIDE = 8  # floats that are worked on at once: a row's length is a multiple


class Frame(NamedTuple):
    """Layout of a board in a row: [rows, columns] in lines of `pitch`, the first cell at `first`."""

    rows: int
    columns: int
    pitch: int
    first: int
    size: int

    def cells(self) -> NDArray[np.int64]:
        """Return the place of each cell in a row, int64 [rows × columns]."""
        lines = np.arange(self.rows)[:, None] * self.pitch + np.arange(self.columns)
        return (lines + self.first).ravel()


def frame(board: Board) -> Frame:
    """Return the layout of a board in a row."""
    pitch = board.columns + 1
    size = (board.rows + 2) * pitch + 1
    return Frame(board.rows, board.columns, pitch, pitch + 1, -(-size // _WIDE) * _WIDE)


def array(tensor: torch.Tensor) -> NDArray[Any]:
    """Return a tensor's values as a C-contiguous array."""
    return tensor.detach().contiguous().numpy()


def share(n: int, threads: int, work: Callable[[slice, int], None]) -> None:
    """Share n positions among threads; each is told its part and its number."""
    ends = [n * i // threads for i in range(threads + 1)]
    workers(threads).share(lambda i: work(slice(*ends[i : i + 2]), i), range(threads))
