"""Daifugo: the rules and nothing else.

Suits do not matter, so a hand is a count for each rank, the weakest at 0 and the joker at JOKER. Action 0 passes,
action 1 + kind × ranks + rank plays a set: kinds 0 to 3 are 1 to 4 natural cards, kinds 4 to 6 are 1 to 3 of them
with the joker; the last action plays the lone joker. § points to the paragraphs of RULES.md.
"""

from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.core.seats import clockwise
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field
from kozyr.envs.daifugo.exchange import PLAY, at_place, begin_exchange, give

SEATS, RANKS, SUITS = 8, 13, 4  # the largest game; a natural set has up to SUITS cards
SETS = SUITS * RANKS + 1  # that can be laid in a round, one card each
JOKER = RANKS  # rank of the lone joker and its place in a hand; in `top`: no limit is known
LETTERS = "3456789TJQKA2"  # all ranks from the weakest on; a game has the last ones
FROM_EIGHT = 8  # ranks from the eight upward
NOBODY = IN = NO_RANK = -1  # no owner of a pile; no place yet; no set on the pile
_PASS, _KINDS = 0, 7
_ACTIONS = np.arange(_KINDS * RANKS + 2) - 1
_RANKS_OF = np.maximum(np.arange(RANKS + 1), 1)[:, None]
KIND = (_ACTIONS // _RANKS_OF).astype(np.int8)  # [ranks, action]: a look-up is faster than a division
RANK = (_ACTIONS % _RANKS_OF).astype(np.int8)
NATURAL = np.array([1, 2, 3, 4, 1, 2, 3, 0], np.int8)  # natural cards of a kind of set; the last is the lone joker
WITH_JOKER = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int8)


class Variant(NamedTuple):
    """The options of the game."""

    players: int = 5
    ranks: int = RANKS
    joker: bool = True
    rounds: int = 1
    pass_lockout: bool = False
    revolution: bool = False
    eight_stop: bool = False
    exchange: bool = False
    dethrone: bool = False
    history: bool = False


FIELDS = {
    "players": Field("number of seats (§1)", 2, SEATS),
    "ranks": Field("ranks in the deck, the strongest of 3 … K, A, 2 (§1)", 2, RANKS),
    "joker": Field("one joker is in the deck (§1)"),
    "rounds": Field("rounds an episode (§8)", 1, 100),
    "pass_lockout": Field("who passes is out of the trick (§5)"),
    "revolution": Field("a set of four turns the order of the ranks round (§9)"),
    "eight_stop": Field("a set of eights clears the pile at once (§10)"),
    "exchange": Field("from the second round on, cards are exchanged before play (§11)"),
    "dethrone": Field("a first who is not first again drops to the last place (§12)"),
    "history": Field("the view tells who laid which set in this round, from the first on (§13)"),
}

STATE = layout(
    SEATS,
    ("hand", np.int8, (SEATS, RANKS + 1)),  # cards of each rank in each hand
    ("known", np.int8, (SEATS, RANKS + 1)),  # how many of them everybody knows to be there
    ("top", np.int8, SEATS),  # a seat's other cards are no stronger than this rank; JOKER: nothing is known
    ("count", np.int32, SEATS),  # cards in each hand
    ("played", np.int8, RANKS + 1),  # cards of each rank played in this round
    ("laid", np.int32),  # cards in the set on the pile, 0 if the pile is empty
    ("rank", np.int32),  # rank of that set, or NO_RANK
    ("jokered", np.int32),  # 1 if the joker is in it
    ("owner", np.int32),  # seat that laid it, or NOBODY
    ("passed", np.int8, SEATS),  # 1 for seats that have passed since (with `pass_lockout`: in this trick)
    ("place", np.int8, SEATS),  # places taken in this round, the first is 0; IN: still in play
    ("before", np.int8, SEATS),  # places of the round before; IN in the first round
    ("next_of", np.int8, SEATS),  # the seat that follows each in the order of turns
    ("total", np.int32, SEATS),  # sum of each seat's places in the finished rounds
    ("taken", np.int32),  # places taken from the first on
    ("upside", np.int32),  # 1 while the order of the ranks is turned round
    ("phase", np.int32),  # PLAY, GIVE_FIRST or GIVE_SECOND
    ("gives", np.int32),  # cards that the seat to move has still to give
    ("rounds", np.int32),  # rounds begun
    ("log", np.int32),  # sets laid in this round; with `history` alone, as the next three
    ("log_seat", np.int8, SETS),  # who laid each
    ("log_set", np.int8, SETS),  # its action
    ("log_lead", np.int8, SETS),  # 1 if it led a trick
)


def complaint(v: Variant) -> str:
    """Say what is impossible about a variant, or nothing."""
    for name in ("exchange", "dethrone"):
        if getattr(v, name) and v.rounds == 1:
            return f"{name}=True with rounds=1 has no meaning: it looks at the round before; choose rounds from 2 on"
    if v.eight_stop and v.ranks < FROM_EIGHT:
        return f"eight_stop=True with ranks={v.ranks} has no meaning: a deck has eights from ranks={FROM_EIGHT} on"
    return ""


