"""Words at the beginning and the end of a game, for all that show a table."""

from kozyr.envs.core import capabilities
from kozyr.envs.table.table import Table, TableInfo


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
