"""What a seat sees: the named parts of the view are declared here and nowhere else.

Seats are counted clockwise from the view's owner, who is 0.
"""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.view import Part
from kozyr.envs.draw_poker.evaluate import DECK, HAND, NAMES, NO_CARD, RANK, RANKS, SUIT, SUITS, category
from kozyr.envs.draw_poker.rules import ENDED, NOT_YET, TOURNAMENT, Variant


def _chips(v: Variant) -> int:
    return v.players * v.stack


def _most_paid(v: Variant) -> int:
    return min(v.players * v.stack, v.ante + 2 * v.max_bet)


def _most_in_pot(v: Variant) -> int:
    return min(v.players * v.stack, v.players * (v.ante + 2 * v.max_bet))


def _max_bet(v: Variant) -> int:
    return v.max_bet


def _worst_place(v: Variant) -> int:
    return 2 * v.players


def _max_hands(v: Variant) -> int:
    return v.max_hands


MEANING = {
    "cards": Part(1, "1 for each card in my hand: suit × 13 + rank"),
    "slots": Part(RANKS, "rank + 1 of each card of my hand, which lies sorted by rank, then suit; 0 without a card"),
    "suits": Part(1, "1 at the suit of each card of my hand, card after card"),
    "combination": Part(1, "1 at the combination of my hand, the lowest first; all 0 without a hand"),
    "gone": Part(1, "1 for each card that I have discarded in this hand"),
    "phase": Part(1, "1 at the phase: first betting, exchange, second betting; all 0 once the episode is over"),
    "button": Part(1, "1 at the seat before the one that acts first"),
    "chips": Part(_chips, "chips that each seat can still bet"),
    "first": Part(_max_bet, "bet of each seat in the first betting round"),
    "second": Part(_max_bet, "bet of each seat in the second betting round"),
    "paid": Part(_most_paid, "chips of each seat in the pot, ante included"),
    "folded": Part(1, "1 at seats that have folded"),
    "all_in": Part(1, "1 at seats that have not folded and have no chips left to bet"),
    "out": Part(1, "1 at seats that have left the tournament"),
    "place": Part(_worst_place, "twice the place of seats that have left the tournament; of all once it is over"),
    "exchanged": Part(HAND + 1, "1 + the number of cards that each seat has exchanged; 0 before it has"),
    "raiser": Part(1, "1 at the seat that raised last in the latest betting round"),
    "pending": Part(1, "1 at seats that have still to act in this phase, the mover among them"),
    "turn": Part(1, "1 at the seat to move; all 0 once the episode is over"),
    "pot": Part(_most_in_pot, "chips in the pot"),
    "highest": Part(_max_bet, "highest bet of this betting round"),
    "to_match": Part(_max_bet, "what my bet lacks to the highest"),
    "hands_left": Part(_max_hands, "hands of the tournament that can follow this one"),
}


class Parts(NamedTuple):
    """Where each part of the view begins; the last field is the size of the whole."""

    cards: int
    slots: int
    suits: int
    combination: int
    gone: int
    phase: int
    button: int
    chips: int
    first: int
    second: int
    paid: int
    folded: int
    all_in: int
    out: int
    place: int
    exchanged: int
    raiser: int
    pending: int
    turn: int
    pot: int
    highest: int
    to_match: int
    hands_left: int
    size: int


@jit
def parts(v: Variant) -> Parts:
    """Lay the parts of the view out for a variant."""
    suits = DECK + HAND
    combination = suits + HAND * SUITS
    gone = combination + len(NAMES[0])
    phase = gone + DECK
    seats, n = phase + ENDED, v.players
    pot = seats + 13 * n
    return Parts(
        0,
        DECK,
        suits,
        combination,
        gone,
        phase,
        seats,
        seats + n,
        seats + 2 * n,
        seats + 3 * n,
        seats + 4 * n,
        seats + 5 * n,
        seats + 6 * n,
        seats + 7 * n,
        seats + 8 * n,
        seats + 9 * n,
        seats + 10 * n,
        seats + 11 * n,
        seats + 12 * n,
        pot,
        pot + 1,
        pot + 2,
        pot + 3,
        pot + 4,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§15)."""
    at = parts(v)
    observe_cards(v, s, seat, view)
    observe_seats(v, s, seat, view)
    view[at.phase : at.button] = 0
    if s.phase != ENDED:
        view[at.phase + s.phase] = 1
    pot = 0
    for k in range(v.players):
        pot += s.paid[k]
    view[at.pot] = pot
    view[at.highest] = s.highest
    view[at.to_match] = max(0, s.highest - s.bet[s.phase >> 1, seat])
    view[at.hands_left] = v.max_hands - s.hands if v.episode == TOURNAMENT else 0


@jit
def observe_cards(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write the seat's hand and its discards."""
    at = parts(v)
    view[: at.phase] = 0
    hand, discarded = s.hand[seat], s.discarded[seat]
    for i in range(HAND):
        c = int(hand[i])
        if c != NO_CARD:
            view[at.cards + c] = 1
            view[at.slots + i] = RANK[c] + 1
            view[at.suits + SUITS * i + SUIT[c]] = 1
    if hand[0] != NO_CARD:
        view[at.combination + category(hand, v.ranking)] = 1
    for i in range(HAND):
        c = int(discarded[i])
        if c != NO_CARD:
            view[at.gone + c] = 1


@jit
def observe_seats(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write what is known about every seat, the owner first."""
    at, k = parts(v), seat
    for j in range(v.players):
        view[at.button + j] = s.button == k
        view[at.chips + j] = s.chips[k]
        view[at.first + j] = s.bet[0, k]
        view[at.second + j] = s.bet[1, k]
        view[at.paid + j] = s.paid[k]
        view[at.folded + j] = s.folded[k]
        view[at.all_in + j] = (s.chips[k] == 0) & (s.folded[k] == 0) & (s.out[k] == 0)
        view[at.out + j] = s.out[k]
        view[at.place + j] = s.place[k]
        view[at.exchanged + j] = s.exchanged[k] - NOT_YET
        view[at.raiser + j] = s.raiser == k
        view[at.pending + j] = s.pending[k]
        view[at.turn + j] = s.turn == k
        k = k + 1 if k + 1 < v.players else 0
