"""Leagues: all against all, or in rounds of the swiss system, in blocks of duplicate deals that are never lost."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents, envs
from kozyr.agents.arena import workers as crew
from kozyr.agents.arena.console import with_bar
from kozyr.agents.arena.store import Block, Outcome, Store, marked
from kozyr.envs.api import check

BLOCK = 50  # deals in a block
Pair = tuple[int, int]  # places of two agents


@dataclass
class League:
    """Who plays what, and all that has been played.

    In games of two seats a pairing is played once, as both sides of it are the same deals; in larger games the first
    agent sits alone among copies of the other, so that each pairing is played both ways.

    Args:
        game: its name.
        names: agents by name, two or more, all different.
        deals: duplicate deals a pairing, in blocks of BLOCK.
        seed: fixes the deals and all random choices; all pairings play the same deals.
        path: a file of JSON lines to go on from and to add to, or None.
        opening: random plies that every game begins with; None: as the game has it.
        variant: fields of the game's variant.
        move_limit: seconds that an agent outside the compiled loop has for each decision, or None.

    Raises:
        ValueError: for unknown names, impossible variants and numbers, and a file that holds something else.
    """

    game: str
    names: Sequence[str]
    deals: int = 1000
    seed: int = 0
    path: Path | None = None
    opening: int | None = None
    variant: dict[str, Any] = field(default_factory=dict[str, Any])
    move_limit: float | None = None

    def __post_init__(self) -> None:
        """Check everything before anything is played."""
        it = envs.game(self.game)
        variant = it.make_variant(**self.variant)
        self.seats = it.seats(variant)
        check.count("deals", self.deals)
        if self.opening is not None:
            check.opening(self.opening, it, variant)
        check.seed(self.seed)
        if len(set(self.names)) != len(self.names) or len(self.names) < 2:
            raise ValueError(f"a league needs two agents or more, all different, not {', '.join(self.names) or 'none'}")
        loaded = [agents.load(name, game=self.game, **self.variant) for name in self.names]
        self._terms = (it.id, json.dumps(it.options(variant), sort_keys=True), self.seed, self.opening)
        limit = "" if self.move_limit is None else f" in {check.seconds('move_limit', self.move_limit):g} s"
        self._marked = [
            marked(name, agent) + ("" if hasattr(agent, "level") else limit)
            for name, agent in zip(self.names, loaded, strict=True)
        ]
        self.store = Store(self.path)

    def pairs(self) -> list[Pair]:
        """Return all pairings."""
        places = range(len(self.names))
        return list(combinations(places, 2) if self.seats == 2 else permutations(places, 2))

    def blocks(self, pair: Pair, deals: int | None = None) -> list[Block]:
        """Return the blocks of a pairing."""
        left = self.deals if deals is None else deals
        sizes = [min(BLOCK, left - first) for first in range(0, left, BLOCK)]
        i, j = pair
        return [Block(*self._terms, self._marked[i], self._marked[j], n, size) for n, size in enumerate(sizes)]

    def play(
        self,
        pairs: Sequence[Pair],
        workers: int = 1,
        progress: bool = False,
        deals: int | None = None,
        ray: str | None = None,
    ) -> None:
        """Play what is missing of some pairings, up to `deals`; results are kept block by block, in any order.

        Args:
            pairs: the pairings.
            workers: processes that play here.
            progress: show a bar on stderr.
            deals: a pairing; None: as many as the league has.
            ray: address of a Ray cluster that plays instead, "auto" for the one that runs here, or "local" to start
                one; the results are the same.

        Raises:
            KeyboardInterrupt: on Ctrl-C; the blocks that were finished are kept.
            ImportError: naming the extra to install, without Ray.
            ValueError: if no cluster answers at the address, or naming another process that plays for the same file.
        """
        check.count("workers", workers)
        with self.store.held():
            missing = [
                (block, self.game, self.names[i], self.names[j], self.move_limit, self.variant)
                for i, j in pairs
                for block in self.blocks((i, j), deals)
                if block not in self.store.known
            ]
            played = crew.in_cluster(missing, ray) if ray is not None else crew.in_processes(missing, workers)
            for block, outcome in with_bar(played, len(missing)) if progress else played:
                self.store.add(block, outcome)

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
        known = [self.store.known.get(block) for block in self.blocks((j, i) if turned else pair, deals)]
        rows = [(one.other_returns if turned else one.returns) for one in known if one is not None]
        return np.concatenate([np.array(row) for row in rows]) if rows else np.zeros(0)

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

    def outcomes(self, i: int) -> list[tuple[Outcome, int]]:
        """Return what the blocks of an agent's pairings have brought, and which side it was in each."""
        found = [
            (self.store.known.get(block), pair.index(i))
            for pair in self.pairs()
            if i in pair
            for block in self.blocks(pair)
        ]
        return [(outcome, side) for outcome, side in found if outcome is not None]


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
