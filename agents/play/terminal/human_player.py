"""Human player whose decisions come from another thread, as from a window."""

import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from numpy.typing import NDArray

from kozyr.agents.play.host.choices import Choice, choices
from kozyr.agents.play.session.words import outcome
from kozyr.agents.player import Resign, play
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import Table, TableInfo


class HumanLeft(Exception):  # noqa: N818 - it is no bug
    """The person has left the table before the game was over."""


class SeatState(NamedTuple):
    """A table as a person sees it after an event; nothing in it changes later.

    Attributes:
        text: the seat's view; news: the event in words, or "".
        action: the number of the last move, where the seat may know it.
        choices: the legal moves; empty while others are to move.
        turn: the seat to move, or −1; over: whether the game is; `news` is the outcome then.
        deadline: of the seat, by `time.monotonic`, or None.
    """

    text: str
    news: str
    action: int | None
    choices: list[Choice]
    turn: int
    over: bool = False
    deadline: float | None = None


class HumanPlayer:
    """A player who sees the table and answers from another thread.

    Args:
        table: of the player.
        show: called with each state of the table, in the thread of the game.
        pace: seconds that others' moves are shown, at least.
    """

    def __init__(self, table: Table, show: Callable[[SeatState], None], pace: float = 0.0) -> None:
        self._table, self._show, self._pace = table, show, pace
        self._answers: SimpleQueue[int | Exception] = SimpleQueue()
        self._seat, self._action, self._gone = 0, None, False

    def __repr__(self) -> str:
        return "the person"

    def begin(self, info: TableInfo) -> None:
        """Take the seat."""
        self._seat = info.seat or 0

    def see(self, event: Event) -> None:
        """Show an event."""
        if self._gone:
            raise HumanLeft
        if event.kind == Kind.MOVED:
            self._action = event.action
        ended = event.kind == Kind.ENDED
        self._show(self._state(outcome(self._table, self._seat) if ended else str(event), over=ended))
        if self._pace and event.seat != self._seat:
            time.sleep(self._pace)

    def act(self, view: NDArray[Any], mask: NDArray[Any], deadline: float | None) -> int:
        """Wait for an answer; when the time is up, any action will do, as the table forfeits."""
        self._show(self._state("", choices(self._table), deadline))
        while not self._gone:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                answer = self._answers.get(timeout=left)
            except Empty:
                return int(mask.argmax())
            if isinstance(answer, Exception):
                raise answer
            if mask[answer]:
                return answer
        raise HumanLeft

    def end(self, payoffs: Sequence[float]) -> None:
        """Do nothing: the last event told it."""

    def answer(self, action: int) -> None:
        """Play an action; from any thread."""
        self._answers.put(action)

    def resign(self) -> None:
        """Give up the game; from any thread."""
        self._answers.put(Resign())

    def leave(self) -> None:
        """Leave the table: whoever plays the game gets `HumanLeft`; from any thread."""
        self._gone = True
        self._answers.put(HumanLeft())

    def _state(
        self, news: str, moves: Sequence[Choice] = (), deadline: float | None = None, over: bool = False
    ) -> SeatState:
        table = self._table
        return SeatState(table.text(self._seat), news, self._action, list(moves), table.turn, over, deadline)


def thread_of(table: Table, players: Sequence[Any], failed: Callable[[str], None]) -> Thread:
    """Return a thread, not yet started, that plays a game until it is over or the person has left.

    Args:
        table: the game; players: one a seat.
        failed: called in that thread with a sentence if a player raises.
    """

    def run() -> None:
        try:
            play(table, players)
        except HumanLeft:
            pass
        except Exception as error:
            failed(f"The game cannot go on: {error}")

    return Thread(target=run, daemon=True)
