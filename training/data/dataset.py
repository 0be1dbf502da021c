"""Recorded games as a table of decisions in a Parquet file, for offline learning.

A row is one decision: what the seat saw, what it could do, what it did, and what the game brought it in the end. After
the decisions of a game comes a row for each seat with what it sees once the game is over.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.state import OVER
from kozyr.envs.table import file_output
from kozyr.envs.table.record import Record
from kozyr.envs.table.table import Table
from kozyr.training.data import games
from kozyr.training.data.games import Dataset, Kind

_BATCH = 16 << 20  # bytes of views and masks that are held at once
_PACKING = "zstd"
_NO_ACTION = -1  # in the rows of the end
_COLUMNS = {  # those of one number a row, with the types of NumPy
    "number": "int64",
    "ply": "int32",
    "seat": "int8",
    "action": "int32",
    "return": "float64",
    "opening": "bool",
    "truncated": "bool",
    "forfeit": "bool",
    "end": "bool",
}


def write(source: Path, target: Path, tell: Callable[[int], None] = lambda read: None) -> Dataset:
    """Write every decision of recorded games, and what the seats see at the end; the file appears once it is whole.

    Games are replayed through the rules and written in portions, so that memory does not grow with their number.

    Args:
        source: a file of records of one game and one variant; target: the Parquet file.
        tell: called with the bytes of `source` that have been read, game by game.

    Raises:
        ValueError: naming file and line for a record that is damaged, not finished or of another variant, and for a
            file without games.
        ImportError: naming the extra to install, without pyarrow.
    """
    _arrow()
    if target.exists() and target.samefile(source):
        raise ValueError(f"{target} holds the games themselves: give the dataset another name")
    target.parent.mkdir(parents=True, exist_ok=True)
    with file_output.replacement(target) as part:
        dataset = games.convert(source, lambda kind: _Rows(part, kind), tell)
    dataset.bytes = target.stat().st_size
    return dataset


def _arrow(module: str = "pyarrow") -> Any:
    return games.library(module, "pyarrow", "data")


class _Rows:
    """The rows that are not written yet, and the file they go to."""

    def __init__(self, path: Path, kind: Kind) -> None:
        game, v = kind
        view, actions = game.size(v), game.actions(v)
        self.most = max(256, min(1 << 16, _BATCH // (view * game.view_dtype.itemsize + actions)))
        self.views = np.zeros((self.most, view), game.view_dtype)
        self.masks = np.zeros((self.most, actions), np.int8)
        self.numbers = {name: np.zeros(self.most, dtype) for name, dtype in _COLUMNS.items()}
        self.agents: list[str | None] = []
        self._constant = {"game": game.id, "variant": json.dumps(game.options(v))}
        self.schema = _schema(kind)
        self.writer: Any = _arrow("pyarrow.parquet").ParquetWriter(path, self.schema, compression=_PACKING)

    def take(self, one: Record, number: int) -> list[int]:
        """Add the decisions of a game and its end, and return how many decisions each seat has made."""
        counts = [0] * len(one.payoffs)
        whole = {"number": number, "truncated": one.truncated, "forfeit": one.forfeit is not None}
        for seat, table in games.positions(one):
            ply = table.ply
            if seat == OVER:
                last = {**whole, "ply": ply, "action": _NO_ACTION, "opening": False, "end": True}
                for each in range(len(counts)):
                    self._add(one, each, table, last)
            else:
                own = {"ply": ply, "action": one.actions[ply], "opening": ply < (one.opening or 0), "end": False}
                self._add(one, seat, table, {**whole, **own})
                counts[seat] += 1
        return counts

    def _add(self, one: Record, seat: int, table: Table, numbers: dict[str, Any]) -> None:
        """Fill in a row of a seat, and write all rows down once they are many."""
        n = len(self.agents)
        self.views[n], self.masks[n] = table.view(seat), table.mask
        for name, value in numbers.items():
            self.numbers[name][n] = value
        self.numbers["seat"][n], self.numbers["return"][n] = seat, one.payoffs[seat]
        self.agents.append(one.agents[seat] if one.agents else None)
        if n + 1 == self.most:
            self.flush()

    def flush(self) -> None:
        """Write the rows down."""
        arrow, n = _arrow(), len(self.agents)
        columns: dict[str, Any] = {name: arrow.array([value] * n) for name, value in self._constant.items()}
        columns |= {name: arrow.array(values[:n]) for name, values in self.numbers.items()}
        columns |= {"view": _lists(self.views[:n]), "mask": _lists(self.masks[:n])}
        columns["agent"] = arrow.array(self.agents, arrow.string())
        ordered = [columns[name] for name in self.schema.names]
        self.writer.write_batch(arrow.record_batch(ordered, schema=self.schema))
        self.agents.clear()

    def finish(self, dataset: Dataset) -> None:
        """Write the last rows down."""
        self.flush()

    def close(self) -> None:
        """Close the file."""
        self.writer.close()


def _lists(rows: NDArray[Any]) -> Any:
    """Return rows [n, width] as n lists of a fixed size; Arrow keeps the numbers as they are."""
    arrow = _arrow()
    values = arrow.array(rows.reshape(-1))
    return arrow.FixedSizeListArray.from_arrays(values, type=_list_type(rows.dtype, rows.shape[1]))


def _list_type(dtype: np.dtype[Any], width: int) -> Any:
    arrow = _arrow()
    return arrow.list_(arrow.field("element", arrow.from_numpy_dtype(dtype), nullable=False), width)


def _schema(kind: Kind) -> Any:
    """Return the columns in their order, with the offsets of the view's parts."""
    arrow, (game, v) = _arrow(), kind
    lists = {
        "view": _list_type(game.view_dtype, game.size(v)),
        "mask": _list_type(np.dtype(np.int8), game.actions(v)),
    }
    words = {"game": arrow.string(), "variant": arrow.string()}
    numbers = {name: arrow.from_numpy_dtype(np.dtype(dtype)) for name, dtype in _COLUMNS.items()}
    order = ("game", "variant", "number", "ply", "seat", "agent", "view", "mask", "action", "return", "opening")
    every = {**words, **lists, **numbers, "agent": arrow.string()}
    names = (*order, "truncated", "forfeit", "end")
    fields = [arrow.field(name, every[name], nullable=name == "agent") for name in names]
    return arrow.schema(fields, games.origin(kind))
