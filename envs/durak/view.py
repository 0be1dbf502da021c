"""View of a seat: its named parts, declared here and nowhere else.

Seats are counted clockwise from the view's owner, who is 0.
"""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.core.seats import clockwise
from kozyr.envs.durak.cards import SUITS
from kozyr.envs.durak.rules import DISCARD, HAND, Variant


def _deck(v: Variant) -> int:
    return v.deck


def _seats(v: Variant) -> int:
    return v.players


class Parts(Layout):
    """The parts of the view, in their order."""

    hand = Part("1 for each card in my hand", size=_deck)
    shown = Part("1 for each card in my hand that everybody knows to be there", size=_deck)
    known = Part(
        "1 for each card known to be in another hand, seat after seat",
        size=lambda v: (v.players - 1) * v.deck,
        rows=lambda v: v.players - 1,
    )
    attack = Part("place 1 … 6 in the order of attack of each attack card on the table", size=_deck, high=HAND)
    defence = Part("place of the attack card that each beating card lies on", size=_deck, high=HAND)
    open = Part("1 for attack cards not yet beaten; the earliest must be beaten first", size=_deck)
    discard = Part("1 for each card in the discard pile", size=_deck)
    bottom = Part(
        "1 for the open trump card while it lies under the stock; no such part without `open_trump`",
        size=lambda v: v.deck if v.open_trump else 0,
    )
    trump = Part("1 at the trump suit", size=SUITS)
    sizes = Part("cards in each hand", size=_seats, high=_deck)
    stock = Part("cards in the stock", high=_deck)
    attacker = Part("1 at the seat that opened the round or transferred the attack", size=_seats)
    defender = Part("1 at the defender", size=_seats)
    turn = Part("1 at the seat to move; all 0 once the game is over", size=_seats)
    out = Part("1 at seats that have left the game", size=_seats)
    limit = Part("attack cards allowed in this round", high=HAND)
    passes = Part("attackers that have passed in a row", high=_seats)
    taking = Part("1 while cards are piled on before the defender takes")
    trump_shown = Part(
        "1 once an attack of this round was transferred by showing a trump; only with `show_trump`",
        size=lambda v: v.show_trump,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows (§13)."""
    at, deck = Parts(v), v.deck
    write_bits(view, at.hand, deck, s.cards[seat])
    write_bits(view, at.shown, deck, s.cards[seat] & s.known)
    for j in range(1, v.players):
        other = clockwise(seat, j, v.players)
        write_bits(view, at.known + (j - 1) * deck, deck, s.cards[other] & s.known)
    write_bits(view, at.discard, deck, s.cards[DISCARD])
    observe_table(v, s, view)
    observe_seats(v, s, seat, view)


@jit
def observe_table(v: Variant, s: Any, view: NDArray[Any]) -> None:
    """Write the cards on the table, the trump and the stock."""
    at = Parts(v)
    view[at.attack : at.discard] = 0
    for i in range(s.laid):
        view[at.attack + int(s.attack[i])] = i + 1
        if i < s.beaten:
            view[at.defence + int(s.defence[i])] = i + 1
        else:
            view[at.open + int(s.attack[i])] = 1
    view[at.bottom : at.sizes] = 0
    if v.open_trump and s.drawn < v.deck:
        view[at.bottom + int(s.stock[v.deck - 1])] = 1
    view[at.trump + s.trump] = 1
    view[at.stock] = v.deck - s.drawn
    view[at.limit] = s.limit
    view[at.passes] = s.passes
    view[at.taking] = s.taking
    if v.show_trump:
        view[at.trump_shown] = s.trump_shown


@jit
def observe_seats(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Write what is known about every seat, the owner first."""
    at, k = Parts(v), seat
    for j in range(v.players):
        view[at.sizes + j] = s.count[k]
        view[at.attacker + j] = s.attacker == k
        view[at.defender + j] = s.defender == k
        view[at.turn + j] = s.turn == k
        view[at.out + j] = s.out[k]
        k = k + 1 if k + 1 < v.players else 0
