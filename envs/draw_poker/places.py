"""Final places in a tournament."""

from typing import Any

from kozyr.envs.compile import jit


@jit
def places(s: Any, seats: int) -> None:
    """Write twice the place of each seat that was in this hand, as if the tournament ended here (§14).

    Chips decide; among seats that have lost theirs in this hand, those at its start. Equal seats share the mean.
    """
    for k in range(seats):
        if s.out[k] == 0:
            s.place[k] = 2
            for j in range(seats):
                if j != k and s.out[j] == 0:
                    s.place[k] += versus(s, j, k)


@jit
def versus(s: Any, other: int, seat: int) -> int:
    """Return 2 if `other` places before `seat`, 1 if they share their places, else 0."""
    a, b = s.chips[other], s.chips[seat]
    if a == 0 and b == 0:
        a, b = s.began[other], s.began[seat]
    return 2 if a > b else 1 if a == b else 0
