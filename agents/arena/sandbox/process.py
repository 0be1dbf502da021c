"""Processes of sandboxed agents, from outside and inside: start one, ask it within a time, kill it.

The process loads the agent and asks it, one question after the other. Questions are tuples: ("reset", seat, seed),
("practice", views, masks), ("each", views, masks) and ("batch", views, masks). An answer is [seconds, fine, answer] in
MessagePack, which is data and no code; "each" has one for every view.
"""

import contextlib
import os
import pickle
import time
import weakref
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, ClassVar

import msgspec

from kozyr import agents
from kozyr.agents.agent import Solo
from kozyr.agents.arena.matches.processes import interrupts_blocked, prepare_worker
from kozyr.agents.search import Searcher
from kozyr.envs import registry
from kozyr.envs.environments.agent_protocol import Absent, as_agent
from kozyr.envs.table.table import TIME

GRACE = 1.0  # seconds after the limit in which a late answer is still accepted, so that its process goes on
_STARTING = 60.0  # seconds for loading the agent
_MOST_IDLE = 8  # processes that wait for the next agent of their name
_LARGEST = 1 << 24  # bytes of an answer
_ANSWER = msgspec.msgpack.Decoder(tuple[float, bool, Any])


class AgentProcess:
    """A process with an agent in it.

    Args:
        payload: of `answer_questions`.

    Attributes:
        batches: True if it answers batches faster than single views; searches: True for a search player.
        practised: True after a practice decision; seat_and_seed: of its newest reset, None if another one is due.
        due: number of answers still to come.

    Raises:
        ValueError: if the agent cannot be loaded.
        Absent: if the process ends, or takes too long.
    """

    idle: "ClassVar[list[AgentProcess]]" = []

    def __init__(self, payload: bytes) -> None:
        self.payload, self.practised, self.due = payload, False, 1
        self.seat_and_seed: tuple[int, int] | None = None
        self._owner = os.getpid()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=answer_questions, args=(theirs, payload), daemon=True)
        self._end = weakref.finalize(self, _kill, self._process, self._pipe, self._owner)
        with interrupts_blocked():
            self._process.start()
        theirs.close()
        try:
            _, fine, answer = self.receive(_STARTING)
            if not fine:
                raise ValueError(str(answer))
        except BaseException:
            self.kill()
            raise
        self.batches, self.searches = (bool(one) for one in answer)

    @classmethod
    def of(cls, payload: bytes) -> "AgentProcess":
        """Return a process with this agent: one that waits for it, or a new one."""
        for one in cls.idle:
            if one.payload == payload and one.running:
                cls.idle.remove(one)
                one.seat_and_seed = None
                return one
        return cls(payload)

    @property
    def running(self) -> bool:
        """Return True if it runs and is ours: after a fork it is the other process's."""
        return self._owner == os.getpid() and self._process.is_alive()

    def send(self, question: str, *args: Any) -> None:
        """Put a question; `receive` takes the answer, of "each" as many as there are views."""
        self.due = len(args[0]) if question == "each" else 1
        try:
            self._pipe.send((question, *args))
        except OSError:
            raise self._dead() from None

    def receive(self, patience: float) -> tuple[float, bool, Any]:
        """Return the next answer: its seconds, True if it is no error, and the answer or the error.

        Raises:
            Absent: if none comes within `patience` seconds, or the process has ended.
        """
        try:
            if not self._pipe.poll(patience):
                raise Absent(f"{TIME}: it has not answered within {patience:g} s", TIME)
            answer = _ANSWER.decode(self._pipe.recv_bytes(_LARGEST))
        except msgspec.MsgspecError:
            raise Absent("its process answers otherwise than it should") from None
        except (EOFError, OSError):
            raise self._dead() from None
        self.due -= 1
        return answer

    def ask(self, patience: float, question: str, *args: Any) -> None:
        """Put a question whose answer does not matter.

        Raises:
            Absent: as `receive`.
        """
        self.send(question, *args)
        self.receive(patience)

    def _dead(self) -> Absent:
        """Return the error of a process that has ended."""
        with contextlib.suppress(AssertionError):
            self._process.join(1.0)
        code = self._process.exitcode
        ended = f"was ended by signal {-code}" if code and code < 0 else f"has ended with code {code}"
        how = "has closed its pipe" if code is None else ended
        hint = "" if self.practised else ' (in a script, write if __name__ == "__main__": before what plays)'
        return Absent(f"its process {how}{hint}")

    def leave(self, reusable: bool) -> None:
        """Wait for the next agent of this name, if `reusable` and no answer is due; end otherwise."""
        if reusable and self.running and not self.due:
            self.idle.append(self)
            if len(self.idle) > _MOST_IDLE:
                self.idle.pop(0).kill()
        else:
            self.kill()

    def kill(self) -> None:
        """End the process at once."""
        self._end()


