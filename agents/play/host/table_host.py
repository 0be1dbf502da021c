"""Where the position of a room is, and who answers for its agents: this process or workers."""

import logging
import time
from typing import Any

from kozyr.agents.agent_names import AgentName, parse
from kozyr.agents.play.host.server_table import Position, Question
from kozyr.agents.play.host.worker_pool import Crew, Hand, WorkerError
from kozyr.agents.play.pages.table_config import Setup
from kozyr.agents.play.session import messages
from kozyr.envs.table.table import TIME

_log = logging.getLogger(__name__)
_GENEROUS = 300.0  # seconds that an agent may take without a clock, compiling included, beside its own budget
_GRACE = 2.0  # seconds after a deadline until its process is ended
_UNCOMPILED = 60.0  # seconds that a worker without compiled code may take
_MOST_ROWS = 400  # of an advice, the best ones
_TRIES = 2  # processes that may die of one question


class Engine:
    """The position of a room.

    Args:
        table: its id; line: its record; setup: what was agreed.
        crew: who answers for agents that are not scripted.
        away: the worker that holds the position while its code is being compiled here; None: it is held here.
    """

    def __init__(self, table: str, line: str, setup: Setup, crew: Crew, away: Hand | None = None) -> None:
        self._id, self._setup, self._crew = table, setup, crew
        self._game, _ = setup.variant()
        people = [seat for seat, person in enumerate(setup.people()) if person]
        self._bots, self._me = setup.bots(), people[0] if len(people) == 1 else None
        self._away, self._running = away, False
        self._position = None if away else Position(line, self._bots, self._me)
        self._line = line  # until the position is made elsewhere
        self._heard = dict[int, int]()  # events that the player in a seat has been told

    async def do(self, name: str, *args: Any) -> Any:
        """Call a method of `Position`."""
        self._running |= name == "run"
        if self._position is not None:
            return getattr(self._position, name)(*args)
        return await self._do_away(name, args)

    async def _do_away(self, name: str, args: tuple[Any, ...]) -> Any:
        """Call it in the worker that holds the position."""
        away = self._away
        if away is None:
            raise RuntimeError("the position is nowhere")
        if self._line:
            line, self._line = self._line, ""
            await away.call(_UNCOMPILED, self._game, "seat", self._id, line, self._bots, self._me)
        return await away.call(_UNCOMPILED, self._game, "position", self._id, name, args)

    async def come_home(self) -> None:
        """Hold the position in this process from now on, as its code is compiled."""
        away = self._away
        if self._position is None and away is not None:
            self._position = Position(await self.do("record"), self._bots, self._me)
            if self._running:
                self._position.run([])
            await away.call(_UNCOMPILED, self._game, "forget", self._id)
            self._away = None

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

    async def advise(self, agent: str, ply: int) -> messages.Advice:
        """Return what an agent would do after `ply` actions, in the seat that is to move then.

        Raises:
            ValueError: if it cannot say.
        """
        question: Question = await self.do("question_at", ply)
        info = await self.do("info", question.seat)
        patience = _GENEROUS + 3 * _budget(agent)
        try:
            found = await self._crew.of(self._id).call(patience, self._game, "advise", agent, info, question)
        except WorkerError as error:
            raise ValueError(f"{agent} has no advice: {error}") from error
        rows = sorted(found.rows, key=lambda row: -row.value)[:_MOST_ROWS]
        words: list[str] = await self.do("say", ply, [row.action for row in rows])
        return messages.Advice(question.ply, agent, found.kind, [list(row) for row in rows], words)

    def forget(self) -> None:
        """Let the players hear all from the beginning when they are asked again, as after an undo."""
        self._heard.clear()


def _budget(name: str) -> float:
    """Return the seconds that a search player may take for a decision, as far as its name says so."""
    found = parse(name)
    return found.milliseconds / 1000 if isinstance(found, AgentName) else 0.0
