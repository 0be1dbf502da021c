"""Where the position of a room is, and who answers for its agents: this process or workers."""

import asyncio
import logging
import time
from typing import Any

from kozyr import agents
from kozyr.agents.human import messages
from kozyr.agents.human.crew import Crew, WorkerError
from kozyr.agents.human.position import Position, Question
from kozyr.agents.human.setup import Setup
from kozyr.agents.human.sight import Sight
from kozyr.agents.name import AgentName, parse
from kozyr.envs.api import record
from kozyr.envs.api.table import TIME, Table
from kozyr.envs.core.game import Game
from kozyr.envs.core.scene import SEES_ALL, SEES_PUBLIC

_log = logging.getLogger(__name__)
_GENEROUS = 300.0  # seconds that an agent may take without a clock, compiling included, beside its own budget
_GRACE = 2.0  # seconds after a deadline until its process is ended
_TRIES = 2  # processes that may die of one question


class Engine:
    """The position of a room in this process.

    Args:
        id: of the table; line: its record; setup: what was agreed.
        crew: who answers for agents that are not scripted.
    """

    def __init__(self, id: str, line: str, setup: Setup, crew: Crew) -> None:  # noqa: A002 - as elsewhere
        self._id, self._setup, self._crew = id, setup, crew
        self._game, _ = setup.variant()
        people = [seat for seat, person in enumerate(setup.people()) if person]
        self._position = Position(line, setup.bots(), people[0] if len(people) == 1 else None)
        self._heard = dict[int, int]()  # events that the player in a seat has been told

    async def do(self, name: str, *args: Any) -> Any:
        """Call a method of `Position`."""
        return getattr(self._position, name)(*args)

    async def ask(self, seat: int) -> int | str:
        """Return the action of the agent in a seat whose turn it is, or why it loses."""
        for _ in range(_TRIES):
            since = self._heard.get(seat, 0)
            question: Question = await self.do("question", since)
            try:
                answer = await self._answer(seat, question, since == 0)
                if answer is None:  # its process was started anew
                    answer = await self._answer(seat, await self.do("question", 0), fresh=True)
            except WorkerError as error:
                _log.warning("table %s, seat %d (%s): %s", self._id, seat, self._setup.seats[seat], error)
                self._heard.clear()
                if question.deadline is not None and time.monotonic() > question.deadline:
                    return TIME
                continue
            except ValueError as error:
                _log.warning("table %s, seat %d (%s): %s", self._id, seat, self._setup.seats[seat], error)
                break
            self._heard[seat] = question.heard
            return answer
        return "error"

    async def _answer(self, seat: int, question: Question, fresh: bool) -> Any:
        """Ask the worker of the table."""
        name = self._setup.seats[seat]
        patience = _GENEROUS + 3 * _budget(name)
        if question.deadline is not None:
            patience = max(question.deadline - time.monotonic(), 0.0) + _GRACE
        info = await self.do("info", seat)
        return await self._crew.of(self._id).call(
            patience, self._game, "ask", (self._id, seat), name, info, question, fresh
        )

    async def advise(self, agent: str) -> messages.Advice:
        """Return what an agent would do in the seat to move.

        Raises:
            ValueError: if it cannot say.
        """
        question: Question = await self.do("question", 0)
        info = await self.do("info", question.seat)
        patience = _GENEROUS + 3 * _budget(agent)
        try:
            found = await self._crew.of(self._id).call(patience, self._game, "advise", agent, info, question)
        except WorkerError as error:
            raise ValueError(f"{agent} has no advice: {error}") from error
        return messages.Advice(question.ply, agent, found.kind, [list(row) for row in found.rows])

    def forget(self) -> None:
        """Let the players hear all from the beginning when they are asked again, as after an undo."""
        self._heard.clear()


def _budget(name: str) -> float:
    """Return the seconds that a search player may take for a decision, as far as its name says so."""
    found = parse(name)
    return found.milliseconds / 1000 if isinstance(found, AgentName) else 0.0


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
