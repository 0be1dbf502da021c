"""A side of a table: those who see the same, so that all of them are sent the same bytes."""

from typing import Any

import msgspec
import numpy as np

from kozyr.agents.human import messages
from kozyr.agents.human.link import Link
from kozyr.agents.human.messages import Drawn, State
from kozyr.agents.human.sight import SIGHT
from kozyr.envs.core import scene

_EMPTY = np.zeros((0, scene.COLUMNS), np.int32)


class Side:
    """Those who sit in one seat, or who watch.

    Attributes:
        sees: the seat, SEES_ALL or SEES_PUBLIC; links: who is connected, each with the number of the state it has.
    """

    def __init__(self, sees: int) -> None:
        self.sees = sees
        self.links = dict[Link, int]()
        self._number, self._rows = 0, _EMPTY

    def tell(self, state: State, rows: Any) -> list[tuple[Link, bytes]]:
        """Return what to send each: a state whose scene has these rows, as what differs from the state it has."""
        before, self._number = self._number, self._number + 1
        drawn = SIGHT.changes(self._rows, rows, before)
        self._rows = rows
        some = messages.write(msgspec.structs.replace(state, number=self._number, scene=drawn))
        told = list[tuple[Link, bytes]]()
        for link, number in self.links.items():
            told.append((link, some if number == before else self._all(state)))
            self.links[link] = self._number
        return told

    def greet(self, link: Link, state: State, rows: Any) -> bytes:
        """Return what to send one who has come."""
        if not self.links:
            self._number, self._rows = self._number + 1, rows
        self.links[link] = self._number
        return self._all(state)

    def _all(self, state: State) -> bytes:
        drawn: Drawn = SIGHT.changes(_EMPTY, self._rows, 0)
        return messages.write(msgspec.structs.replace(state, number=self._number, scene=drawn))
