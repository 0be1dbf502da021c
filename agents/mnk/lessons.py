"""Lessons by which `kozyr train-search mnk` teaches `search` to value positions; see `kozyr.agents.roster.Players`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.mnk import learned
from kozyr.agents.mnk.fit import Numbers, Point, fit
from kozyr.agents.mnk.games import AREA, SIDE, Lessons, joined, play
from kozyr.agents.mnk.search import Search
from kozyr.envs.table import files

__all__ = [
    "Lessons",
    "Numbers",
    "Point",
    "fit",
    "joined",
    "play",
    "player",
    "read",
    "read_games",
    "write",
    "write_games",
]
NODES = 700  # a decision in the games that are learned from
_MOST_BYTES = 1 << 30  # of a file of games

read = learned.read


def player(numbers: Mapping[str, NDArray[np.float32]], name: str, budget: int = 0, seconds: float = 0.0) -> Search:
    """Return `search` with an evaluation on the usual board; with no numbers, it counts shapes."""
    game = envs.game("mnk")
    return Search(game, game.make_variant(m=SIDE, n=SIDE), 0, budget, seconds, name, valuation=numbers)


def write(path: Path, numbers: Numbers) -> None:
    """Write an evaluation, whole or not at all."""
    _write(path, numbers._asdict())


def write_games(path: Path, lessons: Lessons) -> None:
    """Write the lessons of games, whole or not at all."""
    _write(path, lessons._asdict())


def read_games(path: Path) -> Lessons:
    """Return the lessons of a file of games.

    Raises:
        ValueError: if the file holds something else.
    """
    try:
        with files.opened(path) as file:
            files.require_small(file, _MOST_BYTES, len(Lessons._fields))
            with np.load(file) as arrays:
                lessons = Lessons(*(arrays[name] for name in Lessons._fields))
        if lessons.stones.shape != (len(lessons.side), AREA) or len({len(column) for column in lessons}) > 1:
            raise ValueError("its columns do not fit each other")
    except Exception as error:  # NumPy's reader of damaged headers raises whatever its parser does
        raise ValueError(f"{path} is damaged ({error}): delete it, and its games are played once more") from None
    return lessons


def _write(path: Path, arrays: dict[str, Any]) -> None:
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    part.replace(path)
