"""Players of Leduc poker: `tight`, which raises with the best it can hold and folds the worst."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.roster import Players
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from leduc.rules import CALL, FOLD, RAISE, SUITS, Variant, cards, find
from leduc.view import Parts

TIGHT = (
    "raises with the highest rank before the open card lies, and with a pair after. It folds the lowest rank before, "
    "and after it whatever is neither a pair nor of the highest rank. Otherwise it calls."
)
PLAYERS = Players(("random", "tight"), bots="leduc.players", about={"tight": TIGHT})


@implements(dispatch.decide, Variant)
def decide(v: Variant, level: int, view: NDArray[Any], mask: NDArray[np.int8], g: Any) -> int:
    """Return the action of `tight`, the only scripted player above random."""
    at, deck = Parts(v), cards(v)
    rank = find(view[at.hand : at.hand + deck]) // SUITS
    shown = find(view[at.open_card : at.open_card + deck])
    strong = rank == v.players if shown < 0 else rank == shown // SUITS
    weak = rank == 0 if shown < 0 else rank < v.players
    if strong:
        return RAISE if mask[RAISE] else CALL
    return FOLD if weak and mask[FOLD] else CALL
