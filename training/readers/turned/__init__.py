"""Turned views: suits are only names, so every view is read, and answered, as if trumps were the first suit."""

from functools import partial
from typing import Any

from pydantic import BaseModel

from kozyr.envs.core.capabilities import symmetry
from kozyr.envs.core.game import Game
from kozyr.training.readers.reader import MakePart, Net, Reader
from kozyr.training.readers.turned.network import FORMS, Turn


class Keys(BaseModel):
    """What is asked for."""

    turned: bool = False  # views are turned so that trumps come first, in games that have a symmetry


class Turned(Reader):
    """Turns a view into its first naming before anything else, and the logits back."""

    Keys = Keys
    forms = FORMS

    def complaint(self, net: Net, game: Game, variant: Any) -> str:
        """Say that a game has no symmetry."""
        lacking = symmetry(variant) is None
        return f"net.turned=true is not allowed: {game.name} has no symmetry of suits" if lacking else ""

    def part(self, variant: Any, net: Net) -> MakePart | None:
        """Return what turns views."""
        it = symmetry(variant)
        return None if it is None else partial(Turn, it)


READER = Turned()
