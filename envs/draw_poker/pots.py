"""End of a hand: showdown, side pots, odd chips, and places in a tournament. § points to RULES.md."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.core.seats import clockwise
from kozyr.envs.draw_poker.evaluate import strength


@jit
def contenders(s: Any, seats: int) -> int:
    """Return the number of seats that have a claim to the pot."""
    left = 0
    for k in range(seats):
        left += (s.folded[k] == 0) & (s.out[k] == 0)
    return left


@jit
def collect(s: Any, seats: int) -> None:
    """Give the whole pot to the last seat left, whose hand stays hidden (§8)."""
    pot, last = 0, 0
    for k in range(seats):
        pot += s.paid[k]
        if not (s.folded[k] or s.out[k]):
            last = k
    s.chips[last] += pot


@jit
def show_down(s: Any, seats: int, ranking: int) -> None:
    """Show the hands of all who have not folded and share out every pot (§9, §11)."""
    for k in range(seats):
        if not (s.folded[k] or s.out[k]):
            s.strength[k] = strength(s.hand[k], ranking)
    level, top = 0, next_level(s, seats, 0)
    while top > level:
        share_out(s, seats, level, top)
        level, top = top, next_level(s, seats, top)


@jit
def next_level(s: Any, seats: int, level: int) -> int:
    """Return the least that a seat with a shown hand has paid above `level`, or `level` if nobody has (§11)."""
    top = level
    for k in range(seats):
        if s.strength[k] > 0 and s.paid[k] > level and (top == level or s.paid[k] < top):
            top = s.paid[k]
    return top


@jit
def share_out(s: Any, seats: int, level: int, top: int) -> None:
    """Share the pot of what was paid above `level` and up to `top` among the best hands that paid for it (§11)."""
    pot, best, winners = 0, 0, 0
    for k in range(seats):
        pot += min(s.paid[k], top) - min(s.paid[k], level)
        if s.paid[k] >= top:
            if s.strength[k] > best:
                best, winners = s.strength[k], 0
            winners += s.strength[k] == best
    share = pot // winners
    odd = pot - share * winners
    for i in range(1, seats + 1):
        k = clockwise(s.button, i, seats)
        if s.paid[k] >= top and s.strength[k] == best:
            s.chips[k] += share + (odd > 0)
            odd -= 1


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
