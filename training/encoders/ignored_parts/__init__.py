"""Parts of the view that the network does not read: it then plays variants in which just these hold other numbers."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import Condensed, Net, Reader, nothing


def _complaint(net: Net, game: Game, variant: Any) -> str:
    shown = [name for name, *_ in game.declaration(variant)]
    wrong = next((name for name in net["unseen"] if name not in shown), None)
    return "" if wrong is None else f"net.unseen: {wrong!r} is no part of the view; its parts are {', '.join(shown)}"


def _condensed(net: Net, variant: Any, high: NDArray[np.float32]) -> Condensed:
    return nothing()  # no more than the others: see `entries`


KEYS = {"unseen": (Annotated[list[str], Field(max_length=256)], [])}  # names of parts of the view that are not read
READER = Reader(KEYS, {}, _complaint, condensed=_condensed)
