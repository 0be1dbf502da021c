"""One socket: messages wait in a queue of their own until it takes them, and nobody waits for a slow one."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

Send = Callable[[dict[str, Any]], Awaitable[None]]
MOST_WAITING = 256  # messages, and
MOST_BYTES = 4 << 20  # their bytes, that a slow reader may leave
BURST, RATE = 60.0, 40.0  # messages at once, and a second, that a client may send beside its legal moves
MALFORMED, FORBIDDEN, UNKNOWN, SLOW, TAKEN, TOO_MANY = 4400, 4403, 4404, 4408, 4409, 4429  # codes of PROTOCOL.md
GOING_AWAY, BROKEN = 1001, 1011
_GRACE = 1.0  # seconds that a reader too slow has to be told so


class Link:
    """A client that is connected.

    Args:
        send: the socket's ASGI function.
        rate: messages a second that it may send; None: as many as it likes.
    """

    def __init__(self, send: Send, rate: float | None = RATE) -> None:
        self._send, self._rate = send, rate
        self._queue = deque[bytes | int]()  # a number closes
        self._bytes = 0
        self._more = asyncio.Event()
        self._writer: asyncio.Task[Any] | None = None
        self._allowance, self._seen = BURST, time.monotonic()
        self.closed = False
        self.number = 0  # of the state it was sent last

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
        """Close after what was said before."""
        if not self.closed:
            self.closed = True
            self._queue.append(code)
            self._more.set()

    def allowed(self) -> bool:
        """Tell whether one more message is allowed now."""
        if self._rate is None:
            return True
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + (now - self._seen) * self._rate)
        self._seen = now
        self._allowance -= 1
        return self._allowance >= 0

    def forgive(self) -> None:
        """Count the last message not: it was a move that the table waited for, which nobody can flood it with."""
        self._allowance += 1

    async def run(self) -> None:
        """Send what waits until the socket is closed."""
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
