"""Five-card draw: the rules and nothing else.

A card is suit × 13 + rank; hands lie sorted by rank, then suit. § points to the paragraphs of RULES.md; `actions.py`
tells which moves are legal.
"""

from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.compile import jit, lowest_bit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.core.seats import clockwise, following
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field
from kozyr.envs.draw_poker import deck
from kozyr.envs.draw_poker.deck import OWN, SEATS, SHORT, TWO, deal_to, share, shuffled
from kozyr.envs.draw_poker.evaluate import DECK, HAND, NO_CARD, sort, strength

FIRST, EXCHANGE, SECOND, ENDED = 0, 1, 2, 3  # phases
NOBODY, NOT_YET = -1, -1
TOURNAMENT = 1  # second choice of `episode`


class Variant(NamedTuple):
    """The options of the game."""

    players: int = 4
    stack: int = 100
    ante: int = 1
    max_bet: int = 10
    ranking: int = 0
    episode: int = 0
    max_hands: int = 500
    deck: int = DECK
    min_raise: bool = False
    max_discards: int = HAND
    four_with_ace: bool = False


FIELDS = {
    "players": Field("number of seats (§1)", 2, SEATS),
    "stack": Field("chips of every seat at the start (§1)", 1, 1000),
    "ante": Field("chips that every seat pays before each hand (§3)", 0, 100),
    "max_bet": Field("most that a seat may bet in one betting round (§5)", 1, 100),
    "ranking": Field("which combination beats which (§9)", choices=("document", "standard")),
    "episode": Field("one hand, or hands until one seat holds all chips (§13, §14)", choices=("hand", "tournament")),
    "max_hands": Field("hands after which a tournament is truncated (§14)", 1, 10_000),
    "deck": Field(
        "cards; fewer than 52, with hands of two, for small exact experiments (§1, §2)", numbers=(*SHORT, DECK)
    ),
    "min_raise": Field("raise by the last raise at least (§17)", later=True),
    "max_discards": Field("most cards that a seat may discard (§18)", 0, HAND, later=True),
    "four_with_ace": Field("who keeps an ace may discard four cards, with a lower `max_discards` (§18)", later=True),
}

_STANDARD = {"ranking": "standard", "min_raise": True, "max_discards": 3, "four_with_ace": True}
PRESETS = {"standard": _STANDARD, "tournament": {**_STANDARD, "episode": "tournament"}}  # as people play it

STATE = layout(
    SEATS,
    ("deck", np.int8, DECK),  # shuffled; seat k's hand is dealt from deck[own · k], what it draws lies behind it
    ("hand", np.int8, (SEATS, HAND)),  # sorted by rank, then suit; NO_CARD behind it and for seats that are out
    ("discarded", np.int8, (SEATS, HAND)),  # what each seat has discarded in this hand, else NO_CARD
    ("exchanged", np.int8, SEATS),  # how many cards each has exchanged, or NOT_YET
    ("folded", np.int8, SEATS),  # 1 for seats that have given this hand up
    ("pending", np.int8, SEATS),  # 1 for seats that have still to act in this phase, unless somebody raises
    ("out", np.int8, SEATS),  # 1 for seats that have left the tournament
    ("place", np.int32, SEATS),  # twice the final place in the tournament (a shared 1½ is 3), 0 while unknown
    ("chips", np.int32, SEATS),  # what each seat can still bet
    ("bet", np.int32, (2, SEATS)),  # bets of the two rounds of this hand
    ("paid", np.int32, SEATS),  # what each has put into the pot in this hand, ante included
    ("began", np.int32, SEATS),  # chips at the start of this hand
    ("change", np.int32, SEATS),  # chips won or lost in the last hand that is finished
    ("strength", np.int32, SEATS),  # of each hand shown at the end, 0 where none was
    ("phase", np.int32),  # FIRST, EXCHANGE, SECOND, or ENDED once the episode is over
    ("button", np.int32),  # seat before the one that acts first
    ("highest", np.int32),  # highest bet of this betting round
    ("raiser", np.int32),  # seat that made it, or NOBODY; forgotten when the second round begins
    ("hands", np.int32),  # hands begun
    ("full_raise", np.int32),  # the last raise of this betting round that was large enough, with `min_raise`; else 0
)


