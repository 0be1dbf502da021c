"""Table hosts: a table in this process or in a worker, and workers that answer for its agents."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from kozyr.agents.agent_names import AgentName, parse
from kozyr.agents.play.host.advice import Advice
from kozyr.agents.play.host.server_table import Question, ServerTable
from kozyr.agents.play.host.worker_pool import WorkerError, WorkerPool, WorkerProcess
from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.host_protocol import Decision, ProgramMessages, ProgramRequest, TableState
from kozyr.agents.play.session.words import Line, phrases
from kozyr.envs.core import labels
from kozyr.envs.core.labels import PhraseError
from kozyr.envs.table.table import TIME

P = ParamSpec("P")
Result = TypeVar("Result")
_log = logging.getLogger(__name__)
_GENEROUS = 300.0  # seconds that an agent may take without a clock, compiling included, beside its own budget
_GRACE = 2.0  # seconds after a deadline until its process is ended
_UNCOMPILED = 60.0  # seconds that a worker without compiled code may take
_MOST_ROWS = 400  # of an advice, the best ones
_TRIES = 2  # processes that may die of one question


class TableHost:
    """The host of one table, see `kozyr.agents.play.session.host_protocol.HostProtocol`.

    Args:
        id: of the table; line: its record; config: its game, seats and clock.
        workers: answer for agents that are not scripted.
        remote: the worker that holds the table while its code is being compiled here; None: it is held here.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 - as elsewhere
        line: str,
        config: TableConfig,
        workers: WorkerPool,
        remote: WorkerProcess | None = None,
    ) -> None:
        self._id, self._config, self._workers = id, config, workers
        self._game, _ = config.variant()
        people = [seat for seat, person in enumerate(config.people()) if person]
        self._bots, self._me = config.bots(), people[0] if len(people) == 1 else None
        self._remote, self._running = remote, False
        self._table = None if remote else ServerTable(line, self._bots, self._me, config.begun)
        self._line = line  # until the table is made elsewhere
        self._known = dict[int, int]()  # events that the agent in a seat knows

    async def state(self, sides: Sequence[int]) -> TableState:
        """Return the table as it is."""
        return await self._call(ServerTable.state, sides)

    async def earlier(self, ply: int, sides: Sequence[int]) -> TableState:
        """Return the table as it was after `ply` actions."""
        return await self._call(ServerTable.earlier, ply, sides)

    async def play(self, action: int, sides: Sequence[int]) -> TableState:
        """Play for the seat to move."""
        return await self._call(ServerTable.play, action, sides)

    async def play_scripted(self, sides: Sequence[int]) -> TableState:
        """Let the scripted player to move play."""
        return await self._call(ServerTable.play_scripted, sides)

    async def forfeit(self, seat: int, reason: str, sides: Sequence[int]) -> TableState:
        """Let a seat lose."""
        return await self._call(ServerTable.forfeit, seat, reason, sides)

    async def take_back(self, sides: Sequence[int]) -> TableState:
        """Undo my last move and all after it; agents hear all events again when they are asked next."""
        state = await self._call(ServerTable.take_back, sides)
        self._known.clear()
        return state

    async def start_clocks(self, sides: Sequence[int]) -> TableState:
        """Let the clocks run from now on."""
        self._running = True
        return await self._call(ServerTable.start_clocks, sides)

    async def rename(self, names: Sequence[str], sides: Sequence[int]) -> TableState:
        """Call the seats by other names."""
        return await self._call(ServerTable.rename, names, sides)

    async def decisions(self) -> list[Decision]:
        """Return all choices among several actions so far."""
        return await self._call(ServerTable.decisions)

    async def log(self, sees: int) -> list[Line]:
        """Return the whole log, as a side may know it."""
        return await self._call(ServerTable.log, sees)

    async def text(self, ply: int, sees: int) -> str:
        """Return the knowledge of a side after `ply` actions, in words."""
        return await self._call(ServerTable.text, ply, sees)

    async def program_hello(self) -> str:
        """Return the first message to a program."""
        return await self._call(ServerTable.program_hello)

    async def program_news(self, request: ProgramRequest) -> ProgramMessages:
        """Return the new messages to the program in a seat."""
        return await self._call(ServerTable.program_news, request)

    async def _call(
        self, method: Callable[Concatenate[ServerTable, P], Result], *args: P.args, **options: P.kwargs
    ) -> Result:
        """Call a method of the table, here or in the worker that holds it."""
        if self._table is not None:
            return method(self._table, *args, **options)
        remote = self._remote
        if remote is None:
            raise RuntimeError("the table is nowhere")
        if self._line:
            line, self._line = self._line, ""
            await remote.call(_UNCOMPILED, self._game, "hold", self._id, line, self._bots, self._me, self._config.begun)
        return await remote.call(_UNCOMPILED, self._game, "call_table", self._id, method, args)

    async def come_home(self) -> None:
        """Hold the table in this process from now on, as its code is compiled."""
        remote = self._remote
        if self._table is None and remote is not None:
            line = await self._call(ServerTable.record)
            self._table = ServerTable(line, self._bots, self._me, self._config.begun)
            if self._running:
                self._table.start_clocks([])
            await remote.call(_UNCOMPILED, self._game, "forget", self._id)
            self._remote = None

    async def ask(self, seat: int) -> int | str:
        """Return the action of the agent in a seat whose turn it is, or the reason why it loses."""
        for _ in range(_TRIES):
            since = self._known.get(seat, 0)
            question = await self._call(ServerTable.question, since)
            try:
                answer = await self._answer(seat, question, since == 0)
                if answer is None:  # its process was started anew
                    answer = await self._answer(seat, await self._call(ServerTable.question, 0), fresh=True)
            except WorkerError as error:
                self._warn(seat, error)
                self._known.clear()
                if question.deadline is not None and time.monotonic() > question.deadline:
                    return TIME
                continue
            except ValueError as error:
                self._warn(seat, error)
                break
            self._known[seat] = question.event_count
            return answer
        return "error"

    def _warn(self, seat: int, error: Exception) -> None:
        _log.warning("table %s, seat %d (%s): %s", self._id, seat, self._config.seats[seat], error)

    async def _answer(self, seat: int, question: Question, fresh: bool) -> Any:
        """Ask the worker of the table."""
        name = self._config.seats[seat]
        patience = _GENEROUS + 3 * _budget(name)
        if question.deadline is not None:
            patience = max(question.deadline - time.monotonic(), 0.0) + _GRACE
        info = await self._call(ServerTable.info, seat)
        return await self._workers.of(self._id).call(
            patience, self._game, "ask", (self._id, seat), name, info, question, fresh
        )

    async def advise(self, agent: str, ply: int) -> messages.Advice:
        """Return an agent's advice after `ply` actions, in the seat that is to move then.

        Raises:
            ValueError: if it has none.
        """
        question = await self._call(ServerTable.question_at, ply)
        info = await self._call(ServerTable.info, question.seat)
        patience = _GENEROUS + 3 * _budget(agent)
        try:
            worker = self._workers.of(self._id)
            advice: Advice = await worker.call(patience, self._game, "advise", agent, info, question)
        except WorkerError as error:
            raise PhraseError("{0} has no advice: {1}", agent, str(error)) from error
        rows = sorted(advice.rows, key=lambda row: -row.value)[:_MOST_ROWS]
        each = await self._call(ServerTable.say, ply, [row.action for row in rows])
        words = [labels.say(one) for one in each]
        return messages.Advice(question.ply, agent, advice.kind, [list(row) for row in rows], words, phrases(each))


def _budget(agent: str) -> float:
    """Return the seconds that a search player may take for a decision, as far as its name says so."""
    name = parse(agent)
    return name.milliseconds / 1000 if isinstance(name, AgentName) else 0.0
