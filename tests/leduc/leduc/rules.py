"""Leduc poker: the rules and nothing else. Card c has rank c // 2; § points to the paragraphs of RULES.md."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below, shuffle
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field

SEATS, CARDS, SUITS, STREETS = 3, 8, 2, 2  # the most there can be
LONGEST = 7  # actions of a round of three: call, call, raise, call, raise, call, call
RAISES = 2
MOST = 13  # chips that one seat can pay
NO_CARD = -1


class Variant(NamedTuple):
    """The options of the game."""

    players: int = 2


FIELDS = {"players": Field("seats (§1)", 2, SEATS)}

STATE = layout(
    SEATS,
    ("hand", np.int8, SEATS),  # each seat's card, or NO_CARD
    ("open_card", np.int8),  # the card that the second round lays open; until then nobody sees it
    ("street", np.int32),  # round of betting, 0 or 1
    ("raises", np.int32),  # in this round
    ("left", np.int32),  # seats that must act before the round ends
    ("acts", np.int32),  # actions in this round
    ("paid", np.int32, SEATS),  # chips
    ("folded", np.int8, SEATS),  # 1 for who is out
    ("past", np.int8, (STREETS, LONGEST)),  # the actions of each round, plus 1; 0: none
)


class Actions(ActionLayout):
    """The actions, in the order of their numbers."""

    fold = Action("fold")
    call = Action("call, or check where that costs nothing")
    bet = Action("raise", word="raise")


FOLD, CALL, RAISE = Actions.kinds()  # one action of each kind, so that these are their numbers, too


@jit
def cards(v: Variant) -> int:
    """Return the size of the deck (§1)."""
    return SUITS * (v.players + 1)


@jit
def longest(v: Variant) -> int:
    """Return the most actions of a round."""
    return 3 * v.players - 2


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Shuffle and deal (§1)."""
    s.rng = np.uint64(seed)
    first = below(s, v.players)
    deal(v, s)
    begin(v, s, starter if starter >= 0 else first)


@jit
def deal(v: Variant, s: Any) -> None:
    """Give everybody a card and put one aside (§1)."""
    deck = stack_array(CARDS, np.int8)
    for c in range(cards(v)):
        deck[c] = c
    shuffle(s, deck, cards(v))
    for k in range(SEATS):
        s.hand[k] = deck[k] if k < v.players else NO_CARD
    s.open_card = deck[v.players]


@jit
def begin(v: Variant, s: Any, starter: int) -> None:
    """Let everybody pay a chip and the starter act first (§1, §2); the cards are dealt."""
    s.starter, s.turn, s.ply, s.truncated = starter, starter, 0, 0
    s.street, s.raises, s.acts, s.left = 0, 0, 0, v.players
    for k in range(SEATS):
        s.payoff[k], s.folded[k] = 0.0, 0
        s.paid[k] = 1 if k < v.players else 0
    s.past[:] = 0


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§2, §3)."""
    mask[:] = 0
    if s.turn != OVER:
        mask[FOLD] = s.paid[s.turn] < highest(v, s)
        mask[CALL] = 1
        mask[RAISE] = s.raises < RAISES


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Fold, call or raise (§2 to §4)."""
    me = s.turn
    s.past[s.street, s.acts] = a + 1
    s.acts += 1
    s.ply += 1
    s.left -= 1
    if a == FOLD:
        s.folded[me] = 1
    else:
        s.paid[me] = highest(v, s)
    if a == RAISE:
        s.paid[me] += 2 * (s.street + 1)
        s.raises += 1
        s.left = alive(v, s) - 1
    if alive(v, s) == 1:
        finish(v, s)
    elif s.left > 0:
        s.turn = following(v, s, me + 1)
    elif s.street == 0:
        s.street, s.raises, s.acts, s.left = 1, 0, 0, alive(v, s)
        s.turn = following(v, s, s.starter)
    else:
        finish(v, s)


@jit
def highest(v: Variant, s: Any) -> int:
    """Return the most that a seat has paid."""
    most = 0
    for k in range(v.players):
        most = max(most, s.paid[k])
    return most


@jit
def alive(v: Variant, s: Any) -> int:
    """Count the seats that have not folded."""
    count = 0
    for k in range(v.players):
        count += 1 - s.folded[k]
    return count


@jit
def following(v: Variant, s: Any, seat: int) -> int:
    """Return the first seat from `seat` on that has not folded."""
    k = seat % v.players
    while s.folded[k]:
        k = (k + 1) % v.players
    return k


@jit
def strength(v: Variant, s: Any, seat: int) -> int:
    """Return a number that is higher for the better hand (§6); −1 for who has folded."""
    if s.folded[seat]:
        return -1
    rank = s.hand[seat] // SUITS
    return rank + (v.players + 1 if rank == s.open_card // SUITS else 0)


@jit
def finish(v: Variant, s: Any) -> None:
    """Share what was paid among the best hands (§5 to §7)."""
    best, winners, pot = -1, 0, 0
    for k in range(v.players):
        pot += s.paid[k]
        own = strength(v, s, k)
        if own > best:
            best, winners = own, 0
        winners += own == best
    for k in range(v.players):
        won = pot / winners if strength(v, s, k) == best else 0.0
        s.payoff[k] = (won - s.paid[k]) / (MOST * (v.players - 1.0))
    s.turn = OVER


@jit
def find(entries: NDArray[Any]) -> int:
    """Return the place of the only 1, or −1."""
    for i in range(len(entries)):
        if entries[i]:
            return i
    return -1


@implements(dispatch.sound, Variant)
def cards_differ_and_chips_are_few(v: Variant, s: Any) -> bool:
    """Check that no card is there twice and nobody has paid too much."""
    there = 1 << int(s.open_card)
    for k in range(v.players):
        card = 1 << int(s.hand[k])
        if there & card or not 0 <= s.hand[k] < cards(v) or not 1 <= s.paid[k] <= MOST:
            return False
        there |= card
    return True
