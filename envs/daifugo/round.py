"""Round of Daifugo, with suits or without: seats, places, the exchange before it, the pile, and the log of sets."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.core.seats import clockwise
from kozyr.envs.daifugo.variant import GIFTS, JOKER, Variant

NOBODY = IN = NO_RANK = -1  # no owner of a pile; no place yet; no set on the pile
PLAY, GIVE_FIRST, GIVE_SECOND = 0, 1, 2  # phases: cards are played, the first or the second gives back
TWO_EXCHANGES = 4  # seats from which on the second and the last but one exchange too


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


@jit
def at_place(s: Any, place: int) -> int:
    """Return the seat that took a place in the round before."""
    for seat in range(len(s.before)):
        if s.before[seat] == place:
            return seat
    return 0


@jit
def begin_exchange(players: int, s: Any) -> None:
    """Hand the best cards upward, then let the first choose what to give back."""
    first, last = at_place(s, 0), at_place(s, players - 1)
    s.phase, s.gives, s.turn = GIVE_FIRST, min(GIFTS, s.count[last]), first
    hand_up(s, last, first, s.gives)
    if players >= TWO_EXCHANGES:
        hand_up(s, at_place(s, players - 2), at_place(s, 1), 1)


@jit
def hand_up(s: Any, giver: int, taker: int, n: int) -> None:
    """Move the giver's best cards; what he keeps is known to be no better (§13)."""
    r = s.hand.shape[1] - 1  # the joker
    for _ in range(n):
        while s.hand[giver, r] == 0:
            r -= 1
        hand_over(s, giver, taker, r)
    s.top[giver] = r


@jit
def hand_over(s: Any, giver: int, taker: int, r: int) -> None:
    """Move a card from hand to hand for all to see; the giver's known cards go first (§13)."""
    s.hand[giver, r] -= 1
    s.count[giver] -= 1
    s.known[giver, r] = max(0, s.known[giver, r] - 1)
    s.hand[taker, r] += 1
    s.count[taker] += 1
    s.known[taker, r] += 1


@jit
def give(players: int, s: Any, r: int) -> None:
    """Give a card back; after the last one the second gives, or the last place leads."""
    hand_over(s, s.turn, at_place(s, players - s.phase), r)
    s.gives -= 1
    if s.gives > 0:
        return
    if s.phase == GIVE_FIRST and players >= TWO_EXCHANGES:
        s.phase, s.gives, s.turn = GIVE_SECOND, 1, at_place(s, 1)
    else:
        s.phase, s.turn = PLAY, at_place(s, players - 1)
