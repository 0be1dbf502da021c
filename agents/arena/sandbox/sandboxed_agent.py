"""Sandboxed agents: each in a process of its own under a time limit, killed if it does not answer.

A Python object that hangs cannot be stopped from outside, but its process can. Programs have a process anyway.
"""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents
from kozyr.agents.agent_names import AgentClass, parse
from kozyr.agents.arena.matches.processes import Failures
from kozyr.agents.arena.sandbox.limits import TimeLimitedProgram, late
from kozyr.agents.arena.sandbox.process import GRACE, AgentProcess
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import Absent, Lost, as_agent
from kozyr.envs.loops import tables
from kozyr.envs.table.table import TIME

_BATCH = 10.0  # seconds that a batch may take, unless a single decision may take longer
_FIRST = 10.0  # seconds for a practice decision, after the start
_WARMING = 600.0  # seconds for that of a search, which may have to be compiled


def limited(source: Any, game: Game, options: dict[str, Any], limit: float | None, clock: str = "auto") -> Any:
    """Return an agent under a time limit for each decision.

    Scripted players play inside compiled loops and need no limit; a program is ended by its own runner.

    Args:
        given: an agent, a function act(view, mask), or a name.
        game: the game; options: fields of its variant.
        limit: seconds, or None; clock: of programs, one of `move_clock.CLOCKS`.

    Raises:
        ValueError: for unknown names, impossible limits, and agents that cannot be sent to a process.
    """
    is_name = isinstance(source, str)
    limit = None if limit is None else argument_checks.seconds("move_limit", limit)
    if limit is not None and is_name and isinstance(parse(source), AgentClass):
        return SandboxedAgent(source, source, game, options, limit)  # the user's code runs in its process only
    agent = agents.load(source, game.name, **options) if is_name else as_agent(source)
    if limit is None or hasattr(agent, "level") or isinstance(agent, (SandboxedAgent, TimeLimitedProgram)):
        return agent
    if getattr(agent, "keeps_deadlines", False):
        return agent if hasattr(agent, "new_player") else TimeLimitedProgram(agent, limit, clock)
    return SandboxedAgent(source if is_name else agent, source if is_name else called(agent), game, options, limit)


def called(agent: Any) -> str:
    """Return the name of an agent in reports."""
    return str(getattr(agent, "name", None) or type(agent).__name__)


def _legal(answer: Any, masks: NDArray[np.int8]) -> bool:
    """Return True if an answer to a batch is a legal action for each mask [n, actions]."""
    try:
        actions = argument_checks.actions(answer, *masks.shape)
    except ValueError:
        return False
    return tables.first_illegal(masks, np.arange(len(masks)), actions) < 0