def complaint(v: Variant) -> str:
    """Return the reason why a variant is impossible, or ""."""
    if v.stack <= v.ante:
        return f"stack={v.stack} with ante={v.ante} leaves nothing to bet: make the stack larger than the ante"
    if v.four_with_ace and (v.deck != DECK or v.max_discards > HAND - 2):
        return (
            f"four_with_ace with deck={v.deck} and max_discards={v.max_discards} changes nothing: it is for hands of "
            "five cards and max_discards=3 or less"
        )
    return deck.complaint(v)


def longest(v: Variant) -> int:
    """Return more plies than an episode can have: every raise lets every seat act once more."""
    hands = v.max_hands if v.episode == TOURNAMENT else 1
    return hands * v.players * (2 * (v.max_bet + 1) + 1)


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Hand out the chips, deal the first hand and open it (§1, §2)."""
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.hands, s.full_raise = 0, 0, 0, 0
    for k in range(SEATS):
        s.payoff[k], s.change[k], s.place[k], s.out[k] = 0.0, 0, 0, 0
        s.chips[k] = v.stack if k < v.players else 0
    deal(v, s)
    first = below(s, v.players)
    s.starter = first if starter < 0 else starter
    s.button = clockwise(s.starter, v.players - 1, v.players)
    open_hand(s, v.players)


@jit
def deal(v: Variant, s: Any) -> None:
    """Shuffle the whole deck, take the antes and deal every seat its cards (§2, §3)."""
    s.hands += 1
    s.raiser = NOBODY
    shuffled(v, s)
    for k in range(SEATS):
        s.folded[k], s.exchanged[k], s.strength[k] = 0, NOT_YET, 0
        s.bet[0, k], s.bet[1, k] = 0, 0
        s.began[k] = s.chips[k]
        s.paid[k] = min(v.ante, s.chips[k])
        s.chips[k] -= s.paid[k]
        for i in range(HAND):
            s.discarded[k, i], s.hand[k, i] = NO_CARD, NO_CARD
        if k < v.players and s.out[k] == 0:
            deal_to(v, s, k)


@jit
def open_hand(s: Any, seats: int) -> None:
    """Begin the first betting round, or the exchange if the antes leave at most one seat able to bet (§4)."""
    if able(s) > 1:
        begin_betting(s, FIRST, seats)
    else:
        begin_exchange(s, seats)


@jit
def able(s: Any) -> int:
    """Return the number of seats that can bet: they have chips and have not folded."""
    seats = 0
    for k in range(SEATS):
        seats += (s.chips[k] > 0) & (s.folded[k] == 0)
    return seats


@jit
def begin_betting(s: Any, phase: int, seats: int) -> None:
    """Let every seat that can bet act, the first one after the button to begin with (§4, §5)."""
    s.phase, s.highest, s.raiser = phase, 0, NOBODY
    for k in range(SEATS):
        s.pending[k] = (s.chips[k] > 0) & (s.folded[k] == 0)
    s.turn = next_pending(s, s.button, seats)


@jit
def begin_exchange(s: Any, seats: int) -> None:
    """Let every seat that has not folded exchange cards (§4, §7)."""
    s.phase, s.highest = EXCHANGE, 0
    for k in range(SEATS):
        s.pending[k] = k < seats and s.folded[k] == 0 and s.out[k] == 0
    s.turn = next_pending(s, s.button, seats)


@jit
def next_pending(s: Any, seat: int, seats: int) -> int:
    """Return the next seat clockwise that has still to act in this phase, or NOBODY."""
    waiting = 0
    for k in range(SEATS):
        waiting |= int(s.pending[k]) << k
    if not waiting:
        return NOBODY
    return clockwise(seat, 1 + lowest_bit((waiting | waiting << seats) >> seat + 1), seats)


@jit
def fold(s: Any, seats: int) -> None:
    """Give the hand up; nobody has to act if that leaves at most one seat able to bet, and nothing to match (§6)."""
    s.folded[s.turn] = 1
    bets, betting, owing = s.bet[s.phase >> 1], 0, 0
    for k in range(SEATS):
        can = (s.chips[k] > 0) & (s.folded[k] == 0)
        betting += can
        owing += can & (bets[k] < s.highest)
    if contenders(s, seats) == 1 or (betting <= 1 and owing == 0):
        s.pending[:] = 0


@jit
def pay_up_to(s: Any, bet: int) -> None:
    """Raise the mover's bet of this round to `bet`, or as far as its chips go (§5)."""
    k, bets = s.turn, s.bet[s.phase >> 1]
    amount = min(bet - bets[k], s.chips[k])
    bets[k] += amount
    s.paid[k] += amount
    s.chips[k] -= amount


