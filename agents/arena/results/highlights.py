"""Games worth looking at: of a league or a ladder a few are played once more, recorded, and shown by the viewer."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kozyr import agents
from kozyr.agents.arena.matches.match import match
from kozyr.agents.search import Searcher
from kozyr.envs.table.notation import Record, parse
from kozyr.envs.viewer.html import page

FOLDER = "games"
_DEALS, _SLOW_DEALS = 20, 2  # of a table that are recorded; where a search or a program plays
_TABLES = 6  # tables that are recorded at most


@dataclass(frozen=True)
class Notable:
    """A game worth looking at.

    Attributes:
        what: why, in a few words; record: the game.
    """

    what: str
    record: Record

    @property
    def title(self) -> str:
        """Return what the link to it says."""
        return f"{self.what}: {' v '.join(dict.fromkeys(self.record.agents or []))}, {len(self.record.actions)} plies"


def find(
    game: str,
    tables: Sequence[tuple[str, ...]],
    order: Sequence[str],
    seed: int,
    opening: int | None,
    move_limit: float | None = None,
    sources: Mapping[str, str] = MappingProxyType({}),
    **variant: Any,
) -> list[Notable]:
    """Play at some tables once more, and return the longest game, the shortest, the greatest upset, the closest.

    Args:
        game: its name; variant: fields of its variant; opening: random plies that every game begins with.
        tables: who plays whom, the most interesting first.
        order: the players, best first, which tells what is an upset.
        seed: fixes the deals and all random choices.
        move_limit: as for `match`; sources: for names that are not those of agents, the agents' names.
    """
    how: dict[str, Any] = {"opening": opening, "move_limit": move_limit, **variant}
    records = [one for table in tables[:_TABLES] for one in _recorded(game, table, sources, seed, how, variant)]
    records = [one for one in records if one.forfeit is None]
    if not records:
        return []
    found = [
        Notable("The longest game", max(records, key=lambda one: len(one.actions))),
        Notable("The shortest game", min(records, key=lambda one: len(one.actions))),
    ]
    worst = max(records, key=lambda one: _surprise(one, order))
    if _surprise(worst, order) > 0:
        found.append(Notable("The greatest upset", worst))
    closest = min(records, key=_margin)
    if _margin(closest) < max(map(_margin, records)):  # where every game is won by as much none is close
        found.append(Notable("The closest game", closest))
    return found


def _recorded(
    game: str,
    table: tuple[str, ...],
    sources: Mapping[str, str],
    seed: int,
    how: dict[str, Any],
    variant: dict[str, Any],
) -> list[Record]:
    """Return the games of a short match."""
    given = [sources.get(name, name) for name in table]
    slow = any(isinstance(agents.load(name, game, **variant), Searcher) or name not in table for name in given)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "games.jsonl")
        match(game, given, _SLOW_DEALS if slow else _DEALS, seed, record=file, **how)
        records = [parse(line) for line in file.read_text(encoding="utf-8").splitlines()]
    called = dict(zip(given, table, strict=True))
    return [replace(one, agents=[called.get(name, name) for name in one.agents or ()] or None) for one in records]


def _margin(one: Record) -> float:
    """Return by how much the best paid is ahead of the worst paid."""
    return max(one.payoffs) - min(one.payoffs)


def _surprise(one: Record, order: Sequence[str]) -> float:
    """Return by how many places the best paid is behind the worst paid; 0 if that is no surprise."""
    names, paid = one.agents or [], one.payoffs
    if not names or max(paid) == min(paid):
        return 0
    first, last = names[paid.index(max(paid))], names[paid.index(min(paid))]
    return order.index(first) - order.index(last) if first in order and last in order else 0


def write(notables: Sequence[Notable], folder: Path) -> list[tuple[str, str]]:
    """Write a viewer's page of each game into a folder of its own; return titles and addresses beside the folder."""
    links = list[tuple[str, str]]()
    for one in notables:
        name = f"{one.what.removeprefix('The ').replace(' ', '-')}.html"
        place = folder / FOLDER / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page([one.record]), encoding="utf-8")
        links.append((one.title, f"{FOLDER}/{name}"))
    return links
