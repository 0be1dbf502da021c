"""Tables of match results, `kozyr.agents.arena.matches.result.MatchResult`, for `rich`."""

from collections.abc import Callable
from typing import Any

from kozyr.agents.arena.results.escape import short
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.usage import Usage

Cell = Callable[[Any], str]  # text of a cell, from a `kozyr.agents.arena.matches.result.AgentResult`
_OPTIONAL = ("Return", "Win/draw/loss %")  # columns that a narrow table leaves out, the first one first


def scores(result: Any, width: int | None = None) -> Any:
    """Return the result as a table, with fewer columns if it would be wider than `width`."""
    from rich.console import Console

    columns = _columns(result)
    table = _scores(result, columns)
    for head in _OPTIONAL:
        if width is not None and Console(width=1000).measure(table).maximum > width:
            del columns[head]
            table = _scores(result, columns)
    return table


def _scores(result: Any, columns: dict[str, Cell]) -> Any:
    """Return the result as a table with these columns."""
    from rich.table import Table
    from rich.text import Text

    title = f"{result.game}: {result.games:,} games of {result.deals:,} deals, seed {result.seed}"
    if result.opening:
        title += f", {result.opening} random plies first"
    table = Table(title=title)
    table.add_column("Agent", overflow="fold")
    for head in columns:
        table.add_column(head, justify="right", no_wrap=True)
    for name, one in zip(_names(result), result.agents, strict=True):
        table.add_row(Text(name), *(cell(one) for cell in columns.values()))
    return table


def remarks(result: Any) -> str:
    """Return the remarks on the whole match, short names in full, and the first error of each agent."""
    lines = [
        f"{result.plies:,} plies, {result.draws:,} draws, {result.truncated:,} truncated",
        f"{result.seconds:.2f} s, {result.games_per_second:,.0f} games/s, {result.ms_per_move:.4f} ms a ply",
        "± and brackets are 95 % intervals of the mean over deals",
    ]
    if result.statistics:
        lines.append("a game: " + ", ".join(f"{mean:.1f} {name}" for name, mean in result.statistics.items()))
    lines += [
        f"{name} is {one.name}" for name, one in zip(_names(result), result.agents, strict=True) if name != one.name
    ]
    return "\n".join(lines + [f"{one.name}: {one.first_error}" for one in result.agents if one.first_error])


def turns(result: Any) -> Any:
    """Return the scores by place in turn: a row for each place, a column for each agent."""
    from rich.table import Table
    from rich.text import Text

    table = Table("Turn", title="Score % by turn")
    for name in _names(result):
        table.add_column(Text(name), justify="right", overflow="fold")
    for turn, row in enumerate(zip(*(one.by_turn for one in result.agents), strict=True), 1):
        table.add_row(str(turn), *(score.times(100).text() for score in row))
    return table


def usage(result: Any) -> Any:
    """Return the usage of language models, beside their scores; None without any."""
    from rich.table import Table
    from rich.text import Text

    if not any(one.usage for one in result.agents):
        return None
    table = Table(title="Language models")
    table.add_column("Agent", overflow="fold", min_width=10)
    for head in ("Score %", *Usage().columns()):
        table.add_column(head, justify="right")
    for name, one in zip(_names(result), result.agents, strict=True):
        if one.usage:
            table.add_row(Text(name), _score(one), *one.usage.columns().values())
    return table


def winnings(result: Any) -> Any:
    """Return each agent's winnings in the game's own unit, as chips; None if the game has none."""
    from rich.table import Table
    from rich.text import Text

    won = [one.won for one in result.agents if one.won is not None]
    if not won:
        return None
    unit = won[0].unit.capitalize()
    table = Table(title=f"{unit} won, with 95 % intervals")
    table.add_column("Agent", overflow="fold")
    for head in (f"{unit} a {won[0].game}", f"{unit} per 100 {won[0].game}s"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, one in zip(_names(result), won, strict=True):
        once, often = Estimate(one.mean, *one.interval), Estimate(one.per_100, *one.interval_per_100)
        table.add_row(Text(name), once.text(3, signed=True), often.text(signed=True))
    return table


def _names(result: Any) -> list[str]:
    """Return the agents' names in short."""
    return short([one.name for one in result.agents])


def _score(one: Any) -> str:
    """Return a score with its interval."""
    return one.estimate.times(100).text()


def _columns(result: Any) -> dict[str, Cell]:
    """Return the columns with the functions of their cells; errors and times only if there are any."""
    columns: dict[str, Cell] = {
        "Score %": _score,
        "Return": lambda one: Estimate(one.mean, *one.interval).text(3, signed=True),
        "Win/draw/loss %": lambda one: f"{100 * one.wins:.1f} / {100 * one.draws:.1f} / {100 * one.losses:.1f}",
    }
    if any(one.errors for one in result.agents):
        columns["Errors"] = lambda one: f"{one.errors:,}"
    if any(one.late for one in result.agents):
        columns["Late"] = lambda one: f"{one.late:,}"
    if any(one.ms_per_move is not None for one in result.agents):
        columns["ms/move"] = lambda one: "" if one.ms_per_move is None else f"{one.ms_per_move:.3f}"
    if any(one.ms_99 is not None for one in result.agents):
        columns["99 %"] = lambda one: "" if one.ms_99 is None else f"{one.ms_99:.1f}"
    return columns
