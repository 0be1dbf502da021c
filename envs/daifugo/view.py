"""View of a seat: its named parts, declared here and nowhere else.

Seats are counted clockwise from the view's owner, who is 0; ranks from the weakest, the joker last.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.daifugo.actions import Actions
from kozyr.envs.daifugo.round import GIVE_SECOND, NO_RANK
from kozyr.envs.daifugo.rules import cards
from kozyr.envs.daifugo.suited import sets
from kozyr.envs.daifugo.suited import view as suited
from kozyr.envs.daifugo.variant import GIFTS, JOKER, SUITS, Variant

_COUNTS = JOKER + 1  # entries of a part that counts cards by rank


def _seats(v: Variant) -> int:
    return v.players


def _seats_with_rounds(v: Variant) -> int:
    return v.players if v.rounds > 1 else 0


def _seats_with_order(v: Variant) -> int:
    return v.players if v.rounds > 1 or v.suits else 0


def _counts(v: Variant) -> int:
    return 0 if v.suits else _COUNTS


def _one_without_suits(v: Variant) -> int:
    return 0 if v.suits else 1


def _one_with_exchange(v: Variant) -> int:
    return 1 if v.exchange else 0


def _one_with_suits(v: Variant) -> int:
    return 1 if v.suits else 0


def _cards_with_suits(v: Variant) -> int:
    return sets.CARDS if v.suits else 0


def _both(v: Variant) -> int:
    return 1 if v.exchange and v.suits else 0


def _sets_with_history(v: Variant) -> int:
    return cards(v) if v.history else 0


def _longest(v: Variant) -> int:
    return -(-cards(v) // v.players) + (GIFTS if v.exchange else 0)


class Parts(Layout):
    """The parts of the view, in their order."""

    hand = Part(
        "cards of each rank in my hand, 3 … K, A, 2 from the weakest on, the joker last; without `suits`",
        size=_counts,
        high=SUITS,
    )
    played = Part("cards of each rank played in this round; without `suits`", size=_counts, high=SUITS)
    pile = Part(
        "cards in the set on the pile; 0: I lead, or a card is to be given",
        high=lambda v: sets.LONGEST if v.suits else SUITS,
    )
    rank = Part("1 at the rank of that set, at the joker only if it lies alone; without `suits`", size=_counts)
    jokered = Part("1 if the joker is in that set; without `suits`", size=_one_without_suits)
    sizes = Part("cards in each hand", size=_seats, high=_longest)
    owner = Part("1 at the seat that laid the set on the pile", size=_seats)
    passed = Part("1 at seats that have passed since; with `pass_lockout`: in this trick", size=_seats)
    place = Part("place that each seat has taken in this round, 1 is the first; 0: still in", size=_seats, high=_seats)
    turn = Part("1 at the seat to move; all 0 once the game is over", size=_seats)
    upside = Part(
        "1 while the order of ranks is turned round; no such part without `revolution`",
        size=lambda v: 1 if v.revolution else 0,
    )
    left = Part(
        "rounds to come after this one; no such part with `rounds=1`",
        size=lambda v: 1 if v.rounds > 1 else 0,
        high=lambda v: v.rounds - 1,
    )
    before = Part(
        "place of each seat in the round before; 0 in the first round; only with rounds",
        size=_seats_with_rounds,
        high=_seats,
    )
    order = Part(
        "how many turns after me each seat has; only with rounds or `suits`",
        size=_seats_with_order,
        high=lambda v: v.players - 1,
    )
    total = Part(
        "sum of each seat's places in finished rounds, the first counted as 0; only with rounds",
        size=_seats_with_rounds,
        high=lambda v: v.rounds * (v.players - 1),
    )
    known = Part(
        "cards of each rank known to be in a hand, seat after seat; only with `exchange`, without `suits`",
        size=lambda v: v.players * _COUNTS if v.exchange and not v.suits else 0,
        high=SUITS,
        rows=_seats,
    )
    top = Part(
        "1 + the rank that a seat's other cards do not exceed; only with `exchange`, without `suits`",
        size=lambda v: v.players if v.exchange and not v.suits else 0,
        high=JOKER + 1,
    )
    phase = Part(
        "0: play, 1: the first gives cards back, 2: the second; only with `exchange`",
        size=_one_with_exchange,
        high=GIVE_SECOND,
    )
    gives = Part(
        "cards that the seat to move has still to give; only with `exchange`", size=_one_with_exchange, high=GIFTS
    )
    cards = Part("1 for each card in my hand, spades 3 … 2, hearts, diamonds, clubs, the joker", size=_cards_with_suits)
    gone = Part("1 for each card played in this round", size=_cards_with_suits)
    lies = Part(
        "number of the action that laid the set on the pile, 0: none", size=_one_with_suits, high=sets.ACTIONS - 1
    )
    kind = Part("1 at the kind of that set: single, lone joker, group, sequence", size=lambda v: 4 if v.suits else 0)
    low = Part("its lowest column, the three is 1 and the two 13", size=_one_with_suits, high=sets.COLUMNS + 1)
    of_suits = Part("1 for each of its suits; the last: five of a kind", size=lambda v: 5 if v.suits else 0)
    locked = Part("1 while answers must be of these suits; only with `suit_lock`", size=lambda v: int(v.suit_lock))
    leads = Part(
        "1 at the seat that leads once the pile is cleared, if it is still in",
        size=lambda v: v.players if v.suits else 0,
    )
    passes = Part(
        "passes in a row; only with `pass_limit`", size=lambda v: int(v.pass_limit > 0), high=lambda v: v.pass_limit
    )
    given = Part(
        "1 for each card that I gave in the exchange and that my partner still has; only with `exchange` and `suits`",
        size=lambda v: sets.CARDS if v.exchange and v.suits else 0,
    )
    under = Part(
        "1 + how many cards are weaker than those that my partner gave, and so than his others, but for those that I "
        "gave back; 0: he gave none; only with `exchange` and `suits`",
        size=_both,
        high=sets.CARDS,
    )
    log_seat = Part(
        "1 + the seat that laid each set of this round; 0: no more; only with `history`",
        size=_sets_with_history,
        high=_seats,
    )
    log_set = Part(
        "number of the action that laid it; 0: no more; only with `history`",
        size=_sets_with_history,
        high=lambda v: Actions(v).size - 1,
    )
    log_lead = Part("1 if it led a trick; only with `history`", size=_sets_with_history)


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§13)."""
    at = Parts(v)
    view[at.pile] = s.laid
    if v.suits:
        suited.observe(v, s, seat, view, at)
    else:
        observe_ranks(s, seat, view, at)
    observe_seats(v, s, seat, view)
    if v.revolution:
        view[at.upside] = s.upside
    if v.rounds > 1:
        observe_rounds(v, s, seat, view)
    if v.rounds > 1 or v.suits:
        observe_order(v, s, seat, view)
    if v.exchange:
        view[at.phase], view[at.gives] = s.phase, s.gives
        if not v.suits:
            observe_known(v, s, seat, view)
    if v.history:
        observe_log(v, s, seat, view)


