"""Time limits of programs: their own runner ends them, so they need no other process.

Between its decisions a program is paused, so that it takes no time from the others.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.processes import ProcessEnded
from kozyr.agents.arena.sandbox.move_clock import MoveClock
from kozyr.envs.environments.agent_protocol import Absent, Lost
from kozyr.envs.table.table import TIME


def late(seconds: float) -> Lost:
    """Return the error of a decision that took longer than the limit."""
    return Absent(f"{TIME}: took longer than {seconds:g} s", TIME)


class TimeLimitedProgram:
    """A program as an agent with a time limit for each decision; its own runner ends it.

    Args:
        program: an agent whose `act` takes a deadline; limit: seconds.
        clock: one of `move_clock.CLOCKS`.

    Raises:
        ValueError: for another clock, or one that this system does not have.
    """

    def __init__(self, program: Any, limit: float, clock: str = "auto") -> None:
        self.program, self.limit, self.name = program, limit, str(program.name)
        self._clock = MoveClock(clock, limit, getattr(program, "processor_time", None))
        if hasattr(program, "be_patient"):
            program.be_patient(self._clock.patience - limit, self._clock.late)

    def __repr__(self) -> str:
        return repr(self.program)

    def reset(self, seat: int, seed: int) -> None:
        """Prepare for new games."""
        self.program.reset(seat, seed)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the program's action, or raise Lost."""
        if not self.program.running:
            self.program.warm_up(view, mask)  # its start does not count
        end = self._clock.start()
        try:
            action = self.program.act(view, mask, end)
            is_late = self._clock.late()
        except Exception as error:
            if self._clock.late() and not isinstance(error, ProcessEnded):
                raise late(self.limit) from None
            raise
        finally:
            self.program.pause()
        if is_late:
            raise late(self.limit)
        return action

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Ask about one view after the other."""
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)])

    def each(self, views: NDArray[Any], masks: NDArray[np.int8]) -> Iterator[Any]:
        """Yield the answer to each view, or the exception."""
        for view, mask in zip(views, masks, strict=True):
            try:
                yield self.act(view, mask)
            except Exception as error:
                yield error

    def close(self) -> None:
        """End the program."""
        self.program.close()
