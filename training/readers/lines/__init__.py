"""Lines of cards that meet: what two lines hold is read in the order in which the cards come up."""

from typing import Any

from pydantic import BaseModel

from kozyr.envs.core.capabilities import two_lines
from kozyr.envs.core.game import Game
from kozyr.training.readers.lines.export import FORMS
from kozyr.training.readers.lines.network import Lines
from kozyr.training.readers.reader import MakePart, Net, Reader


class Keys(BaseModel):
    """What is asked for."""

    meeting: bool = False  # lines of cards are read by turn, in games where they meet place by place


class LinesReader(Reader):
    """Reads two lines of cards by turn, beside the view."""

    Keys = Keys
    forms = FORMS

    def complaint(self, net: Net, game: Game, variant: Any) -> str:
        """Say that a game has no such lines."""
        lacking = two_lines(variant) is None
        return f"net.meeting=true is not allowed: {game.name} has no lines of cards that meet" if lacking else ""

    def part(self, variant: Any, net: Net) -> MakePart | None:
        """Return what reads the lines."""
        where = two_lines(variant)
        return None if where is None else lambda _: Lines(where)


READER = LinesReader()
