"""Tables of texts that fit the terminal: short names, and fewer columns where there is no room."""

from collections.abc import Mapping, Sequence
from typing import Any

Rows = list[list[str]]  # the first of them heads

_NAME = 16  # characters of a name that a table never breaks


def fitted(title: str, *forms: Rows) -> Any:
    """Return the first of several forms of a table that the terminal has room for, or else the last one."""
    from rich.console import Console

    width, wide = Console().width, Console(width=1000)
    made = [table(title, rows) for rows in forms]
    return next((one for one in made if wide.measure(one).maximum <= width), made[-1])


def without(rows: Rows, *heads: str) -> Rows:
    """Return rows without the columns of these heads."""
    kept = [i for i, head in enumerate(rows[0]) if head not in heads]
    return [[row[i] for i in kept] for row in rows]


def renamed(rows: Rows, names: Mapping[str, str]) -> Rows:
    """Return rows in which the first cell of each, and the heads, have other names."""
    first, *rest = rows
    return [[names.get(cell, cell) for cell in first], *([names.get(row[0], row[0]), *row[1:]] for row in rest)]


def numbered(rows: Rows) -> Rows:
    """Return a cross-table whose columns have the numbers of its rows for heads, and whose cells have no intervals."""
    heads = ["", *map(str, range(1, len(rows)))]
    cells = ([cell.partition(" ")[0] for cell in row[1:]] for row in rows[1:])
    return [heads, *([f"{k} {row[0]}", *rest] for k, (row, rest) in enumerate(zip(rows[1:], cells, strict=True), 1))]


def short_names(given: Sequence[str]) -> dict[str, str]:
    """Return the short form of each name."""
    from kozyr.agents.arena.results.escape import short

    return dict(zip(given, short(given), strict=True))


def explained(names: Mapping[str, str]) -> list[str]:
    """Return a line for each name that has become shorter."""
    return [f"{now} is {name}" for name, now in names.items() if now != name]


def table(title: str, rows: Rows) -> Any:
    """Return rows, the first of them heads, as a table."""
    from rich.table import Table
    from rich.text import Text

    made, short = Table(title=title), max(len(row[0]) for row in rows) <= _NAME
    made.add_column(rows[0][0], overflow="fold", no_wrap=short)
    for head in rows[0][1:]:
        made.add_column(head, justify="right", overflow="fold")
    for row in rows[1:]:
        made.add_row(*map(Text, row))
    return made
