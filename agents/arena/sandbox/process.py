"""The other end of a guarded agent's process: it is started, asked within a time, and killed."""

import contextlib
import os
import weakref
from multiprocessing import get_context
from typing import Any, ClassVar

import msgspec

from kozyr.agents.arena.matches.spawn import held_back
from kozyr.agents.arena.sandbox import worker
from kozyr.envs.environments.agent import Absent
from kozyr.envs.table.table import TIME

GRACE = 1.0  # seconds after its time in which an answer is still waited for, so that a process goes on that is late
_STARTING = 60.0  # seconds that it may take to make the agent
_MOST_IDLE = 8  # processes that wait for the next agent of their name
_LARGEST = 1 << 24  # bytes of an answer
_ANSWER = msgspec.msgpack.Decoder(tuple[float, bool, Any])


class Keeper:
    """A process with an agent in it.

    Args:
        payload: what `guard.main` takes.

    Attributes:
        batches: whether it answers batches better than view after view; searches: whether it is a search player.
        practised: whether it has decided once in vain; luck: its newest seat and seed, as far as they hold.
        due: answers that have not come yet.

    Raises:
        ValueError: if the agent cannot be made.
        Absent: if the process ends, or takes too long.
    """

    idle: "ClassVar[list[Keeper]]" = []

    def __init__(self, payload: bytes) -> None:
        self.payload, self.practised, self.due = payload, False, 1
        self.luck: tuple[int, int] | None = None
        self._owner = os.getpid()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=worker.main, args=(theirs, payload), daemon=True)
        self._end = weakref.finalize(self, _kill, self._process, self._pipe, self._owner)
        with held_back():
            self._process.start()
        theirs.close()
        try:
            _, fine, found = self.receive(_STARTING)
            if not fine:
                raise ValueError(str(found))
        except BaseException:
            self.kill()
            raise
        self.batches, self.searches = (bool(one) for one in found)

    @classmethod
    def of(cls, payload: bytes) -> "Keeper":
        """Return a process with this agent: one that waits for it, or a new one."""
        for one in cls.idle:
            if one.payload == payload and one.running:
                cls.idle.remove(one)
                one.luck = None
                return one
        return cls(payload)

    @property
    def running(self) -> bool:
        """Whether it runs and is ours: after a fork it is the other process's."""
        return self._owner == os.getpid() and self._process.is_alive()

    def send(self, question: str, *given: Any) -> None:
        """Put a question; `receive` takes the answer, of "each" as many as there are views."""
        self.due = len(given[0]) if question == "each" else 1
        try:
            self._pipe.send((question, *given))
        except OSError:
            raise self._dead() from None

    def receive(self, patience: float) -> tuple[float, bool, Any]:
        """Return the next answer: the seconds it took, whether it is one, and what it is or went wrong.

        Raises:
            Absent: if none comes within so many seconds, or the process has ended.
        """
        try:
            if not self._pipe.poll(patience):
                raise Absent(f"{TIME}: it has not answered within {patience:g} s", TIME)
            found = _ANSWER.decode(self._pipe.recv_bytes(_LARGEST))
        except msgspec.MsgspecError:
            raise Absent("its process answers otherwise than it should") from None
        except (EOFError, OSError):
            raise self._dead() from None
        self.due -= 1
        return found

    def ask(self, patience: float, question: str, *given: Any) -> None:
        """Put a question whose answer does not matter.

        Raises:
            Absent: as `receive`.
        """
        self.send(question, *given)
        self.receive(patience)

    def _dead(self) -> Absent:
        """Return what is said of a process that has ended."""
        with contextlib.suppress(AssertionError):
            self._process.join(1.0)
        code = self._process.exitcode
        ended = f"was ended by signal {-code}" if code and code < 0 else f"has ended with code {code}"
        how = "has closed its pipe" if code is None else ended
        hint = "" if self.practised else ' (in a script, write if __name__ == "__main__": before what plays)'
        return Absent(f"its process {how}{hint}")

    def leave(self, wanted: bool) -> None:
        """Wait for the next agent of this name, if one may come and nothing is under way; end otherwise."""
        if wanted and self.running and not self.due:
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
