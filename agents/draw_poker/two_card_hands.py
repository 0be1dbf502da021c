"""Hands of two cards as the scripted poker players see them: everything is counted out."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.draw_poker.actions import BOTH
from kozyr.envs.draw_poker.deck import CARDS, TWO, own
from kozyr.envs.draw_poker.evaluate import RANK, RANKS
from kozyr.envs.draw_poker.rules import Variant
from kozyr.envs.draw_poker.view import Parts

_BITS = 4  # for the number of cards of one rank
LOWER = 0b01  # the card to exchange, as a bit


class Two(NamedTuple):
    """A seat's hand and the cards that it has not seen."""

    low: int  # rank
    high: int
    unseen: int  # cards of each rank that others may hold or the seat may draw, _BITS a rank


@jit
def look_at_two(v: Variant, view: NDArray[Any], at: Parts) -> Two:
    """Read the hand and count the cards that are neither in it nor among the own discards."""
    unseen = 0
    for i in range(v.deck):
        c = int(CARDS[v.deck, i])
        unseen += (1 - int(view[at.cards + c] | view[at.gone + c])) << _BITS * int(RANK[c])
    return Two(int(view[at.slots]) - 1, int(view[at.slots + 1]) - 1, unseen)


@jit
def number(unseen: int, rank: int) -> int:
    """Return the number of unseen cards of a rank."""
    return (unseen >> _BITS * rank) & 15


@jit
def ways(unseen: int, high: int, low: int) -> int:
    """Return the number of ways to take two cards of these ranks."""
    n = number(unseen, high)
    return n * (n - 1) // 2 if high == low else n * number(unseen, low)


@jit
def worth(low: int, high: int) -> int:
    """Return a number that is greater for the better of two hands: a pair beats two ranks, then the higher counts."""
    return (RANKS * RANKS if low == high else 0) + RANKS * high + low


@jit
def beaten(it: Two) -> float:
    """Return the chance that two unseen cards are better than the hand; equal ones count half."""
    mine, better, every = worth(it.low, it.high), 0.0, 0.0
    for high in range(RANKS):
        for low in range(high + 1):
            n, theirs = ways(it.unseen, high, low), worth(low, high)
            every += n
            better += n if theirs > mine else 0.5 * n * (theirs == mine)
    return better / max(1.0, every)


@jit
def draw(it: Two, rank: int, other: int) -> Two:
    """Return the seat's knowledge once it holds an unseen card of a rank and another that it had, or has drawn too."""
    return Two(min(rank, other), max(rank, other), it.unseen - (1 << _BITS * rank))


@jit
def ahead_after(it: Two, change: int) -> float:
    """Return the chance to be ahead of two unseen cards after exchanging those whose bits are set."""
    if change == 0:
        return 1.0 - beaten(it)
    total, every, other = 0.0, 0.0, it.high if change == LOWER else it.low
    for rank in range(RANKS):
        if change == BOTH:
            for low in range(rank + 1):
                n = ways(it.unseen, rank, low)
                if n > 0:
                    total += n * (1.0 - beaten(draw(draw(it, low, low), rank, low)))
                    every += n
        elif number(it.unseen, rank) > 0:
            n = number(it.unseen, rank)
            total += n * (1.0 - beaten(draw(it, rank, other)))
            every += n
    return total / max(1.0, every)


@jit
def best_of_two(v: Variant, it: Two) -> tuple[int, float]:
    """Return the cards whose exchange promises most, as bits, and the chance to be ahead afterwards."""
    best, most = 0, -1.0
    for change in range(BOTH + 1):
        if change == BOTH and own(v) < 2 * TWO:
            continue
        ahead = ahead_after(it, change)
        if ahead > most:
            best, most = change, ahead
    return best, most
