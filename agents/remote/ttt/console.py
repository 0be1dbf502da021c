"""Console of the server, with the course's numbers: a command a line on standard input."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

from kozyr import envs
from kozyr.agents.remote.ttt.server import GAME, Entrant, Server
from kozyr.envs.core.rng import spread

_MENU = "1 players, 2 password, 3 board, 4 start a game, 0 exit"


class Console:
    """Read commands and carry them out.

    Args:
        server: to be run; tell: called with each line to print; read: returns the next line, "" at the end.
    """

    def __init__(
        self, server: Server, tell: Callable[[str], None], read: Callable[[], str] = sys.stdin.readline
    ) -> None:
        self._server, self._tell, self._read = server, tell, read
        self._lines = asyncio.Queue[str]()
        self._games = 0

    async def run(self) -> None:
        """Go on until 0 or the end of the input."""
        Thread(target=self._read_on, args=(asyncio.get_running_loop(),), daemon=True).start()
        does = {"1": self._list, "2": self._password, "3": self._board, "4": self._start}
        while True:
            command = await self._line(_MENU)
            if command in ("0", None):
                return
            if command not in does:
                self._tell(f"{command!r} is no command")
                continue
            await does[command]()

    async def _line(self, prompt: str) -> str | None:
        """Ask for a line; None at the end of the input."""
        self._tell(prompt)
        line = await self._lines.get()
        return line.strip() if line else None

    def _read_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines in a thread that nobody waits for: Ctrl-C ends the server all the same."""
        line = "?"
        while line and not loop.is_closed():
            line = self._read()
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(self._lines.put_nowait, line)

    async def _number(self, prompt: str, least: int, most: int) -> int | None:
        """Ask for a number until it fits; None at the end of the input."""
        while True:
            line = await self._line(f"{prompt} ({least} to {most})")
            if line is None:
                return None
            if line.isdecimal() and len(line) < 6 and least <= int(line) <= most:
                return int(line)
            self._tell(f"{line!r} is not from {least} to {most}")

    def _entrants(self) -> list[Entrant]:
        return [*(Entrant(one.name, one) for one in self._server.hub.players), *self._server.ours]

    async def _list(self) -> None:
        """List the players."""
        for number, one in enumerate(self._entrants(), 1):
            self._tell(f"{number} {one.name}{'' if one.client else ' (ours)'}")
        self._tell(f"{len(self._server.hub.observers)} watch")

    async def _password(self) -> None:
        """Set the password of those who come from now on."""
        self._server.hub.set_password(await self._line("the new password; an empty line: none") or "")

    async def _board(self) -> None:
        """Set the board of the next games."""
        most = envs.game(GAME).fields["m"].high
        width = await self._number("columns", 2, int(most))
        height = width and await self._number("rows", 2, int(most))
        length = width and height and await self._number("in a row", 2, min(width, height))
        if width and height and length:
            try:
                self._server.set_board(self._server.plan.variant._replace(m=height, n=width, k=length))
            except ValueError as error:
                self._tell(f"the board stays as it was: {error}")

    async def _start(self) -> None:
        """Play a game between two of those who can."""
        entrants = self._entrants()
        if len(entrants) < 2:
            self._tell("two are needed for a game")
            return
        await self._list()
        x = await self._number("who plays X; 0: nobody", 0, len(entrants))
        if not x:
            return
        rest = [one for one in range(1, len(entrants) + 1) if one != x]
        o = rest[0] if len(rest) == 1 else await self._number("who plays O; 0: nobody", 0, len(entrants))
        if not o or o == x:
            return
        self._games += 1
        await self._server.play_one(entrants[x - 1], entrants[o - 1], spread(self._server.plan.seed, self._games))
