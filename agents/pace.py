"""Long compiled work cut into short calls: Python looks for Ctrl-C between two calls, and not within one."""

import time
from collections.abc import Iterator

_CALL = 0.03  # seconds that a call should take
_GROWTH = 8  # times as many steps as the call before, at most


def calls(first: int) -> Iterator[int]:
    """Give, without end, how many steps the next compiled call may take.

    Args:
        first: steps of the first call, few enough to be short wherever they are slow.

    Example:
        >>> next(calls(100))
        100
    """
    steps = first
    while True:
        began = time.perf_counter()
        yield steps
        spent = max(time.perf_counter() - began, 1e-9)
        steps = max(1, min(int(steps * _CALL / spent), steps * _GROWTH))


def cut(rows: int, first: int) -> Iterator[slice]:
    """Give the runs of rows that one compiled call after the other takes.

    Args:
        rows: how many there are; first: how many the first call takes.

    Example:
        >>> [run.start for run in cut(3, 4)]
        [0]
    """
    at, steps = 0, calls(first)
    while at < rows:
        last = min(at + next(steps), rows)
        yield slice(at, last)
        at = last
