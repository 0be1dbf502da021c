"""What a program in a seat of a table is told: messages of protocol "kozyr", see docs/howto/process.md."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from kozyr.agents.programs import messages
from kozyr.envs.table.event import Event
from kozyr.envs.table.table import Table


class News(NamedTuple):
    """What is new.

    Attributes:
        lines: the messages; heard: events that the program has been told of in all.
        ply: how many actions have been played; asked: whether the last message asks for one.
    """

    lines: list[str]
    heard: int
    ply: int
    asked: bool


class Asked(NamedTuple):
    """What a program wants to know.

    Attributes:
        seat: whose it is; wants: what it has asked for; since: events that it has been told of.
        number: of the next question; number 0: it was asked already.
    """

    seat: int
    wants: frozenset[str]
    since: int
    number: int


def news(table: Table, events: Sequence[Event], deadline: float | None, it: Asked) -> News:
    """Return what is new at a table.

    Args:
        table: as it stands; events: all that have happened; deadline: of the seat to move, by `time.monotonic`.
        it: who asks.
    """
    fresh = events[min(it.since, len(events)) :]
    lines = [messages.event(event.for_seat(it.seat)) for event in fresh] if "events" in it.wants else []
    asked = it.number > 0 and table.turn == it.seat
    if asked:
        telling = messages.Telling(table.game, table.variant)
        telling.wants = it.wants
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        lines.append(telling.act(it.number, it.seat, table.view(it.seat), table.mask, left))
    if table.over and fresh:
        lines.append(messages.result(it.seat, table.payoffs))
    return News(lines, len(events), table.ply, asked)