def _kill(process: Any, pipe: Any, owner: int) -> None:
    """End a process of ours."""
    if owner != os.getpid():
        return
    with contextlib.suppress(AttributeError, ValueError, OSError):
        process.kill()
        process.join(1.0)
    pipe.close()


def answer_questions(pipe: "Connection[Any, Any]", payload: bytes) -> None:
    """Answer questions until the process that asks them ends.

    The first answer is two flags: the agent answers batches faster than single views; it is a search player.
    """
    prepare_worker()
    try:
        agent = _load(payload)
    except BaseException as error:
        _send(pipe, 0.0, False, str(error) if isinstance(error, ValueError) else _words(error))
        return
    searches = isinstance(agent, Searcher)
    _send(pipe, 0.0, True, [not searches and type(agent).act_batch is not Solo.act_batch, searches])
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            _answer(agent, pipe, *pipe.recv())


def _load(payload: bytes) -> Any:
    """Return the agent, from its name or its pickle."""
    registered, game, options, source = pickle.loads(payload)
    registry.restore(registered)
    agent = pickle.loads(source)
    return agents.load(agent, game, **options) if isinstance(agent, str) else as_agent(agent)


def _answer(agent: Any, pipe: "Connection[Any, Any]", question: str, *args: Any) -> None:
    """Answer a question."""
    if question == "reset":
        _timed(pipe, lambda: agent.reset(*args))
    elif question == "practice":
        _timed(pipe, lambda: _practise(agent, *args))
    elif question == "batch":
        _timed(pipe, lambda: agent.act_batch(*args))
    else:
        for view, mask in zip(*args, strict=True):
            _timed(pipe, lambda view=view, mask=mask: agent.act(view, mask))


def _practise(agent: Any, views: Any, masks: Any) -> None:
    """Make a practice decision, so that slow preparation does not count."""
    if isinstance(agent, Searcher):
        agent.warm()
    elif type(agent).act_batch is Solo.act_batch:
        agent.act(views[0], masks[0])
    else:
        agent.act_batch(views, masks)


def _timed(pipe: "Connection[Any, Any]", work: Callable[[], Any]) -> None:
    """Send the seconds of some work, a flag for success, and its result or its error."""
    began, fine = time.perf_counter(), True
    try:
        answer = work()
    except BaseException as error:  # whatever a user's agent raises
        answer, fine = _words(error), False
    _send(pipe, time.perf_counter() - began, fine, answer)


def _send(pipe: "Connection[Any, Any]", seconds: float, fine: bool, answer: Any) -> None:
    """Send an answer; numbers and arrays of libraries become Python's."""
    plain = answer.tolist() if hasattr(answer, "tolist") else answer
    try:
        sent = msgspec.msgpack.encode((seconds, fine, plain))
    except Exception as error:  # of a type, or a number, that is no action
        sent = msgspec.msgpack.encode((seconds, False, f"an answer of type {type(answer).__name__}: {error}"))
    pipe.send_bytes(sent)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
