"""Review of a finished game: an analyst's value of each decision, and the biggest mistakes, while they are computed."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from kozyr.agents.play.session.connections import Connection
from kozyr.agents.play.session.host_protocol import Decision, HostProtocol
from kozyr.agents.play.session.messages import Advice, Mistake, ReviewState
from kozyr.agents.play.session.words import phrases, refusal
from kozyr.envs.core import labels
from kozyr.envs.core.labels import PhraseError

SECONDS = 20.0  # that a review takes about, once the analyst's code is compiled
_LEAST, _MOST = 20, 200  # milliseconds a decision
_MOST_DECISIONS = 400  # of a longer game, as many are looked at, evenly spread
_EVERY = 0.3  # seconds between two messages
_MISTAKES = 2  # that a reader is told
_SMALLEST = 0.005  # of a mistake, in payoffs: less is told as 0.00
_VALUES = "values"
Tell = Callable[[Connection, Any], None]


class Review:
    """The review of one table's game; it runs while somebody reads it, and goes on where it was stopped.

    Args:
        host: of the table, whose game is over.
        analyst: name of an agent that values actions.
        tell: sends a client a message.
    """

    def __init__(self, host: HostProtocol, analyst: str, tell: Tell) -> None:
        self._host, self._analyst, self._tell = host, analyst, tell
        self._readers = dict[Connection, int | None]()
        self._decisions: list[Decision] | None = None
        self._done = 0
        self._points = list[tuple[int, int, float]]()
        self._mistakes = list[Mistake]()
        self._task: asyncio.Task[None] | None = None

    def begin(self, connection: Connection, seat: int | None) -> None:
        """Send a client the review as far as it is, and go on with it.

        Args:
            connection: of the client; seat: whose mistakes it is told; None: everybody's.
        """
        self._readers[connection] = seat
        if self._decisions is not None:
            self._tell(connection, self._state(seat, self._decisions))
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def leave(self, connection: Connection) -> None:
        """Tell a client nothing more; the last one to go ends the work."""
        self._readers.pop(connection, None)
        if not self._readers:
            self.stop()

    def stop(self) -> None:
        """End the work for now."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    async def _run(self) -> None:
        try:
            if self._decisions is None:
                self._decisions = _spread(await self._host.decisions())
            await self._look(self._decisions)
        except ValueError as error:
            for reader in self._readers:
                self._tell(reader, refusal(PhraseError("this game cannot be looked at: {0}", str(error))))
        self._task = None

    async def _look(self, decisions: Sequence[Decision]) -> None:
        """Ask the analyst about the decisions that are left, and send how far it is now and then."""
        milliseconds = min(max(int(1000 * SECONDS / max(len(decisions), 1)), _LEAST), _MOST)
        newest = 0.0  # message
        for one in decisions[self._done :]:
            if time.monotonic() - newest >= _EVERY:
                newest = time.monotonic()
                self._tell_all(decisions)
            self._note(one, await self._host.advise(f"{self._analyst}@{milliseconds}ms", one.ply))
            self._done += 1
        self._tell_all(decisions)

    def _tell_all(self, decisions: Sequence[Decision]) -> None:
        for reader, seat in self._readers.items():
            self._tell(reader, self._state(seat, decisions))

    def _state(self, seat: int | None, decisions: Sequence[Decision]) -> ReviewState:
        own = [one for one in self._mistakes if seat in (None, one.seat)]
        biggest = sorted(own, key=lambda one: -one.gap)[:_MISTAKES]
        return ReviewState(self._analyst, self._done, len(decisions), self._points, biggest)

    def _note(self, decision: Decision, advice: Advice) -> None:
        """Note the value of a decision's best action, and whether another one was clearly worse."""
        if advice.kind != _VALUES or not advice.rows:  # the analyst has solved it, and compared nothing
            return
        (_, value, low, _), words = advice.rows[0], advice.words[0]
        both = [*phrases([decision.words]), advice.phrases[0]]
        self._points.append((decision.ply, decision.seat, round(value, 4)))
        for action, own, _, high in advice.rows:
            clear = (high is not None and high < value) or (low is not None and low > own)
            if action == decision.action and clear and value - own >= _SMALLEST:
                move, gap = labels.say(decision.words), round(value - own, 4)
                mistake = Mistake(decision.ply, decision.seat, gap, move, words, both)
                self._mistakes.append(mistake)


def _spread(decisions: list[Decision]) -> list[Decision]:
    """Return decisions, of too many as many as there may be."""
    if len(decisions) <= _MOST_DECISIONS:
        return decisions
    return [decisions[i * len(decisions) // _MOST_DECISIONS] for i in range(_MOST_DECISIONS)]
