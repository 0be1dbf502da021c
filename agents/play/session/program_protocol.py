"""Messages to a program in a seat of a table, in protocol "kozyr", see docs/howto/process.md."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from kozyr.agents.programs import messages
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
