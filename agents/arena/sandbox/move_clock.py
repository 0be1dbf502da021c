"""Clock of a program's decisions: by the wall, or by the time that processors have worked for it and its children.

On a loaded machine a program waits for a processor, and the clock on the wall counts that. Time of processors does not,
but a program that sleeps uses none, so the wall sets a further limit, a multiple of the first.
"""

import time
from collections.abc import Callable

from kozyr.envs.environments import argument_checks

CLOCKS = ("auto", "wall", "processor")
WALL = 5.0  # times the limit that a decision may take by the wall, if processors' time is counted


class MoveClock:
    """A limit for each decision of a program.

    Args:
        kind: "wall" counts time by the wall. "processor" counts that of processors, and WALL times the limit by the
            wall. "auto" lets pass what is in time by either; where the system does not tell processors' time, as
            "wall".
        limit: seconds.
        processor_time: gives the seconds that processors have worked for the program; None: the system does not tell.

    Raises:
        ValueError: for another kind, and for "processor" where the system does not tell it.
    """

    def __init__(self, kind: str, limit: float, processor_time: Callable[[], float] | None) -> None:
        argument_checks.choice("clock", kind, CLOCKS)
        if kind == "processor" and processor_time is None:
            raise ValueError("clock='processor' is not possible: only Linux tells it, and only of programs")
        self.kind = kind if processor_time is not None else "wall"
        self.limit, self._processor_time, self._began, self._before = limit, processor_time, 0.0, 0.0
        self._overdue = False

    @property
    def patience(self) -> float:
        """Seconds after which a decision is late in any case."""
        return self.limit if self.kind == "wall" else WALL * self.limit

    def start(self) -> float:
        """Start a decision, and return its end by the wall, by time.monotonic."""
        self._before, self._overdue = self._used(), False
        self._began = time.monotonic()
        return self._began + self.limit

    def late(self, extra: float = 0.0) -> bool:
        """Return True if the decision has taken too long, by `extra` seconds on the wall; it stays late then."""
        passed = time.monotonic() - self._began - extra
        if passed > self.patience:
            self._overdue = True
        elif self.kind == "processor" or (self.kind == "auto" and passed > self.limit):
            self._overdue = self._overdue or self._used() - self._before > self.limit
        return self._overdue

    def _used(self) -> float:
        """Return the seconds of processors so far, if they count."""
        return 0.0 if self.kind == "wall" or self._processor_time is None else self._processor_time()
