"""Registry of a server's tables: opened, found again from the store, and closed when nobody sits at them."""

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kozyr.agents.play.host.precompile import Precompiler
from kozyr.agents.play.host.table_host import TableHost
from kozyr.agents.play.host.worker_pool import WorkerPool, WorkerProcess
from kozyr.agents.play.pages import score
from kozyr.agents.play.pages.opponents import advisers
from kozyr.agents.play.pages.pages import NewTable
from kozyr.agents.play.pages.score import FinishedGame
from kozyr.agents.play.pages.table_config import TableConfig, Times, deal
from kozyr.agents.play.server.store import PATIENCE, BusyError, Store, StoredTable
from kozyr.agents.play.session.connections import BROKEN, Connection
from kozyr.agents.play.session.spectator import SpectatedTable
from kozyr.agents.play.session.table_session import Hooks, TableSession
from kozyr.agents.play.session.tokens import Tokens, address
from kozyr.envs.core.game import Game
from kozyr.envs.core.labels import phrase
from kozyr.envs.core.state import OVER
from kozyr.envs.table import record, record_format

ANALYST = "pimc"  # of finished games: it plays every game, and tells values
_IDLE = 300.0  # seconds after which a table at which nobody sits leaves the memory
_SWEEP = 30.0
_MOST_HINTS = 256  # variants whose advisers are remembered
_AGAIN = 0.05  # seconds after which a write is tried again
_SLOW = 60.0  # seconds that a worker without compiled code may take
_log = logging.getLogger(__name__)


class Ratings(NamedTuple):
    """Ratings of one game.

    Attributes:
        games: finished games of all kinds that they come from; by_name: a player's rating.
        until: the time, by `time.monotonic`, before which they are not computed again.
    """

    games: int
    by_name: dict[str, float]
    until: float


_NO_RATINGS = Ratings(0, {}, 0.0)
_SELDOM = 50.0  # times as long as ratings take to be computed they stand at least


