"""The house: it opens tables, finds them, keeps them, and closes those at which nobody sits."""

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kozyr.agents.play.host.precompile import Warmth
from kozyr.agents.play.host.table_host import Engine
from kozyr.agents.play.host.worker_pool import Crew, Hand
from kozyr.agents.play.pages.opponents import advisers
from kozyr.agents.play.pages.pages import Made
from kozyr.agents.play.pages.score import Played
from kozyr.agents.play.pages.table_config import Setup, Times, dealt
from kozyr.agents.play.server.store import Kept, Store
from kozyr.agents.play.session import link as links
from kozyr.agents.play.session.link import Link
from kozyr.agents.play.session.spectator import Watched
from kozyr.agents.play.session.table_session import Room
from kozyr.agents.play.session.tokens import Tokens, address
from kozyr.envs.core.game import Game
from kozyr.envs.core.state import OVER
from kozyr.envs.table import notation, record

_IDLE = 300.0  # seconds after which a table at which nobody sits leaves the memory
_SWEEP = 30.0
_MOST_HINTS = 256  # variants whose advisers are remembered
_SLOW = 60.0  # seconds that a worker without compiled code may take
_log = logging.getLogger(__name__)


class House:
    """All tables of one server.

    Args:
        folder: where they are kept; None: in memory, until the end.
        allow: agents that the host named, as files and classes, beside the games' own.

    Raises:
        ValueError: if another server uses the folder, or what it keeps is damaged.
    """

    def __init__(self, folder: Path | None = None, allow: Sequence[str] = ()) -> None:
        self.store, self.allow = Store(folder), tuple(allow)
        self.crew, self.warmth = Crew(), Warmth(self._call_home)
        self._rooms = dict[str, Room]()
        self._hints = dict[tuple[str, Any], list[str]]()
        self._opening = asyncio.Lock()
        self._outbox: list[tuple[Link, bytes]] = []
        self._sweeping: asyncio.Task[None] | None = None
        self._played = [_played(*one[:2]) for one in self.store.finished() if not one.helped]

    async def start(self) -> None:
        """Begin to close what nobody uses, and be ready for games whose code is not compiled."""
        self.warmth.begin()
        self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Write all, and forget all tables."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for room in self._rooms.values():
            room.close()
        self._rooms.clear()
        self._flush()
        self.store.close()
        await self.crew.close()
        await self.warmth.close()

    # Tables

    async def open(self, setup: Setup) -> Made:
        """Open a table.

        Raises:
            ValueError: for a setup that makes none, saying what is wrong.
        """
        await asyncio.to_thread(setup.check, self.allow)
        room = await self._new(setup)
        tokens = room.tokens
        return Made(room.id, tokens.host or "", tokens.watch or "", tokens.seats(setup))

    async def _new(self, setup: Setup) -> Room:
        """Deal at a new table."""
        game, variant = setup.variant()
        away = None if await self.warmth.has(game, variant) else self.warmth.cold
        id_, tokens = secrets.token_urlsafe(9), Tokens.new(setup)
        deal = dealt(id_, setup) if away is None else await away.call(_SLOW, game, "deal", id_, setup)
        number = self.store.add(id_, setup, deal, tokens.hashes)
        return await self._seat(id_, number, setup, deal, tokens, helped=False, away=away)

    async def _seat(
        self, id_: str, number: int, setup: Setup, line: str, tokens: Tokens, helped: bool, away: Hand | None
    ) -> Room:
        """Make the room of a table from its record."""
        engine = Engine(id_, line, setup, self.crew, away)
        hints = await self._advisers(setup)
        kind = Room if any(setup.people()) else Watched
        room = kind(self, id_, number, tokens, setup, engine, await engine.do("shown", []), hints, helped)
        self._rooms[id_] = room
        if away is not None and self.warmth.loaded(room.variant):  # in the meantime
            await room.come_home()
        return room

    async def _advisers(self, setup: Setup) -> list[str]:
        """Return the agents that may be asked for a hint; a thread looks for them once."""
        game, variant = setup.variant()
        key = game.id, variant
        if key not in self._hints:
            if len(self._hints) >= _MOST_HINTS:
                self._hints.clear()
            self._hints[key] = await asyncio.to_thread(advisers, game, variant)
        return self._hints[key]

    async def room(self, id_: str) -> Room | None:
        """Return a table, from its record if it has left the memory, or None."""
        if (room := self._rooms.get(id_)) is not None:
            return room
        async with self._opening:
            if (room := self._rooms.get(id_)) is not None:
                return room
            try:
                return await self._back(id_)
            except ValueError as error:
                _log.warning("table %s cannot be opened again: %s", id_, error)
                return None

    async def _back(self, id_: str) -> Room | None:
        """Return a table from what is kept of it, or None.

        Raises:
            ValueError: if that is damaged, or the table has an agent that the host has not named this time.
        """
        kept = self.store.find(id_)
        if kept is None:
            return None
        game, variant = kept.setup.variant()
        kept.setup.require_sound(self.allow)
        away = None if await self.warmth.has(game, variant) else self.warmth.cold
        return await self._seat(id_, kept.number, kept.setup, _line(kept), Tokens(kept.tokens), kept.helped, away)

    async def _call_home(self, kind: type) -> None:
        """Let the tables of a game whose code has come be held here."""
        for room in list(self._rooms.values()):
            if isinstance(room.variant, kind):
                await room.come_home()

    async def again(self, room: Room, how: str) -> dict[Link, str]:
        """Return where each goes for the next game; the first who asks says how: again, swap or duplicate."""
        if room.following is None:
            room.following = await self._follow(room, how), int(how != "again")
        following, shift = room.following
        tokens, seats = following.tokens, len(following.setup.seats)
        secret = tokens.seats(following.setup)
        found = dict[Link, str]()
        for link, one in room.company.persons.items():
            token = secret[(one.seat + shift) % seats] if one.seat is not None else tokens.watch
            found[link] = address(following.id, (tokens.host if one.host else token) or "")
        return found

    async def _follow(self, room: Room, how: str) -> Room:
        """Deal the next game of the same people."""
        setup = room.setup if how == "again" else room.setup.turned()
        seed, starter = None, None
        if how == "duplicate":
            kept = record.read(room.now.record or "", verify=False)
            seed, starter = kept.seed, kept.starter
        return await self._new(setup.dealt(seed, starter))

    # What is written and sent

    def post(self, to: Link, message: bytes) -> None:
        """Send a message once all that was kept before is written."""
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outbox.append((to, message))

    def _flush(self) -> None:
        """Write what waits of all tables at once, and send what it led to."""
        outbox, self._outbox = self._outbox, []
        try:
            self.store.flush()
        except Exception:
            _log.exception("the tables cannot be written: those that were played at are closed")
            for to, _ in outbox:
                to.close(links.BROKEN)
            self._rooms.clear()  # what was not kept did not happen
            return
        for to, message in outbox:
            to.tell(message)

    def finished(self, room: Room, payoffs: Sequence[float]) -> None:
        """Hear how a game has ended."""
        if not room.helped:
            self._played.append(_played(room.setup, payoffs))

    def forget(self, room: Room) -> None:
        """Close a table; it is made anew from its record when somebody comes."""
        if self._rooms.get(room.id) is room:
            room.close()
            del self._rooms[room.id]

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP)
            before = time.monotonic() - _IDLE
            for room in list(self._rooms.values()):
                if room.idle_since < before:
                    self.forget(room)

    # What the pages ask

    async def make(self, game: Game, found: Mapping[str, Any], names: Sequence[str]) -> Made:
        """Open the table that a form has found, and of what each seat is called."""
        clock = found["clock"]
        times = None if clock is None else Times(clock.move, clock.game, clock.increment)
        setup = Setup(
            game=game.id,
            options=dict(found["options"]),
            seats=list(found["seats"]),
            names=list(names),
            clock=times,
            seed=found["seed"],
            sees=found["sees"],
        )
        return await self.open(setup)

    async def say(self, table: str, token: str) -> dict[str, Any] | None:
        """Return `title`, `names`, `over` and `says` of a table whose token is known, or None."""
        try:
            kept = self.store.find(table)
            if kept is None or (found := Tokens(kept.tokens).find(token)) is None:
                return None
            game, _ = kept.setup.variant()
        except ValueError:  # it is told when somebody wants to sit down
            return None
        over = kept.record is not None
        room = self._rooms.get(table)
        says = "over" if over else "in progress"
        if room is not None and not over and room.now.turn != OVER:
            says = "your move" if found[0] == room.now.turn else f"waits for {kept.setup.names[room.now.turn]}"
        return {"title": game.title, "names": kept.setup.names, "over": over, "says": says}

    async def played(self) -> Sequence[Played]:
        """Return the games that were finished without help, in their order."""
        return self._played


def _played(setup: Setup, payoffs: Sequence[float]) -> Played:
    name = setup.game.rpartition("_v")[0] or setup.game
    return Played(name, tuple(setup.names), tuple(payoffs), tuple(setup.people()))


def _line(kept: Kept) -> str:
    """Return the record of a table with the moves that are kept."""
    if kept.record is not None:
        return kept.record
    deal = notation.parse(kept.deal)
    deal.actions.extend(action for action, _ in kept.moves)
    lefts = [left for _, left in kept.moves if left is not None]
    return notation.write(replace(deal, left=lefts[-1]) if lefts else deal)
