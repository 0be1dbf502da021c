"""War: the rules and nothing else.

A card is suit × ranks + rank. Each seat's cards lie in its line: those laid in this turn, then its deck from the top.
Cards of a line are numbered without end, and card number i lies at `line[seat, i & WRAP]`. § points to the
paragraphs of RULES.md.
"""

from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below, shuffle
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field

SEATS, DECK, SUITS = 2, 52, 4
ROOM, WRAP = 64, 63  # slots of a line, which is a ring; & WRAP instead of a remainder
FIXED, RANDOM, CHOICE = range(3)  # values of `pickup`
LOSE, LAST_CARD = range(2)  # values of `shortage`
FLIPPING, PICKING = 0, 1  # phases
WAR = 4  # cards that each seat lays in a war, the last face up
LONGEST_TURN = 17  # plies: 26 cards a seat allow one flip each and seven wars, then the choice …
LONGEST_FULL_TURN = 15  # … but one war less if each needs four cards a seat
NO_CARD, UNSEEN = -1, 2  # an empty slot; owner of a card that nobody has seen
_RANKS_OF = np.maximum(np.arange(DECK + 1) // SUITS, 1)[:, None]
RANK = (np.arange(DECK) % _RANKS_OF).astype(np.int8)  # [deck, card]: a look-up is faster than a division


class Variant(NamedTuple):
    """The options of the game."""

    deck: int = 52
    pickup: int = 0
    max_turns: int = 1000
    shortage: int = LOSE


FIELDS = {
    "deck": Field("cards in the deck, the highest ranks of four suits (§1)", numbers=tuple(range(8, DECK + 1, SUITS))),
    "pickup": Field(
        "how the winner of a turn puts the pool under his deck (§5)", choices=("fixed", "random", "choice")
    ),
    "max_turns": Field("counted turns after which the game is truncated (§9)", 1, 1_000_000),
    "shortage": Field(
        "what becomes of a seat with too few cards for a war (§4, §12)", choices=("lose", "last_card"), later=True
    ),
}

STATE = layout(
    SEATS,
    ("line", np.int8, (SEATS, ROOM)),  # each seat's cards: card number i at i & WRAP
    ("first", np.int32, SEATS),  # number of the first card that a seat has laid in this turn
    ("top", np.int32, SEATS),  # number of the next card to be laid; the deck is line[top … end − 1]
    ("end", np.int32, SEATS),  # number of the next card to be put under the deck
    ("owner", np.int8, DECK),  # in whose line a card is known to lie, or UNSEEN
    ("at", np.int8, DECK),  # the first slot in which a seen card can lie; alone in that, it lies there (§10)
    ("unseen", np.int32, SEATS),  # cards of each deck that nobody has seen; they lie on top
    ("phase", np.int32),  # FLIPPING or PICKING
    ("turns", np.int32),  # turns counted
    ("wars", np.int32),  # wars begun, those that ended in a shortage too
)


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Shuffle and deal the whole deck alternately, seat 0 first (§1)."""
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.phase, s.turns, s.wars = 0, 0, FLIPPING, 0, 0
    deck, half = s.at, v.deck // SEATS  # the deck is shuffled where no card has a place yet
    for c in range(v.deck):
        deck[c] = c
    shuffle(s, deck, v.deck)
    for seat in range(SEATS):
        s.payoff[seat], s.first[seat], s.top[seat], s.end[seat], s.unseen[seat] = 0.0, 0, 0, half, half
        for i in range(ROOM):
            s.line[seat, i] = deck[SEATS * i + seat] if i < half else NO_CARD
    for c in range(DECK):
        s.owner[c], s.at[c] = UNSEEN, 0
    first = below(s, SEATS)
    s.starter = starter if starter >= 0 else first
    s.turn = s.starter


@jit
def flip(v: Variant, s: Any) -> None:
    """Turn the next card of the seat to move up, and compare once both have (§2)."""
    me = s.turn
    turn_up(v, s, me)
    if me == s.starter:
        s.turn = 1 - me
    else:
        compare(v, s)


@jit
def turn_up(v: Variant, s: Any, seat: int) -> None:
    """Lay a seat's next card face up, in a war on top of three face down (§2, §3)."""
    top = s.top[seat]
    new = next_cards(v, s, seat)
    shown = top + new - 1
    c = s.line[seat, shown & WRAP]
    if v.pickup == RANDOM and s.owner[c] != UNSEEN and s.at[c] == shown & WRAP:
        narrow(s, seat, shown + 1, s.at[c])
    s.owner[c], s.at[c] = seat, shown & WRAP
    s.top[seat] = shown + 1
    s.unseen[seat] = max(s.unseen[seat] - new, 0)


@jit
def next_cards(v: Variant, s: Any, seat: int) -> int:
    """Return the number of cards that a seat lays by its next flip, the last of them face up (§2, §3, §12)."""
    if s.top[seat] == s.first[seat]:
        return 1
    return min(WAR, s.end[seat] - s.top[seat]) if v.shortage == LAST_CARD else WAR


@jit
def narrow(s: Any, seat: int, begin: int, slot: int) -> None:
    """Let the cards from number `begin` on whose first possible slot was `slot` lie no earlier than `begin` (§10)."""
    for i in range(begin, s.end[seat]):
        c = s.line[seat, i & WRAP]
        if s.at[c] != slot:
            return
        s.at[c] = begin & WRAP


@jit
def compare(v: Variant, s: Any) -> None:
    """Compare the upturned cards: the higher one takes the pool, equal ones begin a war (§2, §3)."""
    card, rival = s.line[0, (s.top[0] - 1) & WRAP], s.line[1, (s.top[1] - 1) & WRAP]
    mine, theirs = RANK[v.deck, card], RANK[v.deck, rival]
    if mine == theirs:
        begin_war(v, s)
        return
    winner = int(theirs > mine)
    if s.top[0] - s.first[0] > 1:
        for seat in range(SEATS):
            show_laid(s, seat)
    if v.pickup == CHOICE:
        s.phase, s.turn = PICKING, winner
    else:
        pick_up(v, s, winner)


@jit
def begin_war(v: Variant, s: Any) -> None:
    """Let the starter lay on, or end the game if a seat has too few cards; if both have, the starter loses (§3, §4)."""
    least = 1 if v.shortage == LAST_CARD else WAR
    s.wars += 1
    s.turn = s.starter
    other = 1 - s.starter
    if s.end[s.starter] - s.top[s.starter] < least:
        finish(s, other)
    elif s.end[other] - s.top[other] < least:
        finish(s, s.starter)


@jit
def show_laid(s: Any, seat: int) -> None:
    """Turn up what a seat has laid face down; cards that could have lain there begin at the top of the deck (§10)."""
    top = s.top[seat]
    for i in range(s.first[seat], top):
        c = s.line[seat, i & WRAP]
        s.owner[c], s.at[c] = seat, i & WRAP
    if s.end[seat] > top:
        c = s.line[seat, top & WRAP]
        if s.owner[c] != UNSEEN and s.at[c] != top & WRAP:
            narrow(s, seat, top, s.at[c])


@jit
def pick_up(v: Variant, s: Any, winner: int) -> None:
    """Put the pool under the winner's deck, who has no choice, and end the turn (§5, §6, §8)."""
    begin = s.end[winner]
    take_by_wars(s, winner)
    if v.pickup == RANDOM:
        mix(s, winner, begin)
    end_turn(v, s, winner)


@jit
def take(s: Any, winner: int, side: int, number: int) -> None:
    """Put one laid card under the winner's deck, face up for everybody (§5)."""
    c, slot = s.line[side, number & WRAP], s.end[winner] & WRAP
    s.line[winner, slot] = c
    s.owner[c], s.at[c] = winner, slot
    s.end[winner] += 1


@jit
def take_side(s: Any, winner: int, side: int) -> None:
    """Put one seat's laid cards under the winner's deck in the order in which they were laid (§7)."""
    for i in range(s.first[side], s.top[side]):
        take(s, winner, side, i)


@jit
def take_by_wars(s: Any, winner: int) -> None:
    """Put the pool under the winner's deck flip by flip: cards laid face down first, the starter's first (§5)."""
    me, other = s.starter, 1 - s.starter
    mine, theirs = s.first[me], s.first[other]
    take(s, winner, me, mine)
    take(s, winner, other, theirs)
    for war in range(1, s.top[me] - mine, WAR):
        upturned = min(mine + war + WAR, s.top[me]) - 1  # who is short has laid fewer face down (§12)
        rival = min(theirs + war + WAR, s.top[other]) - 1
        for i in range(mine + war, upturned):
            take(s, winner, me, i)
        for i in range(theirs + war, rival):
            take(s, winner, other, i)
        take(s, winner, me, upturned)
        take(s, winner, other, rival)


@jit
def mix(s: Any, seat: int, begin: int) -> None:
    """Shuffle a seat's cards from number `begin` on; each of them may then lie in any of those places (§6, §10)."""
    for i in range(s.end[seat] - 1, begin, -1):
        j, k = (begin + below(s, i - begin + 1)) & WRAP, i & WRAP
        s.line[seat, j], s.line[seat, k] = s.line[seat, k], s.line[seat, j]
    for i in range(begin, s.end[seat]):
        s.at[s.line[seat, i & WRAP]] = begin & WRAP


@jit
def sort(v: Variant, s: Any, seat: int, begin: int, falling: bool) -> None:
    """Sort a seat's cards from number `begin` on by rank; equal ranks stay in their order (§7)."""
    for i in range(begin + 1, s.end[seat]):
        c, j = s.line[seat, i & WRAP], i
        rank = RANK[v.deck, c]
        while j > begin:
            before = RANK[v.deck, s.line[seat, (j - 1) & WRAP]]
            if before == rank or (before > rank) == falling:
                break
            s.line[seat, j & WRAP] = s.line[seat, (j - 1) & WRAP]
            j -= 1
        s.line[seat, j & WRAP] = c
    for i in range(begin, s.end[seat]):
        s.at[s.line[seat, i & WRAP]] = i & WRAP


@jit
def end_turn(v: Variant, s: Any, winner: int) -> None:
    """Count the turn; the loser may have no cards left, or the cap may be reached (§8, §9)."""
    loser = 1 - winner
    for seat in range(SEATS):
        s.first[seat] = s.top[seat]
    s.turns += 1
    s.phase, s.turn = FLIPPING, s.starter
    if s.top[loser] == s.end[loser]:
        finish(s, winner)
    elif s.turns == v.max_turns:
        s.turn, s.truncated = OVER, 1


@jit
def finish(s: Any, winner: int) -> None:
    """End the game in favour of `winner` (§9)."""
    s.turn = OVER
    s.payoff[winner], s.payoff[1 - winner] = 1.0, -1.0