class TablesRegistry:
    """All tables of one server.

    Args:
        folder: of the store; None: in memory, until the end.
        allow: agents that the host named, as files and classes, beside the games' own.

    Raises:
        ValueError: if another server uses the folder, or what it keeps is damaged.
    """

    def __init__(self, folder: Path | None = None, allow: Sequence[str] = ()) -> None:
        self.store, self.allow = Store(folder), tuple(allow)
        self.workers, self.precompiler = WorkerPool(), Precompiler(self._call_home)
        self._sessions = dict[str, TableSession]()
        self._hints = dict[tuple[str, Any], list[str]]()
        self._opening = asyncio.Lock()
        self._outbox: list[tuple[Connection, bytes]] = []
        self._results: list[tuple[int, FinishedGame]] = []  # of games whose end is not on disk yet
        self._busy_since = 0.0  # by the loop's clock
        self._sweeping: asyncio.Task[None] | None = None
        self._finished = [_finished_game(*one[:2]) for one in self.store.finished() if not one.helped]
        self._ratings, self._rating = dict[str, Ratings](), asyncio.Lock()
        self._hooks = Hooks(self.store, self.post, self.next_game, self.branch, self.ratings, self.ended, self.forget)

    async def start(self) -> None:
        """Begin to close tables that nobody uses, and prepare for games whose code is not compiled."""
        self.precompiler.begin()
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Write all, and forget all tables."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        self._flush()
        self.store.close()
        await self.workers.close()
        await self.precompiler.close()

    # Tables

    async def open(self, config: TableConfig) -> NewTable:
        """Open a table.

        Raises:
            ValueError: for a config that makes none, saying what is wrong.
        """
        await asyncio.to_thread(config.check, self.allow)
        session = await self._new(config)
        tokens = session.tokens
        return NewTable(session.id, tokens.host or "", tokens.watch or "", tokens.seats(config))

    async def _new(self, config: TableConfig, actions: Sequence[int] = ()) -> TableSession:
        """Deal at a new table; a game that does not begin with its first action does not count."""
        game, variant = config.variant()
        remote = await self._remote(game, variant)
        id_, tokens = secrets.token_urlsafe(9), Tokens.new(config)
        line: str
        if remote is None:
            line = deal(id_, config, actions)
        else:
            line = await remote.call(_SLOW, game, "deal", id_, config, actions)
        number = self.store.add(id_, config, line, tokens.hashes)
        if actions:
            self.store.help(number)
        return await self._begin(id_, number, config, line, tokens, helped=bool(actions), remote=remote)

    async def _remote(self, game: Game, variant: Any) -> WorkerProcess | None:
        """Return the worker for tables of a game whose code is not compiled yet, or None."""
        return None if await self.precompiler.ready(game, variant) else self.precompiler.uncompiled

    async def _begin(
        self,
        id_: str,
        number: int,
        config: TableConfig,
        line: str,
        tokens: Tokens,
        helped: bool,
        remote: WorkerProcess | None,
    ) -> TableSession:
        """Begin the session of a table from its record."""
        host = TableHost(id_, line, config, self.workers, remote)
        hints = await self._advisers(config)
        kind = TableSession if any(config.people()) else SpectatedTable
        session = kind(self._hooks, id_, number, tokens, config, host, await host.state([]), hints, helped, ANALYST)
        self._sessions[id_] = session
        if remote is not None and self.precompiler.loaded(session.variant):  # in the meantime
            await session.come_home()
        return session

    async def _advisers(self, config: TableConfig) -> list[str]:
        """Return the agents that may be asked for a hint; a thread looks for them once."""
        game, variant = config.variant()
        key = game.id, variant
        if key not in self._hints:
            if len(self._hints) >= _MOST_HINTS:
                self._hints.clear()
            self._hints[key] = await asyncio.to_thread(advisers, game, variant)
        return self._hints[key]

    async def find(self, id_: str) -> TableSession | None:
        """Return a table, from its record if it has left the memory, or None.

        Raises:
            BusyError: if its last moves wait to be written, and another program holds the file.
        """
        if (session := self._sessions.get(id_)) is not None:
            return session
        async with self._opening:
            if (session := self._sessions.get(id_)) is not None:
                return session
            try:
                return await self._restore(id_)
            except BusyError:
                raise
            except ValueError as error:
                _log.warning("table %s cannot be opened again: %s", id_, error)
                return None

    async def _restore(self, id_: str) -> TableSession | None:
        """Return a table from the store, or None.

        Raises:
            ValueError: if it is damaged, or the table has an agent that the host has not named this time.
        """
        stored = self.store.find(id_)
        if stored is None:
            return None
        game, variant = stored.config.variant()
        stored.config.require_sound(self.allow)
        remote = await self._remote(game, variant)
        tokens, line = Tokens(stored.tokens), _line(stored)
        return await self._begin(id_, stored.number, stored.config, line, tokens, stored.helped, remote)

    async def _call_home(self) -> None:
        """Let the tables whose code has come be held here."""
        for session in list(self._sessions.values()):
            if self.precompiler.loaded(session.variant):
                await session.come_home()

    async def next_game(self, session: TableSession, how: str) -> dict[Connection, str]:
        """Return the address of the next game for each client; the first call says how: again, swap or duplicate."""
        if session.following is None:
            session.following = await self._follow(session, how), int(how != "again")
        following, shift = session.following
        tokens, seats = following.tokens, len(following.config.seats)
        secret = tokens.seats(following.config)
        addresses = dict[Connection, str]()
        for connection, one in session.connections.participants.items():
            token = secret[(one.seat + shift) % seats] if one.seat is not None else tokens.watch
            addresses[connection] = address(following.id, (tokens.host if one.host else token) or "")
        return addresses

    async def _follow(self, session: TableSession, how: str) -> TableSession:
        """Deal the next game of the same people."""
        config = session.config if how == "again" else session.config.rotated()
        seed, starter = None, None
        if how == "duplicate":
            last = record.read(session.state.record or "", verify=False)
            seed, starter = last.seed, last.starter
        return await self._new(config.with_deal(seed, starter))

    async def branch(self, session: TableSession, seat: int | None, ply: int) -> str:
        """Return the address of a table that goes on from an earlier position of a finished game, for one person.

        Args:
            session: of the game.
            seat: of the person; None: that which was to move.
            ply: of the position.

        Raises:
            ValueError: if the game has no such decision.
        """
        last = record.read(session.state.record or "", verify=False)
        decision = next((one for one in await session.host.decisions() if one.ply == ply), None)
        if decision is None:
            raise ValueError(f"nobody had a choice after {ply} actions of this game")
        config = session.config.branch(last, ply, decision.seat if seat is None else seat)
        following = await self._new(config, last.actions[:ply])
        return address(following.id, following.tokens.host or "")

    async def ratings(self, game: str) -> dict[str, float]:
        """Return the rating of everybody who has played a game here that counts; newest games may be missing.

        Ratings that take long are computed seldom, so that a thread is at work for a small share of the time.
        """
        name = game.rpartition("_v")[0] or game
        async with self._rating:
            known = self._ratings.get(name, _NO_RATINGS)
            if known.games != len(self._finished) and time.monotonic() >= known.until:
                known = self._ratings[name] = await asyncio.to_thread(_rate, name, tuple(self._finished))
        return known.by_name

    # Storage and messages

    def post(self, to: Connection, message: bytes) -> None:
        """Send a message once everything stored before it is on disk."""
        self._flush_soon()
        self._outbox.append((to, message))

    def _flush_soon(self) -> None:
        """Let all that comes until then be written at once, unless that is due already."""
        if not (self._outbox or self._results):
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        """Write the moves of all tables at once, and send the messages that follow from them.

        Where another program holds the file it is tried again, and others play on as far as they have moved. A write
        that fails concerns the tables that were in it: their clients are told, and the next one begins from the disk.
        """
        failed = set[int]()
        try:
            self.store.flush()
        except BusyError as error:
            loop = asyncio.get_running_loop()
            self._busy_since = self._busy_since or loop.time()
            if loop.time() - self._busy_since < PATIENCE:
                loop.call_later(_AGAIN, self._flush)
                return
            failed = self._give_up(error)
        except Exception as error:
            failed = self._give_up(error)
        self._busy_since = 0.0
        outbox, self._outbox = self._outbox, []
        results, self._results = self._results, []
        self._finished += [result for number, result in results if number not in failed]
        for to, message in outbox:
            to.tell(message)

    def _give_up(self, error: Exception) -> set[int]:
        """Close the tables whose moves could not be written, and return their numbers: these moves did not happen."""
        failed = self.store.waiting
        self.store.discard()
        _log.error("%d tables cannot be written, and are closed: %s", len(failed), error)
        for session in [one for one in self._sessions.values() if one.number in failed]:
            session.close(BROKEN)
            del self._sessions[session.id]
        return failed

    def ended(self, session: TableSession, payoffs: Sequence[float]) -> None:
        """Note the payoffs of a game that is over, once that is on disk."""
        if not session.helped:
            self._flush_soon()
            self._results.append((session.number, _finished_game(session.config, payoffs)))

    def forget(self, session: TableSession) -> None:
        """Close a table; it is made anew from its record when somebody comes."""
        if self._sessions.get(session.id) is session:
            session.close()
            del self._sessions[session.id]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP)
            before = time.monotonic() - _IDLE
            for session in list(self._sessions.values()):
                if session.idle_since < before:
                    self.forget(session)

    # For the pages

    async def make(self, game: Game, parts: Mapping[str, Any], names: Sequence[str]) -> NewTable:
        """Open the table of a form.

        Args:
            game: of the table; parts: of its configuration, see `kozyr.agents.play.pages.forms`; names: of the seats.
        """
        clock = parts["clock"]
        times = None if clock is None else Times(clock.move, clock.game, clock.increment)
        config = TableConfig(
            game=game.id,
            options=dict(parts["options"]),
            seats=list(parts["seats"]),
            names=list(names),
            clock=times,
            seed=parts["seed"],
            sees=parts["sees"],
        )
        return await self.open(config)

    async def say(self, table: str, token: str) -> dict[str, Any] | None:
        """Return `game`, `title`, `names`, `over` and the phrase `says` of a table whose token is known, or None."""
        try:
            stored = self.store.find(table)
            if stored is None or (place := Tokens(stored.tokens).find(token)) is None:
                return None
            game, variant = stored.config.variant()
        except ValueError:  # it is told when somebody wants to sit down
            return None
        over = stored.record is not None
        session = self._sessions.get(table)
        says = phrase("over") if over else phrase("in progress")
        if session is not None and not over and session.state.turn != OVER:
            mine, name = place[0] == session.state.turn, stored.config.names[session.state.turn]
            says = phrase("your move") if mine else phrase("waits for {0}", name)
        title, names = game.name_of(variant), stored.config.names
        return {"game": game.name, "title": title, "names": names, "over": over, "says": says}

    async def finished_games(self) -> Sequence[FinishedGame]:
        """Return the games that were finished without help, in their order."""
        return self._finished


def _rate(game: str, finished: Sequence[FinishedGame]) -> Ratings:
    """Return the ratings of a game."""
    began, by_name = time.monotonic(), dict[str, float]()
    with suppress(ImportError):  # openskill is not installed: nobody has a rating
        by_name = {one.name: one.mu for one in score.ratings([one for one in finished if one.game == game])}
    now = time.monotonic()
    return Ratings(len(finished), by_name, now + _SELDOM * (now - began))


def _finished_game(config: TableConfig, payoffs: Sequence[float]) -> FinishedGame:
    name = config.game.rpartition("_v")[0] or config.game
    return FinishedGame(name, tuple(config.names), tuple(payoffs), tuple(config.people()))


def _line(stored: StoredTable) -> str:
    """Return the record of a table with its moves."""
    if stored.record is not None:
        return stored.record
    start = replace(record_format.parse(stored.deal), agents=list(stored.config.names))
    start.actions.extend(action for action, _ in stored.moves)
    lefts = [left for _, left in stored.moves if left is not None]
    return record_format.write(replace(start, left=lefts[-1]) if lefts else start)
