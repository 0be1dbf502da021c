"""What a seat sees; seats are counted clockwise from it."""

from typing import Any

from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.layout import Layout, Part
from kozyr.envs.core.state import OVER
from leduc.rules import STREETS, Variant, cards, longest


def _deck(v: Variant) -> int:
    return cards(v)


class Parts(Layout):
    """The parts of the view, in their order."""

    hand = Part("1 at my card", size=_deck)
    open_card = Part("1 at the open card; zeros in the first round", size=_deck)
    began = Part("1 at the seat that began", size=lambda v: v.players)
    turn = Part("1 at the seat to move; zeros once the game is over", size=lambda v: v.players)
    past = Part(
        "the actions of each round in turn: 1 fold, 2 call, 3 raise; 0: none",
        size=lambda v: 2 * (3 * v.players - 2),
        high=3,
    )


@implements(dispatch.observe, Variant)
def observe(v: Variant, s: Any, seat: int, view: NDArray[Any]) -> None:
    """Overwrite `view` with what `seat` knows."""
    at = Parts(v)
    view[:] = 0
    view[at.hand + s.hand[seat]] = 1
    if s.street > 0:
        view[at.open_card + s.open_card] = 1
    view[at.began + (s.starter - seat) % v.players] = 1
    if s.turn != OVER:
        view[at.turn + (s.turn - seat) % v.players] = 1
    for i in range(STREETS):
        for j in range(longest(v)):
            view[at.past + i * longest(v) + j] = s.past[i, j]