@jit
def cards(v: Variant) -> int:
    """Return how many cards the deck has."""
    return SUITS * v.ranks + v.joker


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Deal the first round; the starter leads (§1)."""
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.rounds = 0, 0, 1
    seat_in_order(v, s)
    first = below(s, v.players)
    deal(v, s)
    s.starter = first if starter < 0 else starter
    s.turn = s.starter


@jit
def seat_in_order(v: Variant, s: Any) -> None:
    """Forget all rounds before; turns go clockwise (§2)."""
    s.payoff[:] = 0.0
    s.before[:], s.total[:], s.next_of[:] = IN, 0, 0
    for seat in range(v.players):
        s.next_of[seat] = clockwise(seat, 1, v.players)


@jit
def deal(v: Variant, s: Any) -> None:
    """Clear the table and deal every card, the first place of the round before first (§1, §8).

    Each card goes to a seat drawn by the cards it still lacks, which is the same as dealing a shuffled deck.
    """
    clear_table(s)
    left, least = cards(v), cards(v) // v.players
    longer = left - least * v.players
    for seat in range(v.players):
        order = seat if s.rounds == 1 else s.before[seat]
        s.count[seat] = least + (order < longer)
    for c in range(left):
        lacking, seat = below(s, left - c), 0
        while lacking >= s.count[seat]:
            lacking -= s.count[seat]
            seat += 1
        s.count[seat] -= 1
        s.hand[seat, c >> 2 if c < SUITS * v.ranks else JOKER] += 1
    for seat in range(v.players):
        order = seat if s.rounds == 1 else s.before[seat]
        s.count[seat] = least + (order < longer)


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


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Apply a legal action (§3 to §7, §11)."""
    s.ply += 1
    if s.phase != PLAY:
        give(v.players, s, JOKER if KIND[v.ranks, a] == _KINDS else RANK[v.ranks, a])
    elif a == _PASS:
        s.passed[s.turn] = 1
        ask_next(s, s.turn)
    else:
        if v.history:
            log(s, a)
        lay(v, s, KIND[v.ranks, a], RANK[v.ranks, a])


@jit
def log(s: Any, a: int) -> None:
    """Write down that the seat to move lays a set (§13)."""
    s.log_seat[s.log], s.log_set[s.log], s.log_lead[s.log] = s.turn, a, s.laid == 0
    s.log += 1


@jit
def lay(v: Variant, s: Any, kind: int, r: int) -> None:
    """Lay a set on the pile (§3, §4, §9, §10)."""
    seat, natural, joker = s.turn, NATURAL[kind], WITH_JOKER[kind]
    leave_hand(v, s, seat, r, natural)
    leave_hand(v, s, seat, JOKER, joker)
    s.laid, s.rank, s.jokered, s.owner = natural + joker, r if natural else JOKER, joker, seat
    s.count[seat] -= s.laid
    if not v.pass_lockout:
        s.passed[:] = 0
    if v.revolution and s.laid == SUITS:
        s.upside = 1 - s.upside
    if s.count[seat] == 0 and go_out(v, s, seat):
        end_round(v, s)
    elif v.eight_stop and s.rank + FROM_EIGHT == v.ranks:
        clear_pile(s)
        s.turn = first_in(s, seat)
    else:
        ask_next(s, seat)


@jit
def leave_hand(v: Variant, s: Any, seat: int, r: int, n: int) -> None:
    """Move `n` cards of a rank from a hand to the table, those that everybody knows first (§13)."""
    s.hand[seat, r] -= n
    s.played[r] += n
    if v.exchange:
        s.known[seat, r] = max(0, s.known[seat, r] - n)


@jit
def ask_next(s: Any, seat: int) -> None:
    """Give the turn to the next seat after `seat` that may answer; if there is none, clear the pile (§5, §6)."""
    k = s.next_of[seat]
    while k != s.owner and (s.place[k] != IN or s.passed[k]):
        k = s.next_of[k]
    if k == s.owner:
        clear_pile(s)
        k = first_in(s, k)
    s.turn = k


@jit
def first_in(s: Any, seat: int) -> int:
    """Return the seat, or the next one in the order of turns that is still in (§6)."""
    while s.place[seat] != IN:
        seat = s.next_of[seat]
    return seat


@jit
def go_out(v: Variant, s: Any, seat: int) -> bool:
    """Give a seat the best free place and tell whether the round is over (§7, §12)."""
    s.place[seat] = s.taken
    s.taken += 1
    if v.dethrone and s.taken == 1 and s.before[seat] > 0:
        s.place[at_place(s, 0)] = v.players - 1
    left = 0
    for k in range(v.players):
        left += s.place[k] == IN
    return left <= 1


@jit
def end_round(v: Variant, s: Any) -> None:
    """Give the last seat the place that remains, then deal the next round or pay out (§7, §8)."""
    for seat in range(v.players):
        if s.place[seat] == IN:
            s.place[seat] = s.taken
        s.total[seat] += s.place[seat]
    s.taken = v.players - 1
    if s.rounds == v.rounds:
        s.turn = OVER
        pay_out(v, s)
        return
    s.rounds += 1
    for seat in range(v.players):
        s.before[seat] = s.place[seat]
    order_turns(v, s)
    deal(v, s)
    s.turn = at_place(s, v.players - 1)
    if v.exchange:
        begin_exchange(v.players, s)


@jit
def pay_out(v: Variant, s: Any) -> None:
    """Pay the mean over the rounds of +1 for the first place to −1 for the last (§8)."""
    for seat in range(v.players):
        s.payoff[seat] = 1.0 - 2.0 * s.total[seat] / (v.rounds * (v.players - 1))


@jit
def order_turns(v: Variant, s: Any) -> None:
    """Let turns go from the last place of the round before upward, and round again (§8)."""
    for seat in range(v.players):
        better = s.before[seat] - 1
        s.next_of[seat] = at_place(s, better if better >= 0 else v.players - 1)
