"""Turned views: suits are only names, so every view is read, and answered, as if trumps were the first suit."""

from functools import partial
from typing import Any, cast

from kozyr.envs.core.capabilities import Symmetry, symmetry
from kozyr.envs.core.game import Game
from kozyr.training.encoders.encoder import MakePart, Net, Reader
from kozyr.training.encoders.suit_symmetry.network import FORMS, Turn


def _complaint(net: Net, game: Game, variant: Any) -> str:
    lacking = symmetry(variant) is None
    return f"net.turned=true is not allowed: {game.name} has no symmetry of suits" if lacking else ""


def _part(net: Net, variant: Any) -> MakePart:
    return partial(Turn, cast(Symmetry, symmetry(variant)))


KEYS = {"turned": (bool, False)}  # views are turned so that trumps come first, in games that have a symmetry
READER = Reader(KEYS, FORMS, _complaint, _part)
