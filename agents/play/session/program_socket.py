"""A program of somebody else in a seat: protocol "kozyr" over a WebSocket, see docs/howto/process.md."""

import asyncio
from typing import Any

import msgspec

from kozyr.agents.play.server.tables_registry import House
from kozyr.agents.play.session import link as links
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.link import RATE, Link, Send
from kozyr.agents.play.session.program_protocol import Asked, News
from kozyr.agents.play.session.table_session import Room
from kozyr.agents.programs import messages as told


class ProgramLink(Link):
    """A program's socket: what the table tells its people is looked at here, and not sent."""

    def __init__(self, send: Send, rate: float | None = RATE) -> None:
        super().__init__(send, rate)
        self.signs = asyncio.Queue[dict[str, Any]]()

    def tell(self, message: bytes) -> None:
        """Note what has happened."""
        if not self.closed:
            self.signs.put_nowait(msgspec.json.decode(message))

    def say(self, line: str) -> None:
        """Send the program a message."""
        super().tell(line.encode())


class Program:
    """A program at a table.

    Args:
        house: where the tables are.
        link: its socket.
    """

    def __init__(self, house: House, link: ProgramLink) -> None:
        self._house, self._link = house, link
        self._room: Room | None = None
        self._seat, self._wants = -1, frozenset[str]()
        self._heard, self._number = 0, 0
        self._asked = -1  # ply of the question that waits for an answer
        self._teller: asyncio.Task[None] | None = None

    async def come(self, table: str) -> bool:
        """Say hello for a table, or close the socket."""
        room = await self._house.room(table)
        if room is None:
            self._link.close(links.UNKNOWN)
            return False
        self._link.say(await room.told("hello"))
        self._room = room
        return True

    async def greet(self, line: str) -> bool:
        """Take the program's hello, in which its token stands; who has none, or no seat, has to go."""
        said = told.read(line)
        try:
            self._wants = told.wanted(said)
        except ValueError as error:
            self._complain(str(error))
            self._link.close(links.MALFORMED)
            return False
        token = (said or {}).get("token")
        if self._room is None or not isinstance(token, str) or not await self._sit(self._room, token):
            self._link.close(links.FORBIDDEN)
            return False
        self._teller = asyncio.create_task(self._tell())
        return True

    async def _sit(self, room: Room, token: str) -> bool:
        """Take the seat of a token."""
        found = room.tokens.find(token)
        if found is None or found[0] is None:
            return False
        self._seat, self._heard, self._asked = found[0], 0, -1
        self._link.say(told.reset(self._seat, 0))
        self._room = room
        return await room.sit(self._link, token)

    async def hear(self, line: str) -> None:
        """Play what a program answers, or tell it what is wrong."""
        said = told.read(line)
        if said is not None and said.get("type") == "resign" and self._room is not None:
            await self._room.hear(self._link, messages.Resign())
            return
        action: Any = None if said is None else said.get("action")
        if said is None or said.get("type") != "move" or type(action) is not int:
            self._complain(f'write {{"type":"move","id":{self._number},"action":A}}')
        elif said.get("id") != self._number or self._asked < 0:
            self._complain(f"question {said.get('id')!r} waits for no answer")
        elif self._room is not None:
            ply, self._asked = self._asked, -1
            await self._room.hear(self._link, messages.Play(ply, action))

    async def leave(self) -> None:
        """Go."""
        if self._teller is not None:
            self._teller.cancel()
            await asyncio.gather(self._teller, return_exceptions=True)
        if self._room is not None:
            self._room.leave(self._link)

    async def _tell(self) -> None:
        """Tell the program what happens at its table, and at those that follow."""
        while True:
            sign = await self._link.signs.get()
            if sign["t"] == "state":
                await self._tell_news()
            elif sign["t"] == "refused":
                self._complain(sign["why"])
                self._asked = -1
                await self._tell_news()
            elif sign["t"] == "moved":
                await self._follow(sign["to"])

    async def _tell_news(self) -> None:
        """Tell what is new; while a question waits, no other is put."""
        room = self._room
        if room is None:
            return
        ply = room.ply
        number = self._number + 1 if self._asked < 0 or ply != self._asked else 0
        found: News = await room.told("news", Asked(self._seat, self._wants, self._heard, number))
        self._heard = found.heard
        if found.asked:
            self._number, self._asked = number, found.ply
        for line in found.lines:
            self._link.say(line)

    async def _follow(self, address: str) -> None:
        """Sit down where the next game is."""
        table, _, token = address.rpartition("/")[2].partition("#")
        before, room = self._room, await self._house.room(table)
        if before is not None:
            before.leave(self._link)
        if room is None or not await self._sit(room, token):
            self._link.close(links.GOING_AWAY)

    def _complain(self, why: str) -> None:
        self._link.say(told.written({"type": "error", "why": why}))
