"""A side of a table: those who see the same, so that all of them are sent the same bytes."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kozyr.agents.play.session import messages
from kozyr.agents.play.session.link import Link
from kozyr.agents.play.session.messages import Drawn, State
from kozyr.envs.pictures import render_svg


class Side:
    """Those who sit in one seat, or who watch.

    Attributes:
        sees: the seat, SEES_ALL or SEES_PUBLIC; links: who is connected, each with the number of the state it has.
    """

    def __init__(self, sees: int) -> None:
        self.sees = sees
        self.links = dict[Link, int]()
        self._number = 0  # of the state that was sent last, whose scene has these rows
        self._rows: NDArray[np.int32] | None = None

    def tell(self, state: State, rows: NDArray[np.int32]) -> list[tuple[Link, bytes]]:
        """Return what to send each: a state whose scene has these rows, as what differs from the state it has."""
        before, self._number = self._number, self._number + 1
        drawn = Drawn(before, len(rows), render_svg.difference(self._rows, rows))
        self._rows = rows
        some = messages.write(msgspec.structs.replace(state, number=self._number, scene=drawn))
        told = list[tuple[Link, bytes]]()
        for link, number in self.links.items():
            told.append((link, some if number == before else self._all(state, rows)))
            self.links[link] = self._number
        return told

    def leave(self, link: Link) -> int:
        """Let somebody go, and return how many are left."""
        self.links.pop(link, None)
        return len(self.links)

    def greet(self, link: Link, state: State, rows: NDArray[np.int32]) -> bytes:
        """Return what to send one who has come."""
        if not self.links:
            self._number, self._rows = self._number + 1, rows
        self.links[link] = self._number
        return self._all(state, rows)

    def _all(self, state: State, rows: NDArray[np.int32]) -> bytes:
        drawn = Drawn(0, len(rows), render_svg.difference(None, rows))
        return messages.write(msgspec.structs.replace(state, number=self._number, scene=drawn))
