"""Clients of a server that is not there: they sit at the tables of a registry and remember what they are told."""

import asyncio
import json
from typing import Any

from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session.connections import Connection

CONFIG = TableConfig(
    game="mnk_v0", options={"m": 5, "n": 5, "k": 4}, seats=["person"] * 2, names=["a", "b"], seed=1, starter=0
)


class Ear(Connection):
    """A client that remembers what it was sent, and the code it was closed with."""

    def __init__(self) -> None:
        super().__init__(None)  # pyright: ignore[reportArgumentType]
        self.heard, self.code = list[dict[str, Any]](), 0

    def tell(self, message: bytes) -> None:
        if not self.closed:
            self.heard.append(json.loads(message))

    def close(self, code: int) -> None:
        self.code, self.closed = self.code or code, True

    @property
    def ply(self) -> int:
        """The ply that it was shown last, -1 where it was shown none."""
        return [-1, *(one["ply"] for one in self.heard if one["t"] == "state")][-1]


async def until(true: Any) -> None:
    """Wait until something is true, at most for a while."""
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it has not come true")


async def seated(house: TablesRegistry) -> tuple[Any, Any, list[Ear]]:
    """Open a table with two people."""
    table, ears = await house.open(CONFIG), [Ear(), Ear()]
    session: Any = await house.find(table.table)
    for ear, token in zip(ears, table.seats, strict=True):
        assert await session.sit(ear, token)
    await until(lambda: all(ear.ply == 0 for ear in ears))
    return table, session, ears
