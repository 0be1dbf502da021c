"""Round of Daifugo, with suits or without: seats, places, the pile, and the log of sets."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.core.seats import clockwise
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.variant import JOKER, Variant

NOBODY = IN = NO_RANK = -1  # no owner of a pile; no place yet; no set on the pile


@jit
def seat_in_order(v: Variant, s: Any) -> None:
    """Forget all rounds before; turns go clockwise (§2)."""
    s.payoff[:] = 0.0
    s.before[:], s.total[:], s.next_of[:] = IN, 0, 0
    for seat in range(v.players):
        s.next_of[seat] = clockwise(seat, 1, v.players)


@jit
def follows(v: Variant, s: Any) -> bool:
    """Return True if places of the round before count: not in the first round, nor once they are forgotten (§20)."""
    return s.rounds > 1 and not (v.forget and (s.rounds - 1) % v.forget == 0)


@jit
def clear_table(s: Any) -> None:
    """Take all cards, marks and places off the table."""
    s.hand[:, :], s.known[:, :], s.played[:] = 0, 0, 0
    s.top[:], s.count[:], s.place[:] = JOKER, 0, IN
    s.taken, s.upside, s.phase, s.gives = 0, 0, PLAY, 0
    s.log, s.log_seat[:], s.log_set[:], s.log_lead[:] = 0, 0, 0, 0
    clear_pile(s)


@jit
def clear_pile(s: Any) -> None:
    """Take the pile away; passes are forgotten with it (§6)."""
    s.laid, s.rank, s.jokered, s.owner = 0, NO_RANK, 0, NOBODY
    s.passed[:] = 0


@jit
def log(s: Any, a: int) -> None:
    """Write down that the seat to move lays a set (§13)."""
    s.log_seat[s.log], s.log_set[s.log], s.log_lead[s.log] = s.turn, a, s.laid == 0
    s.log += 1


@jit
def first_in(s: Any, seat: int) -> int:
    """Return the seat, or the next one in the order of turns that is still in (§6)."""
    while s.place[seat] != IN:
        seat = s.next_of[seat]
    return seat


@jit
def pay_out(v: Variant, s: Any) -> None:
    """Pay the mean over the rounds of +1 for the first place to −1 for the last (§8)."""
    for seat in range(v.players):
        s.payoff[seat] = 1.0 - 2.0 * s.total[seat] / (v.rounds * (v.players - 1))
