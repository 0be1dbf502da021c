"""What a seat sees: the named parts of the view are declared here and nowhere else.

Seats are counted clockwise from the view's owner, who is 0; ranks from the weakest, the joker last.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.daifugo.actions import actions
from kozyr.envs.daifugo.exchange import GIFTS, GIVE_SECOND
from kozyr.envs.daifugo.rules import JOKER, NO_RANK, SUITS, Variant, cards

_COUNTS = JOKER + 1  # entries of a part that counts cards by rank


def _seats(v: Variant) -> int:
    return v.players


def _seats_with_rounds(v: Variant) -> int:
    return v.players if v.rounds > 1 else 0


def _one_with_exchange(v: Variant) -> int:
    return 1 if v.exchange else 0


def _sets_with_history(v: Variant) -> int:
    return cards(v) if v.history else 0


def _longest(v: Variant) -> int:
    return -(-cards(v) // v.players) + (GIFTS if v.exchange else 0)


class Parts(Layout):
    """The parts of the view, in their order."""

    hand = Part(
        "cards of each rank in my hand, 3 … K, A, 2 from the weakest on, the joker last", size=_COUNTS, high=SUITS
    )
    played = Part("cards of each rank played in this round", size=_COUNTS, high=SUITS)
    pile = Part("cards in the set on the pile; 0: I lead, or a card is to be given", high=SUITS)
    rank = Part("1 at the rank of that set, at the joker only if it lies alone", size=_COUNTS)
    jokered = Part("1 if the joker is in that set")
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
        "how many turns after me each seat has; only with rounds",
        size=_seats_with_rounds,
        high=lambda v: v.players - 1,
    )
    total = Part(
        "sum of each seat's places in finished rounds, the first counted as 0; only with rounds",
        size=_seats_with_rounds,
        high=lambda v: v.rounds * (v.players - 1),
    )
    known = Part(
        "cards of each rank known to be in a hand, seat after seat; only with `exchange`",
        size=lambda v: v.players * _COUNTS if v.exchange else 0,
        high=SUITS,
    )
    top = Part(
        "1 + the rank that a seat's other cards do not exceed; only with `exchange`",
        size=lambda v: v.players if v.exchange else 0,
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
    log_seat = Part(
        "1 + the seat that laid each set of this round; 0: no more; only with `history`",
        size=_sets_with_history,
        high=_seats,
    )
    log_set = Part(
        "number of the action that laid it; 0: no more; only with `history`",
        size=_sets_with_history,
        high=lambda v: actions(v) - 1,
    )
    log_lead = Part("1 if it led a trick; only with `history`", size=_sets_with_history)


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§13)."""
    at = Parts(v)
    write_counts(s.hand[seat], view[at.hand : at.played])
    write_counts(s.played, view[at.played : at.pile])
    view[at.pile], view[at.jokered] = s.laid, s.jokered
    view[at.rank : at.jokered] = 0
    if s.rank != NO_RANK:
        view[at.rank + s.rank] = 1
    observe_seats(v, s, seat, view)
    if v.revolution:
        view[at.upside] = s.upside
    if v.rounds > 1:
        observe_rounds(v, s, seat, view)
    if v.exchange:
        observe_exchange(v, s, seat, view)
    if v.history:
        observe_log(v, s, seat, view)


@jit
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
    """Write what the rounds before have left: places, order of turns and sums."""
    at, k, mover = Parts(v), seat, seat
    view[at.left] = v.rounds - s.rounds
    for j in range(v.players):
        view[at.before + j] = s.before[k] + 1
        view[at.total + j] = s.total[k]
        k = k + 1 if k + 1 < v.players else 0
    for after in range(v.players):
        view[at.order + (mover - seat if mover >= seat else mover - seat + v.players)] = after
        mover = s.next_of[mover]


@jit
def observe_exchange(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write the cards that everybody knows to be in a hand, and what is known of the others."""
    at, k = Parts(v), seat
    for j in range(v.players):
        write_counts(s.known[k], view[at.known + j * _COUNTS : at.known + (j + 1) * _COUNTS])
        view[at.top + j] = s.top[k] + 1
        k = k + 1 if k + 1 < v.players else 0
    view[at.phase], view[at.gives] = s.phase, s.gives


@jit
def observe_log(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write which sets have been laid in this round, and by whom."""
    at = Parts(v)
    view[at.log_seat : at.size] = 0
    for i in range(s.log):
        after = s.log_seat[i] - seat
        view[at.log_seat + i] = 1 + (after if after >= 0 else after + v.players)
        view[at.log_set + i], view[at.log_lead + i] = s.log_set[i], s.log_lead[i]
