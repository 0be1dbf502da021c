"""Lines of cards that meet: what two lines hold is read in the order in which the cards come up."""

from functools import partial
from typing import Any, cast

from kozyr.envs.core.capabilities import TwoLines, two_lines
from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import MakePart, Net, Reader
from kozyr.training.encoders.two_lines_attention.export import FORMS
from kozyr.training.encoders.two_lines_attention.network import Lines


def _complaint(net: Net, game: Game, variant: Any) -> str:
    if two_lines(variant) is None:
        return f"net.meeting=true is not allowed: {game.name} has no lines of cards that meet"
    unseen = net["unseen"]
    return f"net.meeting=true is not allowed with net.unseen={unseen!r}: it reads the whole view" if unseen else ""


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Lines, cast(TwoLines, two_lines(variant)))


KEYS = {"meeting": (bool, False)}  # lines of cards are read by turn, in games where they meet place by place
READER = Reader(KEYS, FORMS, _complaint, _part)
