"""Worker processes that die or hang cost nobody else anything."""

import asyncio
from typing import Any, cast

import pytest

from kozyr import envs
from kozyr.agents.play.host.table_host import Engine
from kozyr.agents.play.host.worker_pool import Hand, WorkerError
from kozyr.agents.play.pages.table_config import Setup, dealt

SETUP = Setup(
    game="mnk", options={"m": 3, "n": 3, "k": 3}, seats=["pimc@20", "me"], names=["a", "b"], seed=1, starter=0
)


class One:
    """A crew of one."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand

    def of(self, table: str) -> Hand:
        """Return the only worker."""
        return self.hand


def test_a_worker_that_is_killed_is_started_again_and_the_question_asked_again() -> None:
    async def asked() -> None:
        hand = Hand()
        engine = Engine("table", dealt("table", SETUP), SETUP, cast(Any, One(hand)))
        assert isinstance(await engine.ask(0), int)
        assert hand.process is not None
        hand.process.kill()
        assert isinstance(await engine.ask(0), int)
        assert hand.births == 2
        await hand.close()

    asyncio.run(asked())


def test_a_worker_that_does_not_answer_is_ended() -> None:
    async def asked() -> None:
        hand, game = Hand(), envs.game("mnk")
        with pytest.raises(WorkerError, match="no answer"):
            await hand.call(0.01, game, "warm", game.id, {})
        assert hand.process is None
        await hand.call(60, game, "forget", "table")
        assert hand.births == 2
        await hand.close()

    asyncio.run(asked())


def test_an_agent_that_cannot_answer_loses() -> None:
    async def asked() -> None:
        hand, wrong = Hand(), SETUP.turned()
        engine = Engine("table", dealt("table", SETUP), wrong, cast(Any, One(hand)))
        assert await engine.ask(0) == "error"  # "me" is no agent
        await hand.close()

    asyncio.run(asked())
