"""Processes of sandboxed agents, from outside: start one, ask it within a time, kill it."""

import contextlib
import os
import weakref
from multiprocessing import get_context
from typing import Any, ClassVar

import msgspec

from kozyr.agents.arena.matches.processes import interrupts_blocked
from kozyr.agents.arena.sandbox import worker
from kozyr.envs.environments.agent_protocol import Absent
from kozyr.envs.table.table import TIME

GRACE = 1.0  # seconds after the limit in which a late answer is still accepted, so that its process goes on
_STARTING = 60.0  # seconds for loading the agent
_MOST_IDLE = 8  # processes that wait for the next agent of their name
_LARGEST = 1 << 24  # bytes of an answer
_ANSWER = msgspec.msgpack.Decoder(tuple[float, bool, Any])


class AgentProcess:
    """A process with an agent in it.

    Args:
        payload: of `worker.main`.

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
        self._process = context.Process(target=worker.main, args=(theirs, payload), daemon=True)
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
