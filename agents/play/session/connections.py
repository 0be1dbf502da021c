"""Connections of one table: sockets with queues of their own, who sits or watches, and the state each client has."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kozyr.agents.play.session import messages
from kozyr.agents.play.session.host_protocol import TableState
from kozyr.agents.play.session.messages import SceneChange, State
from kozyr.envs.pictures import render_svg

Send = Callable[[dict[str, Any]], Awaitable[None]]
MOST_WAITING = 256  # messages, and
MOST_BYTES = 4 << 20  # their bytes, that a slow reader may leave
BURST, RATE = 60.0, 40.0  # messages at once, and a second, that a client may send beside its legal moves
MALFORMED, FORBIDDEN, UNKNOWN, SLOW, TAKEN, TOO_MANY = 4400, 4403, 4404, 4408, 4409, 4429  # codes of PROTOCOL.md
GOING_AWAY, BROKEN = 1001, 1011
_GRACE = 1.0  # seconds in which a reader too slow may still receive its code


class Connection:
    """A client's socket: messages wait in a queue of their own until it takes them, and nobody waits for a slow one.

    Args:
        send: the socket's ASGI function.
        rate: messages a second that it may send; None: as many as it likes.

    Attributes:
        automatic: whether a program sits there.
    """

    automatic = False

    def __init__(self, send: Send, rate: float | None = RATE) -> None:
        self._send, self._rate = send, rate
        self._queue = deque[bytes | int]()  # a number closes
        self._bytes = 0
        self._more = asyncio.Event()
        self._writer: asyncio.Task[Any] | None = None
        self._allowance, self._checked = BURST, time.monotonic()
        self.closed = False

    def tell(self, message: bytes) -> None:
        """Send a message when the socket takes it; a reader too slow is dropped."""
        if self.closed:
            return
        self._bytes += len(message)
        if len(self._queue) >= MOST_WAITING or self._bytes > MOST_BYTES:
            self._queue.clear()
            self.close(SLOW)
            if self._writer is not None:  # it may wait for ever for a socket that takes nothing, not even the code
                asyncio.get_running_loop().call_later(_GRACE, self._writer.cancel)
            return
        self._queue.append(message)
        self._more.set()

    def close(self, code: int) -> None:
        """Close after the messages that wait."""
        if not self.closed:
            self.closed = True
            self._queue.append(code)
            self._more.set()

    def allowed(self) -> bool:
        """Return True if one more message is allowed now."""
        if self._rate is None:
            return True
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + max(0.0, now - self._checked) * self._rate)
        self._checked = now
        self._allowance -= 1
        return self._allowance >= 0

    def forgive(self) -> None:
        """Take the last message out of the count: nobody can flood a table with the moves that it waits for."""
        self._allowance += 1

    async def run(self) -> None:
        """Send the messages that wait until the socket is closed."""
        self._writer = asyncio.current_task()
        while True:
            while self._queue:
                one = self._queue.popleft()
                if isinstance(one, int):
                    await self._send({"type": "websocket.close", "code": one})
                    return
                self._bytes -= len(one)
                await self._send({"type": "websocket.send", "text": one.decode()})
            self._more.clear()
            await self._more.wait()


@dataclass(frozen=True, eq=False)
class Participant:
    """A client at the table.

    Attributes:
        connection: the socket; seat: the client's own seat, or None; host: whether the table is the client's.
        sees: the seat, SEES_ALL or SEES_PUBLIC.
    """

    connection: Connection
    seat: int | None
    host: bool
    sees: int


class ViewGroup:
    """Connections that see the same, as one seat or spectators, so that all of them are sent the same bytes.

    Attributes:
        sees: the seat, SEES_ALL or SEES_PUBLIC; numbers: of the newest state that each connection has.
    """

    def __init__(self, sees: int) -> None:
        self.sees = sees
        self.numbers = dict[Connection, int]()
        self._number = 0  # of the newest state, whose scene has these rows
        self._rows: NDArray[np.int32] | None = None

    def update(self, state: State, rows: NDArray[np.int32]) -> list[tuple[Connection, bytes]]:
        """Return the message for each connection: a state whose scene has these rows, as a change where that is enough.

        A connection that has another state than the others is sent the whole scene.
        """
        before, self._number = self._number, self._number + 1
        scene = SceneChange(before, len(rows), render_svg.difference(self._rows, rows))
        self._rows = rows
        change = messages.write(msgspec.structs.replace(state, number=self._number, scene=scene))
        outgoing = list[tuple[Connection, bytes]]()
        for connection, number in self.numbers.items():
            outgoing.append((connection, change if number == before else self._whole(state, rows)))
            self.numbers[connection] = self._number
        return outgoing

    def leave(self, connection: Connection) -> int:
        """Remove a connection, and return the number that remains."""
        self.numbers.pop(connection, None)
        return len(self.numbers)

    def greet(self, connection: Connection, state: State, rows: NDArray[np.int32]) -> bytes:
        """Return the first state of a new connection."""
        if not self.numbers:
            self._number, self._rows = self._number + 1, rows
        self.numbers[connection] = self._number
        return self._whole(state, rows)

    def _whole(self, state: State, rows: NDArray[np.int32]) -> bytes:
        scene = SceneChange(0, len(rows), render_svg.difference(None, rows))
        return messages.write(msgspec.structs.replace(state, number=self._number, scene=scene))


class Connections:
    """All clients of a table.

    Args:
        post: sends a message once everything stored before it is on disk.
        people: for each seat, whether a person takes it.
    """

    def __init__(self, post: Callable[[Connection, bytes], None], people: Sequence[bool]) -> None:
        self._post = post
        self.participants = dict[Connection, Participant]()
        self._groups = dict[int, ViewGroup]()
        self._seats: list[Connection | None] = [None] * len(people)
        self._arrived = [not person for person in people]

    @property
    def sides(self) -> list[int]:
        """The views of those who are here: seats, SEES_ALL, SEES_PUBLIC."""
        return list(self._groups)

    @property
    def complete(self) -> bool:
        """True while somebody is here, once everybody has been."""
        return bool(self.participants) and all(self._arrived)

    def enter(self, participant: Participant) -> None:
        """Let a client in; a seat goes to the window that came last."""
        if participant.seat is not None:
            before = self._seats[participant.seat]
            self._seats[participant.seat], self._arrived[participant.seat] = participant.connection, True
            if before is not None:
                before.close(TAKEN)
                self._remove(before)
        self.participants[participant.connection] = participant
        self._groups.setdefault(participant.sees, ViewGroup(participant.sees))

    def leave(self, connection: Connection) -> None:
        """Let a client go."""
        participant = self.participants.get(connection)
        if participant is not None:
            if participant.seat is not None and self._seats[participant.seat] is connection:
                self._seats[participant.seat] = None
            self._remove(connection)
            self.announce()

    def _remove(self, connection: Connection) -> None:
        participant = self.participants.pop(connection, None)
        if participant is not None and not self._groups[participant.sees].leave(connection):
            del self._groups[participant.sees]

    def close(self, code: int) -> None:
        """Close all sockets with a code that says why."""
        for connection in list(self.participants):
            connection.close(code)

    def tell(self, connection: Connection, message: Any) -> None:
        """Send a client a message."""
        self._post(connection, messages.write(message))

    def announce(self) -> None:
        """Tell every client who is connected."""
        here = [connection is not None for connection in self._seats]
        watchers = sum(one.seat is None for one in self.participants.values())
        message = messages.write(messages.People(here, watchers))
        for connection in self.participants:
            self._post(connection, message)

    def greet(self, participant: Participant, state: State, table: TableState) -> None:
        """Show a client that has just come how the table stands."""
        connection, group = participant.connection, self._groups[participant.sees]
        self._post(connection, group.greet(connection, state, table.views[participant.sees].rows))

    def show(self, table: TableState, state: Callable[[TableState, int], State]) -> None:
        """Show every client a position.

        Args:
            table: the position, as `sides` see it.
            state: returns the message for a side, its scene left out.
        """
        for sees, group in self._groups.items():
            if sees in table.views:
                for connection, message in group.update(state(table, sees), table.views[sees].rows):
                    self._post(connection, message)
