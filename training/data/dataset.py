"""Recorded games as a table of decisions in a Parquet file, for offline learning.

A row is one decision: what the seat saw, what it could do, what it did, and what the game brought it in the end.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.environments import install_hint
from kozyr.envs.table import files, record
from kozyr.envs.table.record import Record
from kozyr.envs.table.record_format import LONGEST
from kozyr.envs.table.table import Table

_BATCH = 16 << 20  # bytes of views and masks that are held at once
_PACKING = "zstd"
_COLUMNS = {  # those of one number a decision, with the types of NumPy
    "number": "int64",
    "ply": "int32",
    "seat": "int8",
    "action": "int32",
    "return": "float64",
    "opening": "bool",
    "truncated": "bool",
    "forfeit": "bool",
}


class Kind(NamedTuple):
    """Game, variant and further facts that all games of a file have in common."""

    game: Game
    variant: Any


@dataclass
class Player:
    """Statistics of an agent in the games: its decisions, and the sum of their returns."""

    decisions: int = 0
    returns: float = 0.0


@dataclass
class Dataset:
    """Facts about a file of decisions.

    Attributes:
        kind: the game and the variant.
        games, decisions: how many; bytes: of the file; agents: by name, those that are known.
    """

    kind: Kind
    games: int = 0
    decisions: int = 0
    bytes: int = 0
    agents: dict[str, Player] = field(default_factory=dict[str, Player])

    def count(self, one: Record, decisions: Sequence[int]) -> None:
        """Count the decisions of a game, a number a seat."""
        self.decisions += sum(decisions)
        for name, count, payoff in zip(one.agents or (), decisions, one.payoffs, strict=False):
            player = self.agents.setdefault(name, Player())
            player.decisions += count
            player.returns += count * payoff


def write(source: Path, target: Path, tell: Callable[[int], None] = lambda read: None) -> Dataset:
    """Write every decision of recorded games as a row; the file appears once it is whole.

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
    part = target.with_name(f"{target.name}.part")
    try:
        dataset = _write(source, part, tell)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    dataset.bytes = target.stat().st_size
    return dataset


def _arrow(module: str = "pyarrow") -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"datasets need pyarrow: {install_hint.command('data')}") from error


def _write(source: Path, part: Path, tell: Callable[[int], None]) -> Dataset:
    """Write the rows of all games into a file that is not done yet."""
    dataset: Dataset | None = None
    rows: _Rows | None = None
    try:
        for number, one in _records(source, tell):
            with record.located(number, source):
                kind = Kind(one.game, one.variant)
                if dataset is None or rows is None:
                    dataset, rows = Dataset(kind), _Rows(part, kind)
                _require_fit(one, dataset.kind)
                dataset.games += 1
                dataset.count(one, rows.take(one, dataset.games))
        if dataset is None or rows is None:
            raise ValueError(f"{source} holds no games")
        rows.flush()
    finally:
        if rows is not None:
            rows.writer.close()
    return dataset


def _records(source: Path, tell: Callable[[int], None]) -> Iterator[tuple[int, Record]]:
    """Give the records of a file, not yet replayed, with the numbers of their lines."""
    read = 0
    for number, line in enumerate(files.lines(source, LONGEST), 1):
        read += len(line)
        if line.strip():
            yield number, record.read(line, number, source, verify=False)
        tell(read)


def _require_fit(one: Record, kind: Kind) -> None:
    """Raise ValueError for a game that cannot be a part of the file."""
    if not one.payoffs:
        raise ValueError("the game is in progress, and what it will bring is not known: leave it out")
    if (one.game, one.variant) != kind:
        here, there = one.game.options(one.variant), kind.game.options(kind.variant)
        other = [name for name in here if here[name] != there.get(name)] if one.game is kind.game else []
        mine, its = (", ".join(f"{name}={options[name]}" for name in other) for options in (here, there))
        difference = f"this has {mine}, that has {its}" if other else f"this is {one.game.id}, that is {kind.game.id}"
        raise ValueError(f"a dataset holds one variant of one game, that of the first record: {difference}")


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
        """Add the decisions of a game, and return how many each seat has made."""
        counts = [0] * len(one.payoffs)
        whole = {"number": number, "truncated": one.truncated, "forfeit": one.forfeit is not None}
        for table in record.tables(one):
            ply, seat = table.ply, table.turn
            if seat < 0 or ply == len(one.actions):
                continue  # nobody decides; going on tells whether the record ends as the game does
            own = {"ply": ply, "seat": seat, "action": one.actions[ply], "return": one.payoffs[seat]}
            self._add(table, {**whole, **own, "opening": ply < (one.opening or 0)})
            self.agents.append(one.agents[seat] if one.agents else None)
            counts[seat] += 1
            if len(self.agents) == self.most:
                self.flush()
        return counts

    def _add(self, table: Table, numbers: dict[str, Any]) -> None:
        """Fill in the view, the mask and the action of the seat to move."""
        n = len(self.agents)
        self.views[n], self.masks[n] = table.view(table.turn), table.mask
        for name, value in numbers.items():
            self.numbers[name][n] = value

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
    fields = [arrow.field(name, every[name], nullable=name == "agent") for name in (*order, "truncated", "forfeit")]
    metadata = {
        "kozyr.game": game.id,
        "kozyr.variant": json.dumps(game.options(v)),
        "kozyr.view": json.dumps(game.declaration(v)),
    }
    return arrow.schema(fields, metadata)
