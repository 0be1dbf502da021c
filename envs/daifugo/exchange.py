"""Cards that change hands between two rounds of Daifugo (§11)."""

from typing import Any

from kozyr.envs.compile import jit

PLAY, GIVE_FIRST, GIVE_SECOND = 0, 1, 2  # phases: cards are played, the first or the second gives back
GIFTS = 2  # cards that the last gives to the first
TWO_EXCHANGES = 4  # seats from which on the second and the last but one exchange too


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