@jit
def raise_to(s: Any, bet: int, seats: int, min_raise: bool) -> None:
    """Raise; everybody else who can bet has to act again (§5)."""
    pay_up_to(s, bet)
    if min_raise:
        s.full_raise = max(s.full_raise, bet - s.highest)  # less is all in, and lets nobody raise again (§17)
    s.highest, s.raiser = bet, s.turn
    for k in range(seats):
        s.pending[k] = (s.chips[k] > 0) & (s.folded[k] == 0) & (k != s.turn)


@jit
def exchange(s: Any, subset: int, deck: int, seats: int) -> None:
    """Discard the cards whose bits are set and draw as many from the seat's own part of the deck (§7)."""
    k, n = s.turn, 0
    first = OWN * k + HAND if deck == DECK else share(deck, seats) * k + TWO
    hand, discarded = s.hand[k], s.discarded[k]
    for i in range(HAND):
        if (subset >> i) & 1:
            discarded[n], hand[i] = hand[i], s.deck[first + n]
            n += 1
    s.exchanged[k] = n
    sort(hand)


@jit
def end_phase(v: Variant, s: Any) -> None:
    """Go on to the next phase, or end the hand; a betting round in which nobody could be answered is left out (§4)."""
    alone = contenders(s, v.players) == 1
    s.full_raise = 0
    if s.phase == FIRST and not alone:
        begin_exchange(s, v.players)
    elif s.phase == EXCHANGE and able(s) > 1:
        begin_betting(s, SECOND, v.players)
    else:
        if alone:
            collect(s, v.players)
        else:
            show_down(s, v.players, v.ranking)
        end_hand(v, s)


@jit
def end_hand(v: Variant, s: Any) -> None:
    """Note who won how much, clear the table, and end the episode or deal the next hand (§12 to §14)."""
    s.highest = 0
    for k in range(SEATS):
        s.change[k] = s.chips[k] - s.began[k]
        s.bet[0, k], s.bet[1, k], s.paid[k] = 0, 0, 0
    if v.episode == TOURNAMENT:
        go_on(v, s)
    else:
        finish(v, s)


@jit
def go_on(v: Variant, s: Any) -> None:
    """Deal the next hand of a tournament, or end it (§14)."""
    places(s, v.players)
    left = 0
    for k in range(v.players):
        s.out[k] = s.chips[k] == 0
        left += s.chips[k] > 0
    if left > 1 and s.hands < v.max_hands:
        for k in range(v.players):
            s.place[k] *= s.out[k]  # the others' places are not final
        s.button = following(s.button, s.out, v.players)
        deal(v, s)
        open_hand(s, v.players)
    else:
        s.truncated = left > 1
        finish(v, s)


@implements(dispatch.has_result, Variant)
def has_result(v: Variant, s: Any, seat: int) -> bool:
    """Return True if a seat is out, which fixes its place in the tournament (§14)."""
    return v.episode == TOURNAMENT and s.out[seat] != 0


@jit
def finish(v: Variant, s: Any) -> None:
    """End the episode."""
    s.turn, s.phase = OVER, ENDED
    pay_out(v, s)


@jit
def pay_out(v: Variant, s: Any) -> None:
    """Write the payoffs: by final place, or what the only hand has changed (§13, §14)."""
    most = (v.players - 1) * min(v.stack, v.ante + 2 * v.max_bet)
    for k in range(v.players):
        if v.episode == TOURNAMENT:
            s.payoff[k] = 1.0 - (s.place[k] - 2) / (v.players - 1)
        else:
            s.payoff[k] = s.change[k] / most


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
