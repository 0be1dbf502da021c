"""Log of a table: its events, and the outcome, in words for people."""

from collections.abc import Sequence

from kozyr.envs.core import capabilities
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import Table

Line = tuple[int, int | None, str]  # ply, seat, words


def lines(events: Sequence[Event], sees: int) -> list[Line]:
    """Return events as lines of a log, as a seat may know them; below 0: as all may.

    The end has no line: the outcome is shown elsewhere.
    """
    seat = sees if sees >= 0 else None
    return [(one.ply, one.seat, _words(one.for_seat(seat))) for one in events if one.kind != Kind.ENDED]


def _words(event: Event) -> str:
    if event.kind == Kind.BEGAN:
        return "begins"
    if event.kind == Kind.TIMED_OUT:
        return "is out of time"
    return f"loses: {event.words}" if event.kind == Kind.FORFEITED else event.words


def outcomes(table: Table) -> list[str]:
    """Return the outcome for each seat, in the game's own words unless a seat lost by a forfeit."""
    if table.record.forfeit is not None:
        return ["won" if payoff > 0 else "lost" for payoff in table.payoffs]
    s = table.states[0]
    return [capabilities.result(table.variant, s, seat) for seat in range(table.seats)]
