"""Words on a table: the opening and the outcome of its game, and the lines of its log."""

from collections.abc import Sequence

from kozyr.agents.play.session import messages
from kozyr.agents.player import RESIGNED
from kozyr.envs.core import capabilities, labels
from kozyr.envs.core.labels import Phrase, PhraseError, phrase
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import Table, TableInfo

Line = tuple[int, int | None, Phrase]  # ply, seat, words


def opening(info: TableInfo) -> str:
    """Return the game and its players, in one sentence or two."""
    you = "" if info.seat is None else f" You are player_{info.seat};"
    return f"{info.game.title} ({info.game.id}).{you} {_others(info)}."


def _others(info: TableInfo) -> str:
    """Return the other players, in short where they have one name."""
    seats = [seat for seat in range(info.seats) if seat != info.seat]
    if info.names is None:
        return ", ".join(f"player_{seat}" for seat in seats)
    names = {info.names[seat] for seat in seats}
    if len(names) == 1 and len(seats) > 1:
        return f"the others are {names.pop()}"
    return ", ".join(f"player_{seat} is {info.names[seat]}" for seat in seats)


def outcome(table: Table, seat: int | None) -> str:
    """Return the outcome of a game for all, in one sentence; `seat` is you, None: nobody is.

    A forfeit tells payoffs, as the game itself has no end then.
    """
    results = [_result(table, k) for k in range(table.seats)]
    names = [f"player_{k} (you)" if k == seat else f"player_{k}" for k in range(table.seats)]
    return f"The game is over: {', '.join(f'{name} {result}' for name, result in zip(names, results, strict=True))}."


def _result(table: Table, seat: int) -> str:
    if table.record.forfeit is None:
        return capabilities.result(table.variant, table.state()[0], seat)
    return "lost" if seat == table.record.forfeit else f"got {table.payoffs[seat]:+g}"


def refusal(error: ValueError) -> messages.Refused:
    """Return the message that tells why something was not done."""
    return messages.Refused(str(error), error.args if isinstance(error, PhraseError) else None)


def lines(events: Sequence[Event], sees: int) -> list[Line]:
    """Return events as lines of a log, as a seat may know them; below 0: as all may.

    The end has no line: the outcome is shown elsewhere.
    """
    seat = sees if sees >= 0 else None
    return [(one.ply, one.seat, _words(one.for_seat(seat))) for one in events if one.kind != Kind.ENDED]


def _words(event: Event) -> Phrase:
    if event.kind == Kind.BEGAN:
        return phrase("begins")
    if event.kind == Kind.TIMED_OUT:
        return phrase("is out of time")
    if event.kind == Kind.FORFEITED:
        return _FORFEITS.get(event.words) or phrase("loses: {0}", event.words)
    return event.phrase or ("{0}", event.words)


_FORFEITS = {
    RESIGNED: phrase("loses: resigned"),
    "illegal action": phrase("loses: illegal action"),
    "error": phrase("loses: error"),
}


def in_english(lines: Sequence[Line]) -> list[tuple[int, int | None, str]]:
    """Return the lines of a log as messages have them."""
    return [(ply, seat, labels.say(words)) for ply, seat, words in lines]


def phrases(words: Sequence[Phrase]) -> list[Phrase | None]:
    """Return phrases as messages have them: those alone that can be translated."""
    return [one if labels.has_words(one[0]) else None for one in words]


def outcomes(table: Table) -> list[Phrase]:
    """Return the outcome for each seat, in the game's own words unless a seat lost by a forfeit."""
    if table.record.forfeit is not None:
        return [phrase("won") if payoff > 0 else phrase("lost") for payoff in table.payoffs]
    s = table.states[0]
    return [capabilities.result_phrase(table.variant, s, seat) for seat in range(table.seats)]