@inlined
def observe_ranks(s: Any, seat: int, view: NDArray[Any], at: Parts) -> None:
    """Write the owner's hand, the cards played and the pile, by rank."""
    write_counts(s.hand[seat], view[at.hand : at.played])
    write_counts(s.played, view[at.played : at.pile])
    view[at.jokered] = s.jokered
    view[at.rank : at.jokered] = 0
    if s.rank != NO_RANK:
        view[at.rank + s.rank] = 1


@inlined
def write_counts(counts: NDArray[np.int8], view: NDArray[Any]) -> None:
    """Copy the cards of each rank; one loop a part is what vectorizes."""
    for r in range(_COUNTS):
        view[r] = counts[r]


@jit
def observe_seats(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write what is known about every seat, the owner first."""
    at, k = Parts(v), seat
    for j in range(v.players):
        view[at.sizes + j] = s.count[k]
        view[at.owner + j] = s.owner == k
        view[at.passed + j] = s.passed[k]
        view[at.place + j] = s.place[k] + 1
        view[at.turn + j] = s.turn == k
        k = k + 1 if k + 1 < v.players else 0


@jit
def observe_rounds(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write what the rounds before have left: places and sums."""
    at, k = Parts(v), seat
    view[at.left] = v.rounds - s.rounds
    for j in range(v.players):
        view[at.before + j] = s.before[k] + 1
        view[at.total + j] = s.total[k]
        k = k + 1 if k + 1 < v.players else 0


@jit
def observe_order(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write how many turns after the owner each seat has."""
    at, mover = Parts(v), seat
    for after in range(v.players):
        view[at.order + (mover - seat if mover >= seat else mover - seat + v.players)] = after
        mover = s.next_of[mover]


@jit
def observe_known(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write the cards that everybody knows to be in a hand, and what is known of the others."""
    at, k = Parts(v), seat
    for j in range(v.players):
        write_counts(s.known[k], view[at.known + j * _COUNTS : at.known + (j + 1) * _COUNTS])
        view[at.top + j] = s.top[k] + 1
        k = k + 1 if k + 1 < v.players else 0


@jit
def observe_log(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write which sets have been laid in this round, and by whom."""
    at = Parts(v)
    view[at.log_seat : at.size] = 0
    for i in range(s.log):
        after = s.log_seat[i] - seat
        view[at.log_seat + i] = 1 + (after if after >= 0 else after + v.players)
        view[at.log_set + i], view[at.log_lead + i] = s.log_set[i], s.log_lead[i]
