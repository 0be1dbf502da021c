"""Programs of other people in a seat: protocol "kozyr" over a WebSocket, see docs/howto/process.md."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from kozyr.agents.play.session import connections, messages
from kozyr.agents.play.session.connections import RATE, Connection, Send
from kozyr.agents.play.session.host_protocol import ProgramRequest
from kozyr.agents.play.session.table_session import TableSession
from kozyr.agents.programs import messages as protocol


class ProgramConnection(Connection):
    """A program's socket: the table's messages to people stay here, and are read instead of sent."""

    automatic = True

    def __init__(self, send: Send, rate: float | None = RATE) -> None:
        super().__init__(send, rate)
        self.table_messages = asyncio.Queue[dict[str, Any]]()

    def tell(self, message: bytes) -> None:
        """Note a message of the table."""
        if not self.closed:
            self.table_messages.put_nowait(msgspec.json.decode(message))

    def send_line(self, line: str) -> None:
        """Send the program a message."""
        super().tell(line.encode())


class ProgramClient:
    """A program at a table.

    Args:
        find: returns the session of a table, or None.
        connection: the program's socket.
    """

    def __init__(self, find: Callable[[str], Awaitable[TableSession | None]], connection: ProgramConnection) -> None:
        self._find, self._connection = find, connection
        self._session: TableSession | None = None
        self._seat, self._wants = -1, frozenset[str]()
        self._events, self._number = 0, 0  # events that the program knows, and its newest question
        self._question_ply = -1  # ply of the question that waits for an answer
        self._forwarding: asyncio.Task[None] | None = None

    async def come(self, table: str) -> bool:
        """Say hello for a table, or close the socket."""
        session = await self._find(table)
        if session is None:
            self._connection.close(connections.UNKNOWN)
            return False
        self._connection.send_line(await session.program_hello())
        self._session = session
        return True

    async def greet(self, line: str) -> bool:
        """Take the program's hello, which holds its token; a program without one, or without a seat, has to go."""
        hello = protocol.read(line)
        try:
            self._wants = protocol.wanted_parts(hello)
        except ValueError as error:
            self._complain(str(error))
            self._connection.close(connections.MALFORMED)
            return False
        token = (hello or {}).get("token")
        if self._session is None or not isinstance(token, str) or not await self._sit(self._session, token):
            self._connection.close(connections.FORBIDDEN)
            return False
        self._forwarding = asyncio.create_task(self._forward())
        return True

    async def _sit(self, session: TableSession, token: str) -> bool:
        """Take the seat of a token."""
        place = session.tokens.find(token)
        if place is None or place[0] is None:
            return False
        self._seat, self._events, self._question_ply = place[0], 0, -1
        self._connection.send_line(protocol.reset(self._seat, 0))
        self._session = session
        return await session.sit(self._connection, token)

    async def hear(self, line: str) -> None:
        """Play a program's answer, or send it the reason why not."""
        answer = protocol.read(line)
        if answer is not None and answer.get("type") == "resign" and self._session is not None:
            await self._session.hear(self._connection, messages.Resign())
            return
        action: Any = None if answer is None else answer.get("action")
        if answer is None or answer.get("type") != "move" or type(action) is not int:
            self._complain(f'write {{"type":"move","id":{self._number},"action":A}}')
        elif answer.get("id") != self._number or self._question_ply < 0:
            self._complain(f"question {answer.get('id')!r} waits for no answer")
        elif self._session is not None:
            ply, self._question_ply = self._question_ply, -1
            await self._session.hear(self._connection, messages.Play(ply, action))

    async def leave(self) -> None:
        """Leave the table."""
        if self._forwarding is not None:
            self._forwarding.cancel()
            await asyncio.gather(self._forwarding, return_exceptions=True)
        if self._session is not None:
            self._session.leave(self._connection)

    async def _forward(self) -> None:
        """Tell the program the events of its table, and of those that follow."""
        while True:
            message = await self._connection.table_messages.get()
            if message["t"] == "state":
                await self._send_news()
            elif message["t"] == "refused":
                self._complain(message["why"])
                self._question_ply = -1
                await self._send_news()
            elif message["t"] == "moved":
                await self._follow(message["to"])

    async def _send_news(self) -> None:
        """Send the new messages; while a question waits, no other is put."""
        session = self._session
        if session is None:
            return
        ply = session.ply
        number = self._number + 1 if self._question_ply < 0 or ply != self._question_ply else 0
        news = await session.program_news(ProgramRequest(self._seat, self._wants, self._events, number))
        self._events = news.events
        if news.question:
            self._number, self._question_ply = number, news.ply
        for line in news.lines:
            self._connection.send_line(line)

    async def _follow(self, address: str) -> None:
        """Sit down at the next game."""
        table, _, token = address.rpartition("/")[2].partition("#")
        before, session = self._session, await self._find(table)
        if before is not None:
            before.leave(self._connection)
        if session is None or not await self._sit(session, token):
            self._connection.close(connections.GOING_AWAY)

    def _complain(self, why: str) -> None:
        self._connection.send_line(protocol.encode({"type": "error", "why": why}))
