"""What a room needs of the house that it is in."""

from collections.abc import Sequence
from typing import Any, Protocol

from kozyr.agents.play.server.store import Store
from kozyr.agents.play.session.link import Link


class Desk(Protocol):
    """The house, as its rooms see it; `room` is the `Room` that asks."""

    store: Store

    def post(self, to: Link, message: bytes) -> None:
        """Send a message once all that was kept before is written."""
        ...

    async def again(self, room: Any, how: str) -> dict[Link, str]:
        """Return where each goes for the next game; the first who asks says how, and opens its table."""
        ...

    def finished(self, room: Any, payoffs: Sequence[float]) -> None:
        """Hear how a game has ended."""
        ...

    def forget(self, room: Any) -> None:
        """Close a table; it is made anew from its record when somebody comes."""
        ...
