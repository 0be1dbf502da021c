"""Leagues: round-robin or Swiss pairings, or full tables of different players, in blocks of duplicate deals."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.schedule import BLOCK, TWO_SEATS, Contest, Table, tables_of
from kozyr.agents.arena.tournaments.store import Outcome
from kozyr.envs.environments import argument_checks

__all__ = ["BLOCK", "FullTableLeague", "League", "Pair", "neighbours"]

Pair = tuple[int, int]  # places of two agents


@dataclass
class League(Contest):
    """League of pairings; see `Contest` for the arguments.

    In games of two seats a pairing is played once, as both sides of it are the same deals; in larger games the first
    agent sits alone among copies of the other, so that each pairing is played both ways.
    """

    def pairs(self) -> list[Pair]:
        """Return all pairings."""
        places = range(len(self.names))
        return list(combinations(places, 2) if self.seats == 2 else permutations(places, 2))

    def swiss(self, rounds: int, workers: int = 1, progress: bool = False, ray: str | None = None) -> list[list[Pair]]:
        """Play Swiss rounds, in which neighbours in the standing meet who have not met yet; return the pairs of each.

        The standing counts only the rounds before, whatever else was played, so that a repeated call pairs the same.
        """
        argument_checks.count("rounds", rounds)
        met: list[list[Pair]] = []
        for _ in range(rounds):
            before = {frozenset(pair) for one in met for pair in one}
            pairs = neighbours(self.standing(before), before)
            if not pairs:
                break
            met.append(pairs)
            both = [pair for i, j in pairs for pair in ([(i, j)] if self.seats == 2 else [(i, j), (j, i)])]
            self.play(both, workers, progress, ray=ray)
        return met

    def returns(self, pair: Pair, deals: int | None = None) -> NDArray[np.float64]:
        """Return the first agent's returns [deals] against the other's, as far as they have been played."""
        i, j = pair
        swapped = self.seats == 2 and i > j
        return self.returns_of((j, i) if swapped else pair, int(swapped), deals)

    def standing(self, met: Collection[frozenset[int]] | None = None) -> list[int]:
        """Return the agents by their mean score over those they have met, the best first.

        Args:
            met: pairings that count; None: all.
        """

        def mean(i: int) -> float:
            others = [j for j in range(len(self.names)) if j != i and (met is None or frozenset((i, j)) in met)]
            means = [float(one.mean()) for j in others if len(one := self.returns((i, j)))]
            return sum(means) / len(means) if means else 0.0

        return sorted(range(len(self.names)), key=lambda i: (-mean(i), i))

    def rows(self, i: int) -> list[NDArray[np.float64]]:
        """Return an agent's returns [deals] in each of its pairings."""
        rows = [self.returns((i, j)) for j in range(len(self.names)) if j != i]
        return [row for row in rows if len(row)]

    def games(self) -> list[tuple[list[int], list[float]]]:
        """Return the agents of each deal of each pairing, and the first one's lead."""
        return [([*pair], [float(value), 0.0]) for pair in self.pairs() for value in self.returns(pair)]

    def against(self, i: int, j: int) -> list[NDArray[np.float64]]:
        """Return an agent's returns [deals] against another, none if they have not met."""
        return [row] if i != j and len(row := self.returns((i, j))) else []

    def highlight_tables(self, order: list[str]) -> list[tuple[str, ...]]:
        """Return pairings for the highlights, from the agents in order, the best first."""
        return [(order[0], order[-1]), *pairwise(order)] if len(order) > 2 else [(order[0], order[1])]

    def outcomes(self, i: int) -> list[tuple[Outcome, int]]:
        """Return the outcomes of an agent's pairings, block by block, and its side in each."""
        return [(one, pair.index(i)) for pair in self.pairs() if i in pair for one in self.table_outcomes(pair)]


@dataclass
class FullTableLeague(Contest):
    """League at full tables of different players, as in cups; see `Contest` for the arguments.

    Raises:
        ValueError: besides, for a game of two seats.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seats == TWO_SEATS:
            raise ValueError("tables of different players are for games of more than two seats: leave --table out")
        self.tables: list[Table] = tables_of(range(len(self.names)), self.seats, np.random.default_rng(self.seed))

    @property
    def kind(self) -> str:
        """Return the word for it in messages."""
        return "league"

    def play_all(self, workers: int = 1, progress: bool = False, ray: str | None = None) -> None:
        """Play the missing blocks of all tables, as `play` does."""
        self.play(self.tables, workers, progress, ray=ray)

    def rows(self, i: int) -> list[NDArray[np.float64]]:
        """Return an agent's returns [deals] at each of its tables."""
        rows = [self.returns_of(table, table.index(i)) for table in self.tables if i in table]
        return [row for row in rows if len(row)]

    def games(self) -> list[tuple[list[int], list[float]]]:
        """Return the agents of each deal at each table, and their returns."""
        games: list[tuple[list[int], list[float]]] = []
        for table in self.tables:
            rows = np.stack([self.returns_of(table, place) for place in range(len(table))], 1)
            games += [([*table], row) for row in rows.tolist()]
        return games

    def against(self, i: int, j: int) -> list[NDArray[np.float64]]:
        """Return, for each common table of two agents, the sign [deals] of the first one's lead over the other."""
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
        """Return the outcomes of an agent's tables, block by block, and its index in each."""
        return [(one, table.index(i)) for table in self.tables if i in table for one in self.table_outcomes(table)]

    def highlight_tables(self, order: list[str]) -> list[tuple[str, ...]]:
        """Return tables for the highlights, from the agents in order, the best first."""
        best = order[: self.seats]
        return [tuple(best), (*best[:-1], order[-1])] if len(order) > len(best) else [tuple(best)]


def neighbours(standing: Sequence[int], met: set[frozenset[int]]) -> list[Pair]:
    """Pair the agents from the top down, each with the next one that it has not met; the others rest."""
    remaining, pairs = list(standing), list[Pair]()
    while len(remaining) > 1:
        i = remaining.pop(0)
        for j in remaining:
            if frozenset((i, j)) not in met:
                pairs.append((min(i, j), max(i, j)))
                remaining.remove(j)
                break
    return pairs
