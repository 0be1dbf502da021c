"""Clocks: how long the seats of a table may think."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kozyr.envs.core.quote import quote

FOREVER = 1e9  # seconds, which no clock has


@dataclass(frozen=True)
class Clock:
    """Clock: the time of each seat in seconds; a seat that is late loses the game.

    Args:
        move: for each decision, or None.
        game: for all of a seat's decisions together, or None.
        increment: what a seat's `game` grows by after each of its decisions.
        now: what tells the time, in seconds that never run back.

    Raises:
        ValueError: for a clock without a limit, and for times that are not above zero.

    Example:
        >>> Clock(game=60, increment=2)
        Clock(move=None, game=60, increment=2)
    """

    move: float | None = None
    game: float | None = None
    increment: float = 0.0
    now: Callable[[], float] = field(default=time.monotonic, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the times."""
        if self.move is None and self.game is None:
            raise ValueError("a clock needs a limit: give move=seconds, game=seconds or both")
        for name in ("move", "game"):
            value = getattr(self, name)
            if value is not None and not (_is_time(value) and value > 0):
                raise ValueError(
                    f"{name}={quote(value)} is not allowed: {name} is a number of seconds above 0, or None"
                )
        if not (_is_time(self.increment) and self.increment >= 0):
            raise ValueError(f"increment={quote(self.increment)} is not allowed: it is a number of seconds from 0 on")
        if self.increment and self.game is None:
            raise ValueError(f"increment={quote(self.increment)} needs game=seconds, which it adds to")


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < FOREVER


class Watch:
    """A clock at a table: it runs for one seat at a time, from `start` to `stop`.

    Attributes:
        left: seconds that each seat has left of its `game`, as of its last decision; empty without such a limit.
    """

    def __init__(self, clock: Clock, seats: int, left: Sequence[float] = ()) -> None:
        self.clock = clock
        self.left = list(left) if left else [] if clock.game is None else [float(clock.game)] * seats
        self._began: float | None = None
        self._deadline = math.inf

    def start(self, seat: int) -> float:
        """Start for a seat's decision, unless it runs already, and return when its time is up."""
        if self._began is None:
            self._began = self.clock.now()
            limits = [self.clock.move, self.left[seat] if self.left else None]
            self._deadline = self._began + min(limit for limit in limits if limit is not None)
        return self._deadline

    @property
    def late(self) -> bool:
        """Whether the clock runs and the time is up."""
        return self._began is not None and self.clock.now() > self._deadline

    def stop(self, seat: int) -> None:
        """Stop after a seat's decision, and take the seconds from what it has left."""
        if self._began is not None and self.left:
            used = self.clock.now() - self._began
            self.left[seat] = max(self.left[seat] - used, 0.0) + self.clock.increment
        self._began = None
