"""Interruptible compiled work: it runs in short calls, because Python handles Ctrl-C only between two calls."""

import time
from collections.abc import Callable, Iterator

_CALL = 0.03  # seconds that a call should take
_GROWTH = 8  # times as many steps as before, at most


class Pace:
    """Number of steps of one compiled call: few at first, then as many as fit a short call.

    Attributes:
        steps: of the next call.

    Args:
        first: steps of the first call, few enough to be short even if they are slow.
        check: called after each call; it may raise to end the work.
    """

    def __init__(self, first: int, check: Callable[[], None] | None = None) -> None:
        self.steps, self._check, self._began = first, check, time.perf_counter()

    def took(self, steps: int) -> None:
        """Adapt to the time of the call that has just ended, which took `steps` steps."""
        if self._check is not None:
            self._check()
        now = time.perf_counter()
        fitting = int(steps * _CALL / max(now - self._began, 1e-6))
        self.steps, self._began = max(1, min(fitting, self.steps * _GROWTH)), now

    def calls(self) -> Iterator[int]:
        """Yield the number of steps of the next call, without end; every call but the last one takes them all."""
        while True:
            yield self.steps
            self.took(self.steps)


def cut(rows: int, first: int) -> Iterator[slice]:
    """Yield the rows of each compiled call as slices; the first call takes `first` rows.

    Example:
        >>> [(run.start, run.stop) for run in cut(3, 4)]
        [(0, 3)]
    """
    if 0 < rows <= first:
        yield slice(0, rows)
        return
    at, pace = 0, Pace(first)
    while at < rows:
        run = slice(at, min(at + pace.steps, rows))
        yield run
        at = run.stop
        pace.took(run.stop - run.start)
