"""Daifugo: the rules and nothing else.

Suits do not matter, so a hand is a count for each rank, the weakest at 0 and the joker at JOKER. § points to the
paragraphs of RULES.md; `actions.py` has the sets.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import (
    IN,
    PLAY,
    at_place,
    begin_exchange,
    clear_pile,
    clear_table,
    first_in,
    give,
    log,
    pay_out,
    seat_in_order,
)
from kozyr.envs.daifugo.suited import rules as suited
from kozyr.envs.daifugo.variant import FROM_EIGHT, JOKER, SEATS, SUITS, Variant


@jit
def cards(v: Variant) -> int:
    """Return the number of cards in the deck."""
    return SUITS * v.ranks + v.joker


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Deal the first round; the starter leads (§1)."""
    if v.suits:
        suited.start(v, s, seed, starter)
        return
    s.rng = np.uint64(seed)
    s.ply, s.truncated, s.rounds = 0, 0, 1
    seat_in_order(v, s)
    first = below(s, v.players)
    deal(v, s)
    s.starter = first if starter < 0 else starter
    s.turn = s.starter


@jit
def deal(v: Variant, s: Any) -> None:
    """Clear the table and deal every card, the first place of the round before first (§1, §8).

    Each card goes to a seat drawn by the cards it still lacks, which is the same as dealing a shuffled deck.
    """
    clear_table(s)
    left, least = cards(v), cards(v) // v.players
    longer, lacked = left - least * v.players, 0
    ends = stack_array(SEATS, np.int32)  # cards that the seats up to each still lack
    for seat in range(SEATS):
        if seat < v.players:
            order = seat if s.rounds == 1 else s.before[seat]
            s.count[seat] = least + (order < longer)
            lacked += s.count[seat]
        ends[seat] = lacked
    for c in range(left):
        draw_seat(s, below(s, left - c), c >> 2 if c < SUITS * v.ranks else JOKER, ends)


@jit
def draw_seat(s: Any, lacking: int, r: int, ends: NDArray[np.int32]) -> None:
    """Give a card of a rank to the seat that lacks the card of this number; looking at all seats needs no branches."""
    seat = 0
    for k in range(SEATS):
        before = ends[k] <= lacking
        seat += before
        ends[k] -= 1 - before
    s.hand[seat, r] += 1


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Apply a legal action (§3 to §7, §11)."""
    s.ply += 1
    if v.suits:
        suited.play(v, s, a)
    elif s.phase != PLAY:
        give(v.players, s, RANK[v.ranks, a] if NATURAL[KIND[v.ranks, a]] else JOKER)
    elif a == PASS:
        s.passed[s.turn] = 1
        ask_next(s, s.turn)
    else:
        if v.history:
            log(s, a)
        lay(v, s, KIND[v.ranks, a], RANK[v.ranks, a])


@jit
def lay(v: Variant, s: Any, kind: int, r: int) -> None:
    """Lay a set on the pile (§3, §4, §9, §10)."""
    seat, natural, joker = s.turn, NATURAL[kind], WITH_JOKER[kind]
    leave_hand(s, seat, r, natural, v.exchange)
    leave_hand(s, seat, JOKER, joker, v.exchange)
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
def leave_hand(s: Any, seat: int, r: int, n: int, exchange: bool) -> None:
    """Move `n` cards of a rank from a hand to the table, those that everybody knows first (§13)."""
    s.hand[seat, r] -= n
    s.played[r] += n
    if exchange:
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
def go_out(v: Variant, s: Any, seat: int) -> bool:
    """Give a seat the best free place and tell whether the round is over (§7, §12, §22)."""
    if v.foul_finish and is_foul(v, s):
        take_last_free(v, s, seat)
    else:
        s.place[seat] = s.taken
        s.taken += 1
    if v.dethrone and s.taken == 1 and s.before[seat] > 0:
        s.place[at_place(s, 0)] = v.players - 1
    left = 0
    for k in range(v.players):
        left += s.place[k] == IN
    return left <= 1


@jit
def is_foul(v: Variant, s: Any) -> bool:
    """Return True if the set on the pile, which was its player's last, is forbidden as such (§22)."""
    turned = s.upside ^ int(v.revolution and s.laid == SUITS)  # the order in which it was laid
    strongest = 0 if turned else v.ranks - 1
    return s.jokered > 0 or s.rank == strongest or (v.eight_stop and s.rank + FROM_EIGHT == v.ranks)


@jit
def take_last_free(v: Variant, s: Any, seat: int) -> None:
    """Give a seat the last place that nobody has (§22)."""
    place = v.players - 1
    for _ in range(v.players):
        for k in range(v.players):
            place -= s.place[k] == place
    s.place[seat] = place


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
def order_turns(v: Variant, s: Any) -> None:
    """Let turns go from the last place of the round before upward, and round again (§8)."""
    for seat in range(v.players):
        better = s.before[seat] - 1
        s.next_of[seat] = at_place(s, better if better >= 0 else v.players - 1)
