"""Known cards of a line of War: single ones, and blocks of neighbours whose order is not known."""

from typing import Any

from kozyr.envs.compile import jit
from kozyr.envs.pictures.scene import SEES_ALL
from kozyr.envs.war.rules import NO_CARD, RANK, SUITS, WRAP, Variant

ALL_RANKS = 13
BACKS = 100  # IDs of backs; those of faces are below


@jit
def face(v: Variant, c: int) -> int:
    """Return the face of a card."""
    ranks = v.deck // SUITS
    return 1 + c // ranks * ALL_RANKS + ALL_RANKS - ranks + RANK[v.deck, c]


@jit
def back(s: Any, who: int, number: int) -> int:
    """Return the ID of a back by its place in a line, counted from the first card laid in this turn."""
    return BACKS + who * (WRAP + 1) + number - s.first[who]


@jit
def same_block(s: Any, who: int, number: int, other: int) -> bool:
    """Return True if two cards of a line may have changed places for all that anybody knows."""
    c, d = s.line[who, number & WRAP], s.line[who, other & WRAP]
    return s.owner[d] == who and s.at[d] == s.at[c]


@jit
def block(s: Any, who: int, number: int) -> int:
    """Return the number of cards with the same possible places as one of a line; 0 if nobody has seen it."""
    if s.owner[s.line[who, number & WRAP]] != who:
        return 0
    count = 0
    for i in range(s.first[who], s.end[who]):
        count += same_block(s, who, number, i)
    return count


@jit
def shown(v: Variant, s: Any, seat: int, who: int, number: int) -> int:
    """Return the card to show in a place of a line, or NO_CARD; cards of a block are shown in the order of the deck."""
    c = s.line[who, number & WRAP]
    if seat == SEES_ALL:
        return c
    size = block(s, who, number)
    if size < 2:
        return c if size == 1 else NO_CARD
    before, first = 0, s.end[who]
    for i in range(s.first[who], s.end[who]):
        if same_block(s, who, number, i):
            first = min(first, i)
            before += i < number
    if first < s.top[who]:  # it is open which of them lies on the table
        return NO_CARD
    for d in range(v.deck):
        if s.owner[d] == who and s.at[d] == s.at[c]:
            if before == 0:
                return d
            before -= 1
    return NO_CARD
