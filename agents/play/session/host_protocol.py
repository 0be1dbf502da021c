"""Interfaces of a table's session to its host and its store: the calls, the state and the messages that they return.

Messages to a program in a seat are in protocol "kozyr", see docs/howto/process.md.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.session.messages import Advice
from kozyr.agents.play.session.words import Line
from kozyr.agents.programs import messages
from kozyr.envs.core.labels import Phrase
from kozyr.envs.table.event import Event
from kozyr.envs.table.table import Table


class ProgramMessages(NamedTuple):
    """New messages to a program.

    Attributes:
        lines: the messages; events: how many of the table's events the program knows now.
        ply: how many actions have been played; question: whether the last message asks for one.
    """

    lines: list[str]
    events: int
    ply: int
    question: bool


class ProgramRequest(NamedTuple):
    """A program's request for messages.

    Attributes:
        seat: the program's; wants: parts of messages that it has asked for; since: events that it knows already.
        number: of the next question; 0: it has the question already.
    """

    seat: int
    wants: frozenset[str]
    since: int
    number: int


class SeatView(NamedTuple):
    """A table as one side sees it.

    Attributes:
        rows: the elements of the scene, none of them LEGAL: the choices tell which may be played.
        choices: all legal actions, as JSON.
    """

    rows: NDArray[np.int32]
    choices: msgspec.Raw


class TableState(NamedTuple):
    """A table at a moment, after a change or without one.

    Attributes:
        ply, turn: as of the table; action: the last one, −1 before the first.
        views: by side; lines: the log since the last moment, by side.
        undo: whether my move may be taken back.
        left: seconds that each seat has left, or None; deadline: by `time.monotonic`, of the seat to move, or None.
        payoffs: a seat each, None until the game is over; truncated: whether a cap ended it.
        results: the outcome in words, a seat each; record: the whole game, once it is over.
    """

    ply: int
    turn: int
    action: int
    views: dict[int, SeatView]
    lines: dict[int, list[Line]]
    undo: bool
    left: list[float] | None
    deadline: float | None
    payoffs: list[float] | None
    truncated: bool
    results: list[Phrase]
    record: str | None


class Decision(NamedTuple):
    """A choice among several actions in a game.

    Attributes:
        ply: actions before it; seat: that chose; action: that was played; words: for it.
    """

    ply: int
    seat: int
    action: int
    words: Phrase


class HostProtocol(Protocol):
    """A table's host; `sides` are those whose views a state has: seats, SEES_ALL or SEES_PUBLIC.

    Changes raise ValueError, in words, if they are not allowed.
    """

    async def state(self, sides: Sequence[int]) -> TableState:
        """Return the table as it is."""
        ...

    async def earlier(self, ply: int, sides: Sequence[int]) -> TableState:
        """Return the table as it was after `ply` actions."""
        ...

    async def play(self, action: int, sides: Sequence[int]) -> TableState:
        """Play for the seat to move."""
        ...

    async def play_scripted(self, sides: Sequence[int]) -> TableState:
        """Let the scripted player to move play."""
        ...

    async def forfeit(self, seat: int, reason: str, sides: Sequence[int]) -> TableState:
        """Let a seat lose."""
        ...

    async def take_back(self, sides: Sequence[int]) -> TableState:
        """Undo my last move and all after it."""
        ...

    async def start_clocks(self, sides: Sequence[int]) -> TableState:
        """Let the clocks run from now on."""
        ...

    async def rename(self, names: Sequence[str], sides: Sequence[int]) -> TableState:
        """Call the seats by other names."""
        ...

    async def decisions(self) -> list[Decision]:
        """Return all choices among several actions so far."""
        ...

    async def log(self, sees: int) -> list[Line]:
        """Return the whole log, as a side may know it."""
        ...

    async def text(self, ply: int, sees: int) -> str:
        """Return the knowledge of a side after `ply` actions, in words."""
        ...

    async def program_hello(self) -> str:
        """Return the first message to a program."""
        ...

    async def program_news(self, request: ProgramRequest) -> ProgramMessages:
        """Return the new messages to the program in a seat."""
        ...

    async def ask(self, seat: int) -> int | str:
        """Return the action of the agent in a seat whose turn it is, or the reason why it loses."""
        ...

    async def advise(self, agent: str, ply: int) -> Advice:
        """Return an agent's advice after `ply` actions, in the seat that is to move then."""
        ...

    async def come_home(self) -> None:
        """Hold the position in the server's process from now on."""
        ...


class MoveStore(Protocol):
    """The storage of a table's game; `number` is the table's."""

    def move(self, number: int, ply: int, action: int, left: Sequence[float] | None) -> None:
        """Store a move."""
        ...

    def cut(self, number: int, ply: int) -> None:
        """Remove the moves after the first `ply`."""
        ...

    def rename(self, number: int, config: TableConfig) -> None:
        """Store a configuration with other names of the seats."""
        ...

    def help(self, number: int) -> None:
        """Store that a move was taken back or a hint asked for."""
        ...

    def end(self, number: int, record: str, payoffs: Sequence[float]) -> None:
        """Store the end of a game."""
        ...


def news(table: Table, events: Sequence[Event], deadline: float | None, request: ProgramRequest) -> ProgramMessages:
    """Return the messages that a program does not have yet.

    Args:
        table: as it stands; events: all so far; deadline: of the seat to move, by `time.monotonic`.
        request: of the program.
    """
    seat, wants, since, number = request
    fresh = events[min(since, len(events)) :]
    lines = [messages.event(event.for_seat(seat)) for event in fresh] if "events" in wants else []
    question = number > 0 and table.turn == seat
    if question:
        writer = messages.MessageWriter(table.game, table.variant)
        writer.wants = wants
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        lines.append(writer.act(number, seat, table.view(seat), table.mask, left))
    if table.over and fresh:
        lines.append(messages.result(seat, table.payoffs))
    return ProgramMessages(lines, len(events), table.ply, question)
