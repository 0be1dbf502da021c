"""View of a seat: its named parts, declared here and nowhere else.

Seats are counted clockwise from the view's owner, who is 0.
"""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.draw_poker.evaluate import (
    DECK,
    HAND,
    NAMES,
    NO_BIT,
    NO_CARD,
    RANK,
    RANKS,
    SUIT,
    SUITS,
    by_card,
    category_of_sorted,
)
from kozyr.envs.draw_poker.rules import ENDED, NOT_YET, TOURNAMENT, Variant

_SLOT, _SUIT_BIT = by_card(RANK + 1, 0), by_card(1 << SUIT, 0)


def _seats(v: Variant) -> int:
    return v.players


def _max_bet(v: Variant) -> int:
    return v.max_bet


class Parts(Layout):
    """The parts of the view, in their order."""

    cards = Part("1 for each card in my hand: suit × 13 + rank", size=DECK)
    slots = Part(
        "rank + 1 of each card of my hand, which lies sorted by rank, then suit; 0 without a card",
        size=HAND,
        high=RANKS,
    )
    suits = Part("1 at the suit of each card of my hand, card after card", size=HAND * SUITS, rows=HAND)
    combination = Part("1 at the combination of my hand, the lowest first; all 0 without a hand", size=len(NAMES[0]))
    gone = Part("1 for each card that I have discarded in this hand", size=DECK)
    phase = Part("1 at the phase: first betting, exchange, second betting; all 0 once the episode is over", size=ENDED)
    button = Part("1 at the seat before the one that acts first", size=_seats)
    chips = Part("chips that each seat can still bet", size=_seats, high=lambda v: v.players * v.stack)
    first = Part("bet of each seat in the first betting round", size=_seats, high=_max_bet)
    second = Part("bet of each seat in the second betting round", size=_seats, high=_max_bet)
    paid = Part(
        "chips of each seat in the pot, ante included",
        size=_seats,
        high=lambda v: min(v.players * v.stack, v.ante + 2 * v.max_bet),
    )
    folded = Part("1 at seats that have folded", size=_seats)
    all_in = Part("1 at seats that have not folded and have no chips left to bet", size=_seats)
    out = Part("1 at seats that have left the tournament", size=_seats)
    place = Part(
        "twice the place of seats that have left the tournament; of all once it is over",
        size=_seats,
        high=lambda v: 2 * v.players,
    )
    exchanged = Part(
        "1 + the number of cards that each seat has exchanged; 0 before it has", size=_seats, high=HAND + 1
    )
    raiser = Part("1 at the seat that raised last in the latest betting round", size=_seats)
    pending = Part("1 at seats that have still to act in this phase, the mover among them", size=_seats)
    turn = Part("1 at the seat to move; all 0 once the episode is over", size=_seats)
    pot = Part("chips in the pot", high=lambda v: v.players * min(v.stack, v.ante + 2 * v.max_bet))
    highest = Part("highest bet of this betting round", high=_max_bet)
    to_match = Part("what my bet lacks to the highest", high=_max_bet)
    hands_left = Part("hands of the tournament that can follow this one", high=lambda v: v.max_hands)
    full_raise = Part(
        "least amount of the next raise, 0 before the first of a betting round; only with `min_raise`",
        size=lambda v: v.min_raise,
        high=_max_bet,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§15)."""
    at = Parts(v)
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
    if v.min_raise:
        view[at.full_raise] = s.full_raise


@jit
def observe_cards(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write the seat's hand and its discards."""
    at, hand, discarded = Parts(v), s.hand[seat], s.discarded[seat]
    held = gone = suits = 0
    for i in range(HAND):
        c = int(hand[i]) & NO_BIT
        held |= 1 << c
        gone |= 1 << (int(discarded[i]) & NO_BIT)
        suits |= int(_SUIT_BIT[c]) << SUITS * i
        view[at.slots + i] = _SLOT[c]
    write_bits(view, at.cards, DECK, held)
    combination = int(hand[0] != NO_CARD) << category_of_sorted(hand, v.ranking)
    write_bits(view, at.suits, HAND * SUITS + len(NAMES[0]), suits | combination << HAND * SUITS)
    write_bits(view, at.gone, DECK, gone)


@jit
def observe_seats(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write what is known about every seat, the owner first."""
    at, k = Parts(v), seat
    button, raiser, turn = s.button, s.raiser, s.turn  # a store to the view could change them, says the compiler
    for j in range(v.players):
        view[at.button + j] = button == k
        view[at.chips + j] = s.chips[k]
        view[at.first + j] = s.bet[0, k]
        view[at.second + j] = s.bet[1, k]
        view[at.paid + j] = s.paid[k]
        view[at.folded + j] = s.folded[k]
        view[at.all_in + j] = (s.chips[k] == 0) & (s.folded[k] == 0) & (s.out[k] == 0)
        view[at.out + j] = s.out[k]
        view[at.place + j] = s.place[k]
        view[at.exchanged + j] = s.exchanged[k] - NOT_YET
        view[at.raiser + j] = raiser == k
        view[at.pending + j] = s.pending[k]
        view[at.turn + j] = turn == k
        k = k + 1 if k + 1 < v.players else 0
