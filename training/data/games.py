"""Recorded games on their way into a dataset: one variant of one game, replayed through the rules one by one."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kozyr.envs.core import install_hint
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.table import files, record
from kozyr.envs.table.record import Record
from kozyr.envs.table.record_format import LONGEST
from kozyr.envs.table.table import Table


class Kind(NamedTuple):
    """Game and variant that all games of a dataset have in common."""

    game: Game
    variant: Any


@dataclass
class Player:
    """Statistics of an agent in the games: its decisions, and the sum of their returns."""

    decisions: int = 0
    returns: float = 0.0


@dataclass
class Dataset:
    """Facts about a dataset.

    Attributes:
        kind: the game and the variant.
        games, decisions: how many; bytes: of the files; agents: by name, those that are known.
        episodes: seats that decided something, summed over the games.
    """

    kind: Kind
    games: int = 0
    decisions: int = 0
    bytes: int = 0
    agents: dict[str, Player] = field(default_factory=dict[str, Player])
    episodes: int = 0

    def count(self, one: Record, decisions: Sequence[int]) -> None:
        """Count the decisions of a game, a number a seat."""
        self.games += 1
        self.decisions += sum(decisions)
        self.episodes += sum(count > 0 for count in decisions)
        for name, count, payoff in zip(one.agents or (), decisions, one.payoffs, strict=False):
            player = self.agents.setdefault(name, Player())
            player.decisions += count
            player.returns += count * payoff


class Writer(Protocol):
    """A file format: whoever writes the games of a dataset down."""

    def take(self, one: Record, number: int) -> Sequence[int]:
        """Replay a game, write it down and return how many decisions each seat has made.

        Args:
            one: the game; number: its number in the dataset, from 1.

        Raises:
            ValueError: if the rules have it otherwise.
        """
        ...

    def finish(self, dataset: Dataset) -> None:
        """Write down what is left once all games are there."""
        ...

    def close(self) -> None:
        """Close all files, whether or not all games are there."""
        ...


def origin(kind: Kind) -> dict[str, str]:
    """Return the metadata of a dataset: game, options as JSON, and the offsets of the view's parts as JSON."""
    game, v = kind
    return {
        "kozyr.game": game.id,
        "kozyr.variant": json.dumps(game.options(v)),
        "kozyr.view": json.dumps(game.declaration(v)),
    }


def positions(one: Record) -> Iterator[tuple[int, Table]]:
    """Give the seat to move and the table before every decision of a game, then OVER and the table at the end.

    Args:
        one: a game that is over. The table is always the same one, which goes on.

    Raises:
        ValueError: at the first thing that is not as the rules have it.
    """
    plies, table = len(one.actions), None
    for table in record.tables(one):
        seat = table.turn
        if seat != OVER and table.ply < plies:
            yield seat, table
    assert table is not None
    yield OVER, table


def library(name: str, package: str, extra: str) -> Any:
    """Return a module that an extra installs.

    Args:
        name: of the module; package: what a message calls it; extra: the name in pyproject.toml.

    Raises:
        ImportError: naming the extra to install.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"datasets need {package}: {install_hint.command(extra)}") from error


def convert(source: Path, begin: Callable[[Kind], Writer], tell: Callable[[int], None]) -> Dataset:
    """Hand every game of a file to a writer, and return the facts.

    Args:
        source: a file of records of one game and one variant.
        begin: makes the writer, once the game is known.
        tell: called with the bytes of `source` that have been read, game by game.

    Raises:
        ValueError: naming file and line for a record that is damaged, not finished or of another variant, and for a
            file without games.
    """
    dataset: Dataset | None = None
    writer: Writer | None = None
    try:
        for number, one in _records(source, tell):
            with record.located(number, source):
                kind = Kind(one.game, one.variant)
                if dataset is None or writer is None:
                    dataset, writer = Dataset(kind), begin(kind)
                _require_fit(one, dataset.kind)
                dataset.count(one, writer.take(one, dataset.games + 1))
        if dataset is None or writer is None:
            raise ValueError(f"{source} holds no games")
        writer.finish(dataset)
    finally:
        if writer is not None:
            writer.close()
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
    """Raise ValueError for a game that cannot be a part of the dataset."""
    if not one.payoffs:
        raise ValueError("the game is in progress, and what it will bring is not known: leave it out")
    if (one.game, one.variant) != kind:
        here, there = one.game.options(one.variant), kind.game.options(kind.variant)
        other = [name for name in here if here[name] != there.get(name)] if one.game is kind.game else []
        mine, its = (", ".join(f"{name}={options[name]}" for name in other) for options in (here, there))
        difference = f"this has {mine}, that has {its}" if other else f"this is {one.game.id}, that is {kind.game.id}"
        raise ValueError(f"a dataset holds one variant of one game, that of the first record: {difference}")
