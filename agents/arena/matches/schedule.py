"""What leagues and cups share: who plays, on what terms, and blocks of duplicate deals that are never lost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents, envs
from kozyr.agents.arena.matches import workers as crew
from kozyr.agents.arena.matches.console import with_bar
from kozyr.agents.arena.tournaments.store import Block, Outcome, Store, marked
from kozyr.envs.environments import check

BLOCK = 50  # deals in a block
Table = tuple[int, ...]  # places of the players at a table, at most one a seat; the last one fills the seats left


@dataclass
class Contest:
    """Who plays, on what terms, and all that has been played.

    Args:
        game: its name.
        names: agents by name, two or more, all different.
        deals: duplicate deals a table, in blocks of BLOCK.
        seed: fixes the deals and all random choices; all tables play the same deals.
        path: a file of JSON lines to go on from and to add to, or None.
        opening: random plies that every game begins with; None: as the game has it.
        variant: fields of the game's variant.
        move_limit: seconds that an agent outside the compiled loop has for each decision, or None.
        sources: for names that are not those of agents, the agents' names.
        marks: what else tells that an agent is another one than before, by its name.

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
    sources: dict[str, str] = field(default_factory=dict[str, str])
    marks: dict[str, str] = field(default_factory=dict[str, str])

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
            words = ", ".join(self.names) or "none"
            raise ValueError(f"a {self.called} needs two agents or more, all different, not {words}")
        loaded = [agents.load(self.source(name), game=self.game, **self.variant) for name in self.names]
        self._terms = it.id, json.dumps(it.options(variant), sort_keys=True)
        limit = "" if self.move_limit is None else f" in {check.seconds('move_limit', self.move_limit):g} s"
        self._marked = [
            marked(name, agent) + self.marks.get(name, "") + ("" if hasattr(agent, "level") else limit)
            for name, agent in zip(self.names, loaded, strict=True)
        ]
        self.store = Store(self.path)

    @property
    def called(self) -> str:
        """What messages call it."""
        return "cup" if type(self) is Contest else type(self).__name__.lower()

    def source(self, name: str) -> str:
        """Return the name under which an agent is loaded."""
        return self.sources.get(name, name)

    def words(self, name: str, told: str | None) -> str | None:
        """Return what was said of a player, with its name."""
        return told and told.replace(self.source(name), name)

    def blocks(self, table: Table, deals: int | None = None, seed: int | None = None) -> list[Block]:
        """Return the blocks of a table; another seed than the contest's makes other deals."""
        left = self.deals if deals is None else deals
        sizes = [min(BLOCK, left - first) for first in range(0, left, BLOCK)]
        terms = *self._terms, self.seed if seed is None else seed, self.opening
        players = tuple(self._marked[i] for i in table)
        return [Block(*terms, players, n, size) for n, size in enumerate(sizes)]

    def play(
        self,
        tables: Sequence[Table],
        workers: int = 1,
        progress: bool = False,
        deals: int | None = None,
        ray: str | None = None,
        seed: int | None = None,
    ) -> None:
        """Play what is missing of some tables, up to `deals`; results are kept block by block, in any order.

        Args:
            tables: who sits at each.
            workers: processes that play here.
            progress: show a bar on stderr.
            deals: a table; None: as many as the contest has.
            ray: address of a Ray cluster that plays instead, "auto" for the one that runs here, or "local" to start
                one; the results are the same.
            seed: of the deals; None: the contest's.

        Raises:
            KeyboardInterrupt: on Ctrl-C; the blocks that were finished are kept.
            ImportError: naming the extra to install, without Ray.
            ValueError: if no cluster answers at the address, or naming another process that plays for the same file.
        """
        check.count("workers", workers)
        with self.store.held():
            missing = [
                (block, self.game, [self.source(self.names[i]) for i in table], self.move_limit, self.variant)
                for table in tables
                for block in self.blocks(table, deals, seed)
                if block not in self.store.known
            ]
            played = crew.in_cluster(missing, ray) if ray is not None else crew.in_processes(missing, workers)
            for block, outcome in with_bar(played, len(missing)) if progress else played:
                self.store.add(block, outcome)

    def known(self, table: Table, deals: int | None = None, seed: int | None = None) -> list[Outcome]:
        """Return what the blocks of a table have brought, as far as they have been played."""
        found = (self.store.known.get(block) for block in self.blocks(table, deals, seed))
        return [one for one in found if one is not None]

    def returns_of(
        self, table: Table, place: int, deals: int | None = None, seed: int | None = None
    ) -> NDArray[np.float64]:
        """Return a player's returns [deals] at a table, as far as it has been played; `place` is its place there."""
        rows = [np.array(one.returns[place]) for one in self.known(table, deals, seed)]
        return np.concatenate(rows) if rows else np.zeros(0)
