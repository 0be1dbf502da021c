"""What a seat sees: the named parts of the view are declared here and nowhere else.

Seats are counted clockwise from the view's owner, who is 0; ranks from the weakest, the joker last.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.view import Part
from kozyr.envs.daifugo.actions import actions
from kozyr.envs.daifugo.exchange import GIFTS, GIVE_SECOND
from kozyr.envs.daifugo.rules import JOKER, NO_RANK, SUITS, Variant, cards

_COUNTS = JOKER + 1  # entries of a part that counts cards by rank


def _players(v: Variant) -> int:
    return v.players


def _longest(v: Variant) -> int:
    return -(-cards(v) // v.players) + (GIFTS if v.exchange else 0)


def _to_come(v: Variant) -> int:
    return v.rounds - 1


def _others(v: Variant) -> int:
    return v.players - 1


def _worst(v: Variant) -> int:
    return v.rounds * (v.players - 1)


def _highest(v: Variant) -> int:
    return actions(v) - 1


MEANING = {
    "hand": Part(SUITS, "cards of each rank in my hand, 3 … K, A, 2 from the weakest on, the joker last"),
    "played": Part(SUITS, "cards of each rank played in this round"),
    "pile": Part(SUITS, "cards in the set on the pile; 0: I lead, or a card is to be given"),
    "rank": Part(1, "1 at the rank of that set, at the joker only if it lies alone"),
    "jokered": Part(1, "1 if the joker is in that set"),
    "sizes": Part(_longest, "cards in each hand"),
    "owner": Part(1, "1 at the seat that laid the set on the pile"),
    "passed": Part(1, "1 at seats that have passed since; with `pass_lockout`: in this trick"),
    "place": Part(_players, "place that each seat has taken in this round, 1 is the first; 0: still in"),
    "turn": Part(1, "1 at the seat to move; all 0 once the game is over"),
    "upside": Part(1, "1 while the order of ranks is turned round; no such part without `revolution`"),
    "left": Part(_to_come, "rounds to come after this one; no such part with `rounds=1`"),
    "before": Part(_players, "place of each seat in the round before; 0 in the first round; only with rounds"),
    "order": Part(_others, "how many turns after me each seat has; only with rounds"),
    "total": Part(
        _worst,
        "sum of each seat's places in finished rounds, the first counted as 0; only with rounds",
    ),
    "known": Part(SUITS, "cards of each rank known to be in a hand, seat after seat; only with `exchange`"),
    "top": Part(JOKER + 1, "1 + the rank that a seat's other cards do not exceed; only with `exchange`"),
    "phase": Part(GIVE_SECOND, "0: play, 1: the first gives cards back, 2: the second; only with `exchange`"),
    "gives": Part(GIFTS, "cards that the seat to move has still to give; only with `exchange`"),
    "log_seat": Part(_players, "1 + the seat that laid each set of this round; 0: no more; only with `history`"),
    "log_set": Part(_highest, "number of the action that laid it; 0: no more; only with `history`"),
    "log_lead": Part(1, "1 if it led a trick; only with `history`"),
}


class Parts(NamedTuple):
    """Where each part of the view begins; the last field is the size of the whole."""

    hand: int
    played: int
    pile: int
    rank: int
    jokered: int
    sizes: int
    owner: int
    passed: int
    place: int
    turn: int
    upside: int
    left: int
    before: int
    order: int
    total: int
    known: int
    top: int
    phase: int
    gives: int
    log_seat: int
    log_set: int
    log_lead: int
    size: int


@jit
def parts(v: Variant) -> Parts:
    """Lay the parts of the view out for a variant."""
    seats = v.players
    sizes = 3 * _COUNTS + 2
    upside = sizes + 5 * seats
    left = upside + (1 if v.revolution else 0)
    before = left + (1 if v.rounds > 1 else 0)
    many = seats if v.rounds > 1 else 0
    known = before + 3 * many
    shown = seats if v.exchange else 0
    phase = known + shown * (_COUNTS + 1)
    one = 1 if v.exchange else 0
    sets = cards(v) if v.history else 0
    return Parts(
        0,
        _COUNTS,
        2 * _COUNTS,
        2 * _COUNTS + 1,
        3 * _COUNTS + 1,
        sizes,
        sizes + seats,
        sizes + 2 * seats,
        sizes + 3 * seats,
        sizes + 4 * seats,
        upside,
        left,
        before,
        before + many,
        before + 2 * many,
        known,
        known + shown * _COUNTS,
        phase,
        phase + one,
        phase + 2 * one,
        phase + 2 * one + sets,
        phase + 2 * one + 2 * sets,
        phase + 2 * one + 3 * sets,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§13)."""
    at = parts(v)
    write_counts(s.hand[seat], view[: at.played])
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
    at, k = parts(v), seat
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
    at, k, mover = parts(v), seat, seat
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
    at, k = parts(v), seat
    for j in range(v.players):
        write_counts(s.known[k], view[at.known + j * _COUNTS : at.known + (j + 1) * _COUNTS])
        view[at.top + j] = s.top[k] + 1
        k = k + 1 if k + 1 < v.players else 0
    view[at.phase], view[at.gives] = s.phase, s.gives


@jit
def observe_log(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write which sets have been laid in this round, and by whom."""
    at = parts(v)
    view[at.log_seat : at.size] = 0
    for i in range(s.log):
        after = s.log_seat[i] - seat
        view[at.log_seat + i] = 1 + (after if after >= 0 else after + v.players)
        view[at.log_set + i], view[at.log_lead + i] = s.log_set[i], s.log_lead[i]
