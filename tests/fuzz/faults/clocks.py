"""Clocks that jump, forward as after a sleep of the machine, and back as after a correction."""

import asyncio
import random
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from kozyr.agents.arena.matches.match import match
from kozyr.agents.play.pages.table_config import TableConfig, Times
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.connections import Connection
from kozyr.agents.play.session.table_talk import RateLimit
from kozyr.envs.core.labels import PhraseError, phrase
from tests.fuzz.errors import require
from tests.play.ears import Ear

_CHANCE = 0.1  # that a clock has jumped when it is read
_FAR = 9000.0  # seconds
_LONGEST = 60.0  # true seconds for all of it
_CLOCKS = ("time", "monotonic", "perf_counter")
_OPTIONS: dict[str, Any] = {"m": 5, "n": 5, "k": 4}


class Jumping:
    """What kozyr's modules read as `time`, with clocks that jump."""

    def __init__(self, rng: random.Random, back: bool) -> None:
        self._rng, self._back, self._ahead = rng, back, 0.0
        self.jumps = True

    def _read(self, clock: Any) -> float:
        if self.jumps and self._rng.random() < _CHANCE:
            self._ahead += self._rng.uniform(-_FAR if self._back else 0.0, _FAR)
        return clock() + self._ahead

    def module(self) -> SimpleNamespace:
        """Return the module with these clocks."""
        clocks = {name: partial(self._read, getattr(time, name)) for name in _CLOCKS}
        return SimpleNamespace(**{**vars(time), **clocks})


@contextmanager
def jumping(rng: random.Random, back: bool) -> Generator[Jumping]:
    """Let the clocks of all modules of kozyr jump."""
    its = Jumping(rng, back)
    modules = [one for name, one in sys.modules.items() if name.startswith("kozyr.") and vars(one).get("time") is time]
    with ExitStack() as stack:
        for module in modules:
            stack.enter_context(mock.patch.object(module, "time", its.module()))
        yield its


def clocks(number: int, folder: Path) -> int:
    """Play a match with a limit and at a table with clocks, and be heard by limits of a rate, while clocks jump.

    Raises:
        Wrong: if somebody waits for ever, or is told of a time below zero.
    """
    rng, began = random.Random(number), time.monotonic()
    with jumping(rng, back=bool(number % 2)) as its:
        found = match("mnk", ["easy", "search@1ms"], deals=2, seed=number % 1000, move_limit=0.5, **_OPTIONS)
        require(found.games == 4, f"{found.games} games are played of 4")
        asyncio.run(_table(rng))
        _limits(its)
    require(time.monotonic() - began < _LONGEST, "it took long")
    return 1


async def _table(rng: random.Random) -> None:
    """Play at a table with clocks; it ends, by a move or by a clock."""
    config = TableConfig(
        game="mnk_v0",
        options=_OPTIONS,
        seats=["person"] * 2,
        names=["a", "b"],
        clock=Times(5.0, 60.0, 1.0),
        seed=1,
        starter=0,
    )
    registry = TablesRegistry()
    new = await registry.open(config)
    session, ears = await registry.find(new.table), [Ear(), Ear()]
    assert session is not None
    for ear, token in zip(ears, new.seats, strict=True):
        await session.sit(ear, token or "")
    for action in rng.sample(range(25), 25):
        if session.state.turn < 0:
            break
        await session.hear(ears[session.state.turn], messages.Play(session.ply, action))
        await asyncio.sleep(0.001)
    for told in [message for ear in ears for message in ear.heard if message["t"] == "state"]:
        left = [*(told.get("left") or []), told.get("deadline")]
        require(all(one is None or one >= 0 for one in left), f"a time below zero is told: {left}")
    await registry.close()


def _limits(its: Jumping) -> None:
    """Ask limits of a rate after jumps; once the clocks are steady, they wait no longer than they say."""
    connection, limit = Connection(None), RateLimit(0.01, phrase("wait a moment"))  # pyright: ignore[reportArgumentType]
    for _ in range(30):
        connection.allowed()
        _heard(limit)
    its.jumps = False
    for _ in range(3):
        _heard(limit)
        time.sleep(0.05)
    require(_heard(limit), "who has waited is refused")
    for _ in range(40):
        time.sleep(0.05)
        if connection.allowed():
            return
    require(False, "a client is refused for ever")


def _heard(limit: RateLimit) -> bool:
    try:
        limit.require(0)
    except PhraseError:
        return False
    return True
