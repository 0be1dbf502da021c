"""The order of seats round a table."""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.compile import jit


@jit
def clockwise(seat: int, steps: int, seats: int) -> int:
    """Return the seat some steps on, at most once round; a remainder would cost a division."""
    seat += steps
    return seat if seat < seats else seat - seats


@jit
def following(seat: int, out: NDArray[Any], seats: int) -> int:
    """Return the next seat clockwise that is not out."""
    seat = clockwise(seat, 1, seats)
    while out[seat]:
        seat = clockwise(seat, 1, seats)
    return seat
