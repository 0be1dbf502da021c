"""Leagues at full tables: each seats different players, as cups do, in place of one among copies of another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.schedule import Contest, Table
from kozyr.agents.arena.tournaments.cup import tables_of
from kozyr.agents.arena.tournaments.store import Outcome

_PAIR = 2  # seats of the games whose tables are full anyway


@dataclass
class FullLeague(Contest):
    """Who plays what at full tables, and all that has been played; see `Contest` for the arguments.

    Raises:
        ValueError: besides, for a game of two seats.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seats == _PAIR:
            raise ValueError("tables of different players are for games of more than two seats: leave --table out")
        self.tables: list[Table] = tables_of(range(len(self.names)), self.seats, np.random.default_rng(self.seed))

    @property
    def called(self) -> str:
        """What messages call it."""
        return "league"

    def play_all(self, workers: int = 1, progress: bool = False, ray: str | None = None) -> None:
        """Play what is missing of all tables, as `play` does."""
        self.play(self.tables, workers, progress, ray=ray)

    def rows(self, i: int) -> list[NDArray[np.float64]]:
        """Return an agent's returns [deals] at each of its tables."""
        found = [self.returns_of(table, table.index(i)) for table in self.tables if i in table]
        return [row for row in found if len(row)]

    def games(self) -> list[tuple[list[int], list[float]]]:
        """Return the agents of each deal at each table, and their returns."""
        found: list[tuple[list[int], list[float]]] = []
        for table in self.tables:
            rows = np.stack([self.returns_of(table, place) for place in range(len(table))], 1)
            found += [([*table], row) for row in rows.tolist()]
        return found

    def against(self, i: int, j: int) -> list[NDArray[np.float64]]:
        """Return for each common table of two agents 1, 0 or −1 [deals]: who of them has won more."""
        common = [table for table in self.tables if i in table and j in table]
        rows = [
            np.sign(self.returns_of(table, table.index(i)) - self.returns_of(table, table.index(j))) for table in common
        ]
        return [row for row in rows if len(row)] if i != j else []

    def standing(self) -> list[int]:
        """Return the agents by their mean score, the best first."""
        means = [float(np.mean([row.mean() for row in self.rows(i)] or [0.0])) for i in range(len(self.names))]
        return sorted(range(len(self.names)), key=lambda i: (-means[i], i))

    def outcomes(self, i: int) -> list[tuple[Outcome, int]]:
        """Return what the blocks of an agent's tables have brought, and its place in each."""
        return [(one, table.index(i)) for table in self.tables if i in table for one in self.known(table)]

    def shown(self, order: list[str]) -> list[tuple[str, ...]]:
        """Return tables whose games are worth looking at, given the agents from the best to the last."""
        best = order[: self.seats]
        return [tuple(best), (*best[:-1], order[-1])] if len(order) > len(best) else [tuple(best)]