class SandboxedAgent:
    """An agent in a process of its own.

    A decision that takes longer than the limit is lost. If there is no answer at all, or the process ends, it is killed
    and another one starts; an agent that fails five times in a row is given up. Time to load the agent does not count,
    nor does one practice decision.

    Agents that decide one view after the other have the limit for each view. One with an `act_batch` of its own has as
    many times the limit as there are views; if that was not enough, it is asked again one by one.

    Args:
        source: the agent, or its name; name: in reports.
        game: the game; options: fields of its variant.
        limit: seconds for a decision.

    Attributes:
        took: seconds of each decision since the newest reset, of a search player.
    """

    def __init__(self, source: Any, name: str, game: Game, options: dict[str, Any], limit: float) -> None:
        self.name, self.game, self.limit = name, game, limit
        self._source, self._options = source, options
        self._payload = self._packed()
        self._agent_process: AgentProcess | None = None
        self.one_seat = bool(getattr(source, "one_seat", False))
        self._failures, self._reason, self._hangs = Failures(), "", False
        self.reset(-1, 0)

    def _packed(self) -> bytes:
        """Return the pickled agent and game for the process."""
        try:
            source = pickle.dumps(self._source)
        except Exception as error:  # pickle raises whatever the object's own methods do
            raise ValueError(
                f"agent {quote(self.name)} cannot have a time limit, for which it is sent to a process of its own: "
                f"{error}. Give it as a name (package.module:Class), or write it in a module"
            ) from error
        return pickle.dumps((registry.carried(self.game.name), self.game.name, self._options, source))

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return SandboxedAgent, (self._source, self.name, self.game, self._options, self.limit)

    def reset(self, seat: int, seed: int) -> None:
        """Prepare for new games; the agent is reset before its next decision."""
        self._seat_and_seed, self.took = (seat, seed), list[float]()

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        """Return the agent's answer to one view.

        Raises:
            Lost: if there is none.
        """
        return self._or_raise(next(self.each(view[None], mask[None])))

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the agent's answers to views [n, view] and masks [n, actions].

        Raises:
            Lost: if one is missing.
        """
        return np.array([self._or_raise(one) for one in self.each(views, masks)])

    def _or_raise(self, answer: Any) -> Any:
        if isinstance(answer, Lost):
            raise answer
        return answer

    def each(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Iterator[Any]:
        """Yield the answer to each view, or a Lost."""
        at = 0
        while at < len(views):
            try:
                process = self._ready(views[at : at + 1], masks[at : at + 1])
            except Lost as lost:
                yield lost
                at += 1
                continue
            room = max(int(_BATCH / self.limit), 1) if process.batches else len(views)
            run = slice(at, at + room)
            answers = self._batch(process, views[run], masks[run]) if process.batches else None
            if answers is None:
                answers = self._one_by_one(views[run], masks[run])
            for answer in answers:
                yield answer
                at += 1

    def _batch(self, process: AgentProcess, views: NDArray[Any], masks: NDArray[np.int8]) -> list[Any] | None:
        """Return the answers to a batch, or None if it is better asked one by one."""
        due = len(views) * self.limit
        try:
            process.send("batch", views, masks)
            seconds, fine, answer = process.receive(due + GRACE)
        except Absent as lost:
            if len(views) == 1:
                return [self._failed(lost)]
            self._drop()
            return None
        self._failures.row = 0
        return answer if fine and seconds <= due and _legal(answer, masks) else None

    def _one_by_one(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Iterator[Any]:
        """Yield answers until the process fails, then stop; the rest has to be asked again."""
        try:
            process = self._ready(views[:1], masks[:1])
            process.send("each", views, masks)
            for mask in masks:
                seconds, fine, answer = process.receive(self.limit + GRACE)
                self._failures.row = 0
                if process.searches and np.count_nonzero(mask) > 1:
                    self.took.append(seconds)
                yield late(self.limit) if seconds > self.limit else answer if fine else Lost(str(answer))
        except Absent as lost:
            yield self._failed(lost)
        except Lost as lost:
            yield lost

    def _failed(self, lost: Absent) -> Lost:
        """Kill the process, count a failure, and return the error to report."""
        self._drop()
        reported = late(self.limit) if lost.reason == TIME else lost
        self._reason = reported.reason
        self._failures.note(str(reported))
        return reported

    def start(self) -> None:
        """Start the process and load the agent.

        Raises:
            ValueError: if the agent cannot be loaded.
            Lost: if its process ends, or takes too long.
        """
        if self._agent_process is None or not self._agent_process.running or self._agent_process.due:
            self._drop()
            self._agent_process = AgentProcess.of(self._payload)

    def _ready(self, views: NDArray[Any], masks: NDArray[np.int8]) -> AgentProcess:
        """Return a process whose agent has practised and was reset to its seat and seed.

        Raises:
            Lost: if that fails, or has failed too often.
        """
        if self._failures.too_many:
            raise Lost(self._failures.words(self), self._reason)
        try:
            self.start()
            process = self._agent_process
            assert process is not None
            if not process.practised:
                self._practise(process, views, masks)
            if process.seat_and_seed != self._seat_and_seed:
                process.ask(_FIRST, "reset", *self._seat_and_seed)
                process.seat_and_seed = self._seat_and_seed
        except ValueError as error:
            raise self._failed(Absent(str(error))) from error
        except Absent as lost:
            raise self._failed(lost) from lost
        return process

    def _practise(self, process: AgentProcess, views: NDArray[Any], masks: NDArray[np.int8]) -> None:
        """Let the agent make a practice decision; one that has hung in it before gets the time of a decision only."""
        patience = _WARMING if process.searches else self.limit + GRACE if self._hangs else max(_FIRST, self.limit)
        self._hangs = True
        process.ask(patience, "practice", views, masks)
        self._hangs, process.practised, process.seat_and_seed = False, True, None

    def _drop(self) -> None:
        if self._agent_process is not None:
            self._agent_process.kill()
        self._agent_process = None

    def close(self) -> None:
        """Release the process; a running one waits for the next agent of this name."""
        process, self._agent_process = self._agent_process, None
        if process is not None:
            process.leave(isinstance(self._source, str))
