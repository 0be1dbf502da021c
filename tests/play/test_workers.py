"""Worker processes that die or hang cost nobody else anything."""

import asyncio
from typing import Any, cast

import pytest

from kozyr import envs
from kozyr.agents.play.host.table_host import TableHost
from kozyr.agents.play.host.worker_pool import WorkerError, WorkerProcess
from kozyr.agents.play.pages.table_config import TableConfig, deal

SETUP = TableConfig(
    game="mnk", options={"m": 3, "n": 3, "k": 3}, seats=["pimc@20", "me"], names=["a", "b"], seed=1, starter=0
)


class One:
    """A crew of one."""

    def __init__(self, hand: WorkerProcess) -> None:
        self.hand = hand

    def of(self, table: str) -> WorkerProcess:
        """Return the only worker."""
        return self.hand


def test_a_worker_that_is_killed_is_started_again_and_the_question_asked_again() -> None:
    async def asked() -> None:
        hand = WorkerProcess()
        engine = TableHost("table", deal("table", SETUP), SETUP, cast(Any, One(hand)))
        assert isinstance(await engine.ask(0), int)
        assert hand.process is not None
        hand.process.kill()
        assert isinstance(await engine.ask(0), int)
        assert hand.starts == 2
        await hand.close()

    asyncio.run(asked())


def test_a_worker_that_does_not_answer_is_ended() -> None:
    async def asked() -> None:
        hand, game = WorkerProcess(), envs.game("mnk")
        with pytest.raises(WorkerError, match="no answer"):
            await hand.call(0.01, game, "warm", game.id, {})
        assert hand.process is None
        await hand.call(60, game, "forget", "table")
        assert hand.starts == 2
        await hand.close()

    asyncio.run(asked())


def test_an_agent_that_cannot_answer_loses() -> None:
    async def asked() -> None:
        hand, wrong = WorkerProcess(), SETUP.rotated()
        engine = TableHost("table", deal("table", SETUP), wrong, cast(Any, One(hand)))
        assert await engine.ask(0) == "error"  # "me" is no agent
        await hand.close()

    asyncio.run(asked())
