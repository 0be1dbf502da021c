"""A program at the other end of the wire, as the server has it."""

import asyncio
from contextlib import suppress

from kozyr.agents.remote.uecda import tables as wire


class Client:
    """A program at the other end of the wire.

    Attributes:
        name: what it calls itself; gone: whether it has left, after which it passes for good.
        lost: why it has gone, or ""; refused: how many sets of its were none, or not legal.
    """

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: float) -> None:
        self.name, self.gone, self.lost, self.refused = name, False, "", 0
        self._reader, self._writer, self._limit = reader, writer, limit

    async def send(self, data: bytes) -> None:
        """Send bytes in one piece; who does not take them in time is let go."""
        if self.gone:
            return
        try:
            self._writer.write(data)
            async with asyncio.timeout(self._limit):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            self.leave("takes nothing any more" if isinstance(error, TimeoutError) else "has gone")

    async def receive(self) -> wire.Table | None:
        """Return the table that the client sends, or None if it is late or has gone."""
        if self.gone:
            return None
        try:
            async with asyncio.timeout(self._limit):
                return wire.decode(await self._reader.readexactly(wire.BYTES))
        except TimeoutError:
            self.leave(f"did not answer in {self._limit:g} s")
        except (OSError, asyncio.IncompleteReadError):
            self.leave("has gone")
        return None

    def leave(self, why: str) -> None:
        """Let the client go: it passes from now on."""
        if not self.gone:
            self.gone, self.lost = True, why
            self._writer.close()

    async def close(self) -> None:
        """Close the connection."""
        self.gone = True
        self._writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()
