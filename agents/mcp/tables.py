"""Tables of a program that calls tools: it sits down, plays and leaves."""

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from secrets import randbits
from typing import Any

from kozyr import agents, envs
from kozyr.agents.agent_names import AgentName, parse
from kozyr.agents.mcp.seat_session import SeatSession
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.table import file_output, record
from kozyr.envs.viewer import html

_MOST_MS, _MOST_SIMULATIONS = 10_000, 100_000  # of a budget


@dataclass
class ToolTables:
    """The tables of a program.

    Args:
        allowed: names of agents that are code or files, and may play all the same.
        replays: a folder for pages of games that are over, or None.
        most: tables at a time.
    """

    allowed: Sequence[str] = ()
    replays: Path | None = None
    most: int = 20
    _sessions: dict[str, SeatSession] = field(default_factory=dict[str, SeatSession])
    _lock: Any = field(default_factory=threading.Lock)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def games(self) -> list[dict[str, Any]]:
        """Return the games with their options and their players."""
        return [_facts(envs.game(name)) for name in envs.games()]

    def rules(self, game: str) -> str:
        """Return the rules of a game."""
        it = envs.game(game)
        page = resources.files(it.package) / "RULES.md"
        if not page.is_file():
            raise ValueError(f"the package of {it.name} has no RULES.md")
        return page.read_text(encoding="utf-8")

    def sit_down(
        self, game: str, options: Mapping[str, Any], seat: int, opponents: Sequence[str], seed: int | None
    ) -> dict[str, Any]:
        """Open a table, let the others play up to the first turn, and return the view of the seat.

        Raises:
            ValueError: in a sentence, for arguments that are not allowed.
        """
        it = envs.game(game)
        variant = it.make_variant(**options)
        seats = it.seats(variant)
        argument_checks.seat("seat", seat, seats)
        names = self._opponents(it, opponents, seats - 1)
        luck = randbits(63) if seed is None else argument_checks.seed(seed)
        with self._lock:
            if len(self._sessions) >= self.most:
                raise ValueError(f"you sit at {', '.join(self._sessions)}, and more tables are not allowed: leave one")
            table = f"t{next(self._numbers)}"
            session = self._sessions[table] = SeatSession(table, it, variant, luck, seat, names)
        return {"opening": session.opening, **session.see(observation=True)}

    def session(self, table: str) -> SeatSession:
        """Return a table by its id.

        Raises:
            ValueError: if there is none.
        """
        session = self._sessions.get(table)
        if session is None:
            there = ", ".join(self._sessions) or "none: sit down first"
            raise ValueError(f"there is no table {quote(table)}; there is {there}")
        return session

    def replay(self, table: str) -> dict[str, Any]:
        """Return the record of a game that is over, and, where there is a folder for it, a page that shows it.

        Raises:
            ValueError: while the game is on.
        """
        one = self.session(table).record()
        replay = {"table": table, "record": record.write(one)}
        if self.replays is None:
            return replay
        self.replays.mkdir(parents=True, exist_ok=True)
        path = (self.replays / f"{one.game.id}-{one.seed}.html").resolve()
        file_output.write(path, html.page([one]))
        return {**replay, "file": str(path), "link": path.as_uri()}

    def leave(self, table: str) -> dict[str, Any]:
        """Close a table, whether its game is over or not."""
        over = self.session(table).table.over
        self._sessions.pop(table, None)
        return {"table": table, "words": "the table is closed" if over else "the table is closed, its game not over"}

    def _opponents(self, game: Game, opponents: Sequence[str], seats: int) -> list[str]:
        """Return the names for the other seats; the last one takes those that are left."""
        names = list(opponents) or agents.names(game.name)[-1:]
        if len(names) > seats:
            raise ValueError(f"{len(names)} opponents for {seats} other seat{'s' * (seats > 1)}: name fewer")
        for name in names:
            self._require_allowed(name)
        return names + names[-1:] * (seats - len(names))

    def _require_allowed(self, text: str) -> None:
        """Raise ValueError for code, files, and budgets for which nobody would wait."""
        if text in self.allowed:
            return
        name: Any = parse(text)
        while isinstance(name, AgentName):
            if name.milliseconds > _MOST_MS or name.simulations > _MOST_SIMULATIONS:
                raise ValueError(
                    f"{quote(text)} thinks for too long: an opponent has up to {_MOST_SIMULATIONS:,} simulations, or "
                    f"{_MOST_MS} ms, for a decision"
                )
            name = name.guide
        if name is not None:
            raise ValueError(
                f"{quote(text)} is code, a file or lies elsewhere, and does not play here, unless the server was "
                f"started with --allow {text!r}"
            )


def _facts(game: Game) -> dict[str, Any]:
    """Return the facts of a game: options, seats and opponents."""
    return {
        "game": game.name,
        "id": game.id,
        "title": game.title,
        "seats": game.seats(game.make_variant()),
        "options": game.option_facts(),
        "opponents": {"scripted, weakest first": agents.names(game.name), "search": agents.searchers(game.name)},
    }
