"""Learner of the m,n,k-game's evaluation: lessons from games of `search` against itself, and the fit of a network.

`kozyr train-search mnk` finds it through `kozyr.agents.roster.Players.lessons`.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.mnk import learned
from kozyr.agents.mnk.search import Search
from kozyr.training.mnk_evaluation.learner import Numbers, Point, fit
from kozyr.training.mnk_evaluation.self_play import SIDE, Lessons, joined, play, read_games, write_arrays, write_games

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

read = learned.read


def player(numbers: Mapping[str, NDArray[np.float32]], name: str, budget: int = 0, seconds: float = 0.0) -> Search:
    """Return `search` with an evaluation on the usual board; with no numbers, it counts shapes."""
    game = envs.game("mnk")
    return Search(game, game.make_variant(m=SIDE, n=SIDE), 0, budget, seconds, name, valuation=numbers)


def write(path: Path, numbers: Numbers) -> None:
    """Write an evaluation, whole or not at all."""
    write_arrays(path, numbers._asdict())
