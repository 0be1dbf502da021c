"""Where the position of a room is: in the server, for what answers at once."""

import asyncio
from collections.abc import Mapping
from typing import Any

from kozyr import agents
from kozyr.agents.human.position import Position
from kozyr.agents.human.sight import Sight
from kozyr.envs.api import record
from kozyr.envs.api.table import Table
from kozyr.envs.core.game import Game
from kozyr.envs.core.scene import SEES_ALL, SEES_PUBLIC


class Local:
    """A position in this process."""

    def __init__(self, line: str, bots: Mapping[int, str], me: int | None) -> None:
        self.position = Position(line, bots, me)

    async def do(self, name: str, *args: Any) -> Any:
        """Call a method of the position."""
        return getattr(self.position, name)(*args)

    async def ask(self, seat: int) -> int | str:
        """Return the action of an agent, or why it loses."""
        raise NotImplementedError

    def close(self) -> None:
        """Do nothing: nobody else knows of it."""


_warmed = set[Any]()
_warming = asyncio.Lock()


async def warm(game: Game, variant: Any) -> None:
    """Load the compiled code of a game, or compile it, in a thread, so that no other table waits."""
    if type(variant) in _warmed:
        return
    async with _warming:
        if type(variant) not in _warmed:
            await asyncio.to_thread(_warm, game, variant)
            _warmed.add(type(variant))


def _warm(game: Game, variant: Any) -> None:
    """Do once what tables do all the time."""
    table = Table(game, variant, 1)
    names = [agents.names(game.name)[-1]] * table.seats
    position = Position(record.write(table.record), dict(enumerate(names)), 0, Sight())
    for _ in range(table.seats + 1):
        if not position.table.over:
            position.answer([*range(table.seats), SEES_ALL, SEES_PUBLIC])
