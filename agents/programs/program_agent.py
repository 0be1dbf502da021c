"""Base of agents that are programs: their start, their time limits, and their end after failures."""

import time
import weakref
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.processes import MOST_FAILURES, Failures
from kozyr.agents.programs import confinement, family
from kozyr.agents.programs.child import Child, Died, EngineError, never, words_of
from kozyr.envs.core.game import Game

STARTING = 30.0  # seconds that a program may take to say hello
PATIENCE = 60.0  # seconds for a decision, if neither a clock nor the name sets a limit
GRACE = 1.0  # seconds that it may be late before it is ended


class Engine:
    """A program as an agent, and as a player at one table. It is started when it is first asked.

    Args:
        protocol: the beginning of its name; command: the program and its arguments, as in a shell.
        game: of the agent; variant: its options.
        milliseconds: the limit of a decision, where no clock runs; 0: no limit but PATIENCE.

    Raises:
        ValueError: if the program is not there.
    """

    goodbye = b""  # of the protocol
    at_returns = False  # whether a carriage return alone ends a line of the protocol
    keeps_deadlines = True  # `act` takes one, and ends a program that does not

    def __init__(self, protocol: str, command: str, game: Game, variant: Any, milliseconds: int = 0) -> None:
        self.protocol, self.command, self.game, self.variant = protocol, command, game, variant
        self.milliseconds = milliseconds
        self.child = Child(confinement.of_named(words_of(command)), self.at_returns)
        self._patience = 0.0
        self._failures = Failures()

    def __repr__(self) -> str:
        limit = f"@{self.milliseconds}ms" if self.milliseconds else ""
        called = self.child.called if confinement.is_bot(self.child.words) else self.command
        return f"{self.protocol}:{called}{limit}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.command, self.game, self.variant, self.milliseconds)

    @property
    def name(self) -> str:
        """Its name in reports."""
        return repr(self)

    @property
    def running(self) -> bool:
        """Whether the program runs."""
        return self.child.running

    @property
    def errors(self) -> list[str]:
        """The last lines of its standard error."""
        return list(self.child.errors)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None = None) -> int:
        """Return the program's action.

        Args:
            view: of the seat; mask: of legal actions; deadline: by time.monotonic, or None.

        Raises:
            EngineError: if it does not answer, or not with an action, or dies twice of the same question; it is started
                anew for the next decision.
        """
        try:
            action = self._run(lambda: self._ask(view, mask, deadline))
        except Died:
            action = self._run(lambda: self._ask(view, mask, deadline))
        self._failures.row = 0
        return action

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Ask about one view after the other."""
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)], np.int64)

    def warm_up(self, view: NDArray[Any], mask: NDArray[np.int8]) -> None:
        """Start the program before a clock runs."""
        self._run(self._started)

    def pause(self) -> None:
        """Let the program rest until it is asked or told something."""
        self.child.pause()

    def close(self) -> None:
        """Say goodbye to the program and end it."""
        self.child.close(self.goodbye)

    def limit(self, deadline: float | None) -> tuple[float | None, float]:
        """Return the seconds in the question, if any, and the time at which the program is ended."""
        now = time.monotonic()
        if deadline is not None:
            left = max(deadline - now, 0.0)
            return left, now + left + self._patience + GRACE
        if self.milliseconds:
            return self.milliseconds / 1000, now + self.milliseconds / 1000 + GRACE
        return None, now + PATIENCE

    def be_patient(self, seconds: float, late: Callable[[float], bool]) -> None:
        """Wait longer for answers than a deadline says.

        Args:
            seconds: after the deadline; late: tells of a decision that it has come too late by so many seconds, before
                these have passed.
        """
        self._patience, self.child.overdue = seconds, lambda: late(GRACE)

    @property
    def processor_time(self) -> Callable[[], float] | None:
        """A function for the seconds that processors have worked for the program and what it has started, or None."""
        child = weakref.ref(self.child)  # a ring of references would keep it running

        def seconds() -> float:
            process = 0 if (one := child()) is None else one.process
            return family.processor_time(process) if process else 0.0

        return seconds if family.TELLS_TIME else None

    @abstractmethod
    def _ask(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Ask for one action."""

    @abstractmethod
    def _greet(self) -> None:
        """Tell a program that was just started the game."""

    def _started(self) -> None:
        """Start the program, unless it runs."""
        if not self.child.running:
            self.child.start()
            overdue, self.child.overdue = self.child.overdue, never  # a start has a time of its own
            try:
                self._greet()
            except Died:
                raise
            except EngineError:  # who has not started in all that time is not waited for once more
                self._failures.row = MOST_FAILURES
                raise
            finally:
                self.child.overdue = overdue

    def _run(self, work: Any) -> Any:
        """Call a function; a program that fails is ended, and one that fails again and again is given up."""
        if self._failures.too_many:
            raise EngineError(self._failures.words(self))
        try:
            result = work()
        except BaseException as error:
            self.child.kill()
            if isinstance(error, EngineError):
                self._failures.note(str(error))
            raise
        return result
