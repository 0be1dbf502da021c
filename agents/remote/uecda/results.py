"""Points of a server's games."""

from collections.abc import Sequence
from typing import Any

from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import mean_interval

_POINTS = (1.0, 5.0)  # of the last and the first of a game


def standings(names: Sequence[str], points: Sequence[Sequence[int]], refused: Sequence[int | None]) -> list[Any]:
    """Return for each player: games, the count of each place, points a game, ends of their 95 % interval, sets refused.

    A client does not know the refused sets of others: None.
    """
    rows = list[Any]()
    for player, (name, got) in enumerate(zip(names, points, strict=True)):
        places = [sum(x == 5 - place for x in got) for place in range(5)]
        mean, low, high = mean_interval(got, _POINTS) if got else (0.0, 0.0, 0.0)
        row = {"player": player, "name": name, "games": len(got), "places": places}
        rows.append({**row, "points": mean, "low": low, "high": high, "refused": refused[player]})
    return rows


def table(names: Sequence[str], points: Sequence[Sequence[int]], refused: Sequence[int | None]) -> Any:
    """Return the results as a table for the terminal."""
    from rich.table import Table
    from rich.text import Text

    result = Table("No.", "Name", "Games", "1st", "2nd", "3rd", "4th", "5th", "Points ± 95 %", "Refused")
    for one in standings(names, points, refused):
        mean = Estimate(one["points"], one["low"], one["high"]).text(3)
        no = "?" if one["refused"] is None else str(one["refused"])
        result.add_row(str(one["player"]), Text(one["name"]), str(one["games"]), *map(str, one["places"]), mean, no)
    return result
