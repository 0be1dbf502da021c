"""Schedules of leagues and cups: players, terms, tables, and blocks of duplicate deals that are never lost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents, envs
from kozyr.agents.arena.matches import workers as crew
from kozyr.agents.arena.matches.console import with_bar
from kozyr.agents.arena.matches.openings import load
from kozyr.agents.arena.sandbox.move_clock import CLOCKS
from kozyr.agents.arena.tournaments.store import Block, Outcome, Store, versioned_name
from kozyr.envs.environments import argument_checks

BLOCK = 50  # deals in a block
_BY = {"auto": "", "wall": " by the wall", "processor": " of processors"}  # clocks in marks of versions
TWO_SEATS = 2  # of games in which each table is a pairing
_ORDERS = 2  # drawn orders of all players, if not all tables are played
Table = tuple[int, ...]  # indices of the players at a table, at most one a seat; the last one fills the others


@dataclass
class Contest:
    """Players and terms of a league or cup, with the results so far.

    Args:
        game: its name.
        names: agents by name, two or more, all different.
        deals: duplicate deals a table, in blocks of BLOCK.
        seed: fixes the deals and all random choices; all tables play the same deals.
        path: a file of JSON lines with earlier results, to add to, or None.
        opening: random plies that every game begins with; None: the game's default.
        variant: fields of the game's variant.
        move_limit: seconds that an agent outside the compiled loop has for each decision, or None.
        sources: the agents' names, by display names that are none.
        marks: further marks of an agent's version, by its name.
        openings: a file of openings that the deals of each table begin with in turn, or None for random plies.
        clock: of programs, as for `match`.
        damaged: entries that cannot play, by name, and why in a sentence; they share the last place.

    Raises:
        ValueError: for unknown names, impossible variants and numbers, a file with other content, and one with results
            of other openings.
    """

    game: str
    names: Sequence[str]
    deals: int = 1000
    seed: int = 0
    path: Path | None = None
    opening: int | None = None
    variant: dict[str, Any] = field(default_factory=dict[str, Any])
    move_limit: float | None = None
    sources: dict[str, str] = field(default_factory=dict[str, str])
    marks: dict[str, str] = field(default_factory=dict[str, str])
    openings: str | Path | None = None
    clock: str = "auto"
    damaged: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        """Check all arguments before anything is played."""
        spec = envs.game(self.game)
        variant = spec.make_variant(**self.variant)
        self.seats = spec.seats(variant)
        argument_checks.count("deals", self.deals)
        if self.opening is not None:
            argument_checks.opening(self.opening, spec, variant)
        self.seed = argument_checks.seed(self.seed)
        if len(set(self.names)) != len(self.names) or len(self.names) < 2:
            words = ", ".join(self.names) or "none"
            raise ValueError(f"a {self.kind} needs two agents or more, all different, not {words}")
        loaded = [agents.load(self.source(name), game=self.game, **self.variant) for name in self.names]
        self._terms = spec.id, json.dumps(spec.options(variant), sort_keys=True)
        argument_checks.choice("clock", self.clock, CLOCKS)
        how = _BY[self.clock]
        limit = (
            "" if self.move_limit is None else f" in {argument_checks.seconds('move_limit', self.move_limit):g} s{how}"
        )
        self._versions = [
            versioned_name(name, agent) + self.marks.get(name, "") + ("" if hasattr(agent, "level") else limit)
            for name, agent in zip(self.names, loaded, strict=True)
        ]
        self._openings = None if self.openings is None else load(self.openings, spec, variant)
        if self._openings is not None and self.opening is not None:
            raise ValueError("openings from a file leave no room for random ones: leave --opening out")
        self.store = Store(self.path)
        self._require_same_openings()

    @property
    def kind(self) -> str:
        """Return the word for it in messages."""
        return "cup" if type(self) is Contest else type(self).__name__.lower()

    def _require_same_openings(self) -> None:
        """Raise ValueError if the file holds results of these deals with other openings."""
        for block in self.store.known:
            if (block.game, block.variant, block.seed) == (*self._terms, self.seed) and block.openings != self._mark:
                there = f"those with digest {block.openings}" if block.openings else "random ones"
                raise ValueError(f"{self.path} holds results with other openings ({there}): choose another place")

    @property
    def _mark(self) -> str | None:
        return None if self._openings is None else self._openings.digest

    def source(self, name: str) -> str:
        """Return the name by which an agent is loaded."""
        return self.sources.get(name, name)

    def words(self, name: str, message: str | None) -> str | None:
        """Return a message about a player with its display name."""
        return message and message.replace(self.source(name), name)

    def blocks(self, table: Table, deals: int | None = None, seed: int | None = None) -> list[Block]:
        """Return the blocks of a table; another seed than the contest's makes other deals."""
        remaining = self.deals if deals is None else deals
        sizes = [min(BLOCK, remaining - first) for first in range(0, remaining, BLOCK)]
        terms = *self._terms, self.seed if seed is None else seed, self.opening
        players = tuple(self._versions[i] for i in table)
        return [Block(*terms, players, n, size, self._mark) for n, size in enumerate(sizes)]

    def play(
        self,
        tables: Sequence[Table],
        workers: int = 1,
        progress: bool = False,
        deals: int | None = None,
        ray: str | None = None,
        seed: int | None = None,
    ) -> None:
        """Play the missing blocks of some tables, up to `deals`; results are stored block by block, in any order.

        Args:
            tables: the players at each.
            workers: processes that play here.
            progress: show a bar on stderr.
            deals: a table; None: as many as the contest has.
            ray: address of a Ray cluster that plays instead, "auto" for the one that runs here, or "local" to start
                one; the results are the same.
            seed: of the deals; None: the contest's.

        Raises:
            KeyboardInterrupt: on Ctrl-C; finished blocks are stored.
            ImportError: naming the extra to install, without Ray.
            ValueError: if no cluster answers at the address, or naming another process that plays for the same file.
        """
        argument_checks.count("workers", workers)
        with self.store.exclusive():
            missing = [
                self._task(block, [self.source(self.names[i]) for i in table])
                for table in tables
                for block in self.blocks(table, deals, seed)
                if block not in self.store.known
            ]
            results = crew.in_cluster(missing, ray) if ray is not None else crew.in_processes(missing, workers)
            for block, outcome in with_bar(results, len(missing)) if progress else results:
                self.store.add(block, outcome)

    def _task(self, block: Block, players: list[str]) -> crew.Task:
        """Return the task of a worker that plays a block."""
        openings = self._openings and self._openings.part(block.number * BLOCK, block.deals)
        return block, self.game, players, self.move_limit, self.variant, openings, self.clock

    def table_outcomes(self, table: Table, deals: int | None = None, seed: int | None = None) -> list[Outcome]:
        """Return the outcomes of a table's blocks, as far as they have been played."""
        outcomes = (self.store.known.get(block) for block in self.blocks(table, deals, seed))
        return [one for one in outcomes if one is not None]

    def returns_of(
        self, table: Table, place: int, deals: int | None = None, seed: int | None = None
    ) -> NDArray[np.float64]:
        """Return a player's returns [deals] at a table, as far as it has been played; `place` is its index there."""
        rows = [np.array(one.returns[place]) for one in self.table_outcomes(table, deals, seed)]
        return np.concatenate(rows) if rows else np.zeros(0)


def tables_of(players: Sequence[int], seats: int, rng: np.random.Generator) -> list[Table]:
    """Return tables at which each player sits as often as any other, with different players where there are enough.

    With as many players as seats that is one table. Of more, all tables are taken if they are few, and else the
    runs of orders drawn at random; in games of two seats always all. If there are fewer players than seats,
    each in turn takes the remaining ones.
    """
    n = len(players)
    if n < seats:
        return [(*players[k + 1 :], *players[: k + 1]) for k in range(n)]
    if seats == TWO_SEATS or comb(n, seats) <= _ORDERS * n:
        return [tuple(rng.permutation(table).tolist()) for table in combinations(players, seats)]
    orders = [rng.permutation(players).tolist() for _ in range(_ORDERS)]
    return [tuple((order + order)[k : k + seats]) for order in orders for k in range(n)]
