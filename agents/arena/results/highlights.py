"""Highlights of a league or ladder: a few games, played once more, recorded, and shown by the viewer."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kozyr import agents
from kozyr.agents.arena.matches.match import match
from kozyr.agents.search import Searcher
from kozyr.envs.table import file_output
from kozyr.envs.table.record_format import Record, parse
from kozyr.envs.viewer.html import page

FOLDER = "games"
_DEALS, _SLOW_DEALS = 20, 2  # of a table that are recorded; where a search or a program plays
_TABLES = 6  # tables that are recorded at most


@dataclass(frozen=True)
class Highlight:
    """Game of the highlights.

    Attributes:
        what: its distinction, in a few words; record: the game.
    """

    what: str
    record: Record

    @property
    def title(self) -> str:
        """Return the text of its link."""
        return f"{self.what}: {' v '.join(dict.fromkeys(self.record.agents or []))}, {len(self.record.actions)} plies"


def find(
    game: str,
    tables: Sequence[tuple[str, ...]],
    order: Sequence[str],
    seed: int,
    opening: int | None,
    move_limit: float | None = None,
    sources: Mapping[str, str] = MappingProxyType({}),
    openings: str | Path | None = None,
    **variant: Any,
) -> list[Highlight]:
    """Play at some tables once more, and return the longest game, the shortest, the greatest upset, the closest.

    Args:
        game: its name; variant: fields of its variant; opening: random plies that every game begins with.
        tables: names of the players at each, the most interesting first.
        order: the players, best first, by which upsets are measured.
        seed: fixes the deals and all random choices.
        move_limit, openings: as for `match`; sources: the agents' names, by display names that are none.
    """
    how: dict[str, Any] = {"opening": opening, "move_limit": move_limit, "openings": openings, **variant}
    records = [one for table in tables[:_TABLES] for one in _recorded(game, table, sources, seed, how, variant)]
    records = [one for one in records if one.forfeit is None]
    if not records:
        return []
    highlights = [
        Highlight("The longest game", max(records, key=lambda one: len(one.actions))),
        Highlight("The shortest game", min(records, key=lambda one: len(one.actions))),
    ]
    worst = max(records, key=lambda one: _surprise(one, order))
    if _surprise(worst, order) > 0:
        highlights.append(Highlight("The greatest upset", worst))
    closest = min(records, key=_margin)
    if _margin(closest) < max(map(_margin, records)):  # where every game is won by as much none is close
        highlights.append(Highlight("The closest game", closest))
    return highlights


def _recorded(
    game: str,
    table: tuple[str, ...],
    sources: Mapping[str, str],
    seed: int,
    how: dict[str, Any],
    variant: dict[str, Any],
) -> list[Record]:
    """Return the games of a short match."""
    agent_names = [sources.get(name, name) for name in table]
    slow = any(isinstance(agents.load(name, game, **variant), Searcher) or name not in table for name in agent_names)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "games.jsonl")
        match(game, agent_names, _SLOW_DEALS if slow else _DEALS, seed, record=file, **how)
        records = [parse(line) for line in file.read_text(encoding="utf-8").splitlines()]
    display = dict(zip(agent_names, table, strict=True))
    return [replace(one, agents=[display.get(name, name) for name in one.agents or ()] or None) for one in records]


def _margin(one: Record) -> float:
    """Return the difference of the best and the worst payoff."""
    return max(one.payoffs) - min(one.payoffs)


def _surprise(one: Record, order: Sequence[str]) -> float:
    """Return by how many places the winner ranks behind the loser; 0 or less is no surprise."""
    names, payoffs = one.agents or [], one.payoffs
    if not names or max(payoffs) == min(payoffs):
        return 0
    first, last = names[payoffs.index(max(payoffs))], names[payoffs.index(min(payoffs))]
    return order.index(first) - order.index(last) if first in order and last in order else 0


def write(highlights: Sequence[Highlight], folder: Path) -> list[tuple[str, str]]:
    """Write a viewer's page of each game into a folder of its own; return titles and addresses beside the folder."""
    links = list[tuple[str, str]]()
    for one in highlights:
        name = f"{one.what.removeprefix('The ').replace(' ', '-')}.html"
        place = folder / FOLDER / name
        place.parent.mkdir(parents=True, exist_ok=True)
        file_output.write(place, page([one.record]))
        links.append((one.title, f"{FOLDER}/{name}"))
    return links
