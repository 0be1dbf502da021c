"""Leagues: all against all, or in rounds of the swiss system, in blocks of duplicate deals that are never lost."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.schedule import BLOCK, Contest
from kozyr.agents.arena.tournaments.store import Outcome
from kozyr.envs.environments import check

__all__ = ["BLOCK", "League", "Pair", "neighbours"]

Pair = tuple[int, int]  # places of two agents


@dataclass
class League(Contest):
    """Who plays what, and all that has been played; see `Contest` for the arguments.

    In games of two seats a pairing is played once, as both sides of it are the same deals; in larger games the first
    agent sits alone among copies of the other, so that each pairing is played both ways.
    """

    def pairs(self) -> list[Pair]:
        """Return all pairings."""
        places = range(len(self.names))
        return list(combinations(places, 2) if self.seats == 2 else permutations(places, 2))

    def swiss(self, rounds: int, workers: int = 1, progress: bool = False, ray: str | None = None) -> list[list[Pair]]:
        """Play rounds in which neighbours in the standing meet who have not met yet; return who met in each.

        The standing counts what the rounds before have brought, whatever else is known: asked again, the same meet.
        """
        check.count("rounds", rounds)
        met: list[list[Pair]] = []
        for _ in range(rounds):
            before = {frozenset(pair) for one in met for pair in one}
            found = neighbours(self.standing(before), before)
            if not found:
                break
            met.append(found)
            both = [pair for i, j in found for pair in ([(i, j)] if self.seats == 2 else [(i, j), (j, i)])]
            self.play(both, workers, progress, ray=ray)
        return met

    def returns(self, pair: Pair, deals: int | None = None) -> NDArray[np.float64]:
        """Return the first agent's returns [deals] against the other's, as far as they have been played."""
        i, j = pair
        turned = self.seats == 2 and i > j
        return self.returns_of((j, i) if turned else pair, int(turned), deals)

    def standing(self, met: Collection[frozenset[int]] | None = None) -> list[int]:
        """Return the agents by their mean score over those they have met, the best first.

        Args:
            met: which pairings count; None: all.
        """

        def mean(i: int) -> float:
            others = [j for j in range(len(self.names)) if j != i and (met is None or frozenset((i, j)) in met)]
            means = [float(one.mean()) for j in others if len(one := self.returns((i, j)))]
            return sum(means) / len(means) if means else 0.0

        return sorted(range(len(self.names)), key=lambda i: (-mean(i), i))

    def rows(self, i: int) -> list[NDArray[np.float64]]:
        """Return an agent's returns [deals] in each of its pairings."""
        found = [self.returns((i, j)) for j in range(len(self.names)) if j != i]
        return [row for row in found if len(row)]

    def games(self) -> list[tuple[list[int], list[float]]]:
        """Return the agents of each deal of each pairing, and by how much the first was ahead."""
        return [([*pair], [float(value), 0.0]) for pair in self.pairs() for value in self.returns(pair)]

    def against(self, i: int, j: int) -> list[NDArray[np.float64]]:
        """Return an agent's returns [deals] against another, none where they have not met."""
        return [row] if i != j and len(row := self.returns((i, j))) else []

    def shown(self, order: list[str]) -> list[tuple[str, ...]]:
        """Return pairings whose games are worth looking at, given the agents from the best to the last."""
        return [(order[0], order[-1]), *pairwise(order)] if len(order) > 2 else [(order[0], order[1])]

    def outcomes(self, i: int) -> list[tuple[Outcome, int]]:
        """Return what the blocks of an agent's pairings have brought, and which side it was in each."""
        return [(one, pair.index(i)) for pair in self.pairs() if i in pair for one in self.known(pair)]


def neighbours(standing: Sequence[int], met: set[frozenset[int]]) -> list[Pair]:
    """Pair the agents from the top down, each with the next one that it has not met; who is left over rests."""
    left, found = list(standing), list[Pair]()
    while len(left) > 1:
        i = left.pop(0)
        for j in left:
            if frozenset((i, j)) not in met:
                found.append((min(i, j), max(i, j)))
                left.remove(j)
                break
    return found
