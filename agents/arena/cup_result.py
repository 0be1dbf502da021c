"""What cups have brought: their parts, rankings, and what players have reached in several of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kozyr.agents.arena.result import half_interval


@dataclass(frozen=True)
class Row:
    """How a player did in a stage.

    Attributes:
        name: the player; score: its mean over all its games, 0 to 1; half: half the width of its 95 % interval over
            deals; games: that it has played.
        errors: games lost by a mistake; why: the first of them in words, or None.
        through: whether it goes on from a group, or has won the match.
    """

    name: str
    score: float
    half: float
    games: int
    errors: int
    why: str | None
    through: bool = False


@dataclass(frozen=True)
class Stage:
    """A part of a cup.

    Attributes:
        title: what it is called; tables: names of the players at each; rows: how they did, the best first.
        through: what it means that a row is `through`.
    """

    title: str
    tables: list[tuple[str, ...]]
    rows: list[Row]
    through: str


@dataclass(frozen=True)
class CupResult:
    """What a cup has brought.

    Attributes:
        stages: its parts, in their order; ranking: names of the players, the winner first; seed: of its draw.
    """

    stages: list[Stage]
    ranking: list[str]
    seed: int


@dataclass(frozen=True)
class Place:
    """What a player has reached in several cups.

    Attributes:
        name: the player; won: cups; mean: of its places, 1 for the winner; half: half the width of that mean's 95 %
            interval, None of one cup; score: mean over all its games, 0 to 1; score_half: half the width of its 95 %
            interval over deals; errors: games lost by a mistake; why: the first of them.
    """

    name: str
    won: int
    mean: float
    half: float | None
    score: float
    score_half: float
    errors: int
    why: str | None


def places(results: Sequence[CupResult]) -> list[Place]:
    """Return what the players have reached in some cups, the best mean place first."""
    found: list[Place] = []
    for name in results[0].ranking:
        taken = np.array([1.0 + one.ranking.index(name) for one in results])
        rows = [row for one in results for stage in one.stages for row in stage.rows if row.name == name]
        won, games = int((taken == 1).sum()), sum(row.games for row in rows)
        score = sum(row.score * row.games for row in rows) / games
        why = next((row.why for row in rows if row.why), None)
        errors = sum(row.errors for row in rows)
        half = half_interval(taken) if len(taken) > 1 else None
        wide = (
            float(np.hypot.reduce([row.half * row.games for row in rows])) / games
        )  # the parts have deals of their own
        found.append(Place(name, won, float(taken.mean()), half, score, wide, errors, why))
    return sorted(found, key=lambda one: (one.mean, -one.score))
