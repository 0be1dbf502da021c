"""Reports of leagues with figures: Markdown, and one self-contained HTML page."""

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kozyr.agents.arena.results import highlights
from kozyr.agents.arena.results.escape import in_figure, in_markdown, plain
from kozyr.agents.arena.tournaments.league import FullTableLeague
from kozyr.agents.arena.tournaments.rating import AnyLeague, Rating, cross_table, ratings
from kozyr.envs.core import install_hint
from kozyr.envs.table import file_output

MARKDOWN, PAGE = "league.md", "league.html"
_CELL = 240  # characters of a cell
_SENTENCE = 40  # characters from which a cell is no number
_OPEN = "An Elo that is only above or below a number is that of an agent that has won or lost every game."
_EQUAL = 1e-9  # difference of two scores that are the same
Links = Sequence[tuple[str, str]]  # text and address of each
STYLE = (
    ":root{color-scheme:light dark;background:Canvas;color:CanvasText}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}"
    "td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #8886}"
    "td:first-child,th:first-child{text-align:left}img{max-width:100%}"
)
_ASSUMED = (
    "Ratings assume that whoever beats the one that beats a third also beats the third; the cross-table does not. "
    "± and brackets are 95 % intervals over duplicate deals, but openskill's ± is one standard deviation in its model. "
    "50 % is par."
)


def write(league: AnyLeague, folder: Path) -> list[Rating]:
    """Write league.md, league.html and the pages of some highlights, and return the ratings.

    Raises:
        ImportError: naming the extra to install.
    """
    players = ratings(league)
    folder.mkdir(parents=True, exist_ok=True)
    games = highlights.write(_highlights(league, players), folder)
    file_output.write(folder / MARKDOWN, markdown(league, players, games))
    file_output.write(folder / PAGE, page(league, players, games))
    return players


def _highlights(league: AnyLeague, players: Sequence[Rating]) -> list[highlights.Highlight]:
    """Return highlights: games of neighbours in the ratings, and of the best against the last."""
    order = [one.name for one in players]
    return highlights.find(
        league.game,
        league.highlight_tables(order),
        order,
        league.seed,
        league.opening,
        league.move_limit,
        openings=league.openings,
        **league.variant,
    )


def title(league: AnyLeague) -> str:
    """Return the league's title line."""
    options = ", ".join(f"{name}={value}" for name, value in league.variant.items())
    what = "table of different players" if isinstance(league, FullTableLeague) else "pairing"
    return f"{league.game}{f' ({options})' if options else ''}: {league.deals:,} duplicate deals a {what}"


def remark(players: Sequence[Rating]) -> str:
    """Return a remark if all are equal, or if the ratings of some have an open end; else ""."""
    if max(one.score for one in players) - min(one.score for one in players) > _EQUAL:
        return _OPEN if any(one.elo is not None and None in (one.elo_low, one.elo_high) for one in players) else ""
    return "All have scored the same, so all ratings are equal: nobody may decide anything here, or the deals are few."


def standing(players: Sequence[Rating]) -> list[list[str]]:
    """Return the table of ratings with its header, without empty columns."""
    columns: dict[str, list[str]] = {
        "Agent": [one.name for one in players],
        "Score %": [one.estimate.times(100).text() for one in players],
        "Draws %": [f"{100 * one.draws:.1f}" if one.draws else "" for one in players],
        "Elo (95 %)": [one.elo_text for one in players],
        "openskill": [f"{one.mu:.1f} ± {one.sigma:.1f}" for one in players],
        "ms/move": ["" if one.ms is None else f"{one.ms:.2f}" for one in players],
        "Errors": [f"{one.errors:,}" if one.errors else "" for one in players],
    }
    return non_empty(columns)


def non_empty(columns: dict[str, list[str]]) -> list[list[str]]:
    """Return a table of the columns with text in any cell: rows, the first of them the header."""
    columns = {head: cells for head, cells in columns.items() if any(cells)}
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def crossing(league: AnyLeague, players: Sequence[Rating]) -> list[list[str]]:
    """Return the cross-table, the row's score against the column, in the order of the ratings."""
    scores = cross_table(league)
    order = [list(league.names).index(one.name) for one in players]
    rows = [["", *(league.names[j] for j in order)]]
    for i in order:
        cells = ["" if (one := scores[i][j]) is None else one.times(100).text() for j in order]
        rows.append([league.names[i], *cells])
    return rows


def markdown(league: AnyLeague, players: Sequence[Rating], games: Links = ()) -> str:
    """Return the report as Markdown, with links to games."""
    parts = [
        f"# {in_markdown(title(league))}",
        _ASSUMED + f" {remark(players)}".rstrip(),
        pipes(standing(players)),
        "## Cross-table",
        pipes(crossing(league, players)),
    ]
    if games:
        parts += ["## Games", "\n".join(f"- [{in_markdown(words)}]({address})" for words, address in games)]
    return "\n\n".join(parts) + "\n"


def pipes(rows: list[list[str]]) -> str:
    """Return rows as a table of Markdown."""
    lines = ["| " + " | ".join(in_markdown(cell, _CELL) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]])


def page(league: AnyLeague, players: Sequence[Rating], games: Links = ()) -> str:
    """Return the report as a page with its pictures inside, and links to games."""
    name = html.escape(title(league))
    pictures = "".join(f'<p><img alt="{alt}" src="{_inline(figure)}"></p>' for alt, figure in _figures(league, players))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style>'
        f"<h1>{name}</h1><p>{_ASSUMED} {remark(players)}</p>{table(standing(players))}<h2>Cross-table</h2>"
        f"{table(crossing(league, players))}{pictures}{linked(games)}</html>\n"
    )


def linked(games: Links) -> str:
    """Return links to games as HTML, under a heading."""
    rows = "".join(
        f'<li><a href="{html.escape(address)}">{html.escape(plain(words))}</a></li>' for words, address in games
    )
    return f"<h2>Games</h2><ul>{rows}</ul>" if games else ""


def table(rows: list[list[str]]) -> str:
    """Return rows as a table of HTML."""
    head = "".join(f"<th>{html.escape(plain(cell, _CELL))}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td{_side(cell)}>{html.escape(plain(cell, _CELL))}</td>" for cell in row) + "</tr>"
        for row in rows[1:]
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _side(cell: str) -> str:
    """Return the style of a cell: sentences are aligned left."""
    return ' style="text-align:left"' if len(cell) > _SENTENCE else ""


def _inline(figure: Any) -> str:
    """Return a figure as the data address of its image."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110)
    return inline(content.getvalue())


def inline(png: bytes) -> str:
    """Return a PNG as the data address of its image."""
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _figures(league: AnyLeague, players: Sequence[Rating]) -> list[tuple[str, Any]]:
    """Return the pictures of a league with their names."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"the page of a league needs matplotlib: {install_hint.command('league')}") from error
    tall = 1.2 + 0.45 * len(players)
    figures = [
        ("cross-table", _heat(Figure((3 + 0.9 * len(players), 0.8 + tall), layout="constrained"), league, players))
    ]
    figures.append(("ratings", _ranges(Figure((8, tall), layout="constrained"), players)))
    if any(one.ms is not None for one in players):
        figures.append(("time", _times(Figure((8, tall), layout="constrained"), players)))
    return figures


def _heat(figure: Any, league: AnyLeague, players: Sequence[Rating]) -> Any:
    """Draw the cross-table."""
    scores = cross_table(league)
    order = [list(league.names).index(one.name) for one in players]
    percent = np.array([[np.nan if (one := scores[i][j]) is None else 100 * one.value for j in order] for i in order])
    axes = figure.add_subplot()
    image = axes.imshow(percent, cmap="RdBu", vmin=0, vmax=100)
    names = [in_figure(one.name) for one in players]
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    for i, j in zip(*np.nonzero(~np.isnan(percent)), strict=True):
        dark = abs(percent[i, j] - 50) > 35
        axes.text(j, i, f"{percent[i, j]:.0f}", ha="center", va="center", color="white" if dark else "black")
    figure.colorbar(image, label="score of the row against the column, %")
    return figure


def _ranges(figure: Any, players: Sequence[Rating]) -> Any:
    """Draw the ratings with their intervals."""
    axes, places = figure.add_subplot(), range(len(players))
    if any(one.elo is None for one in players):
        axes.errorbar([one.mu for one in players], places, xerr=[2 * one.sigma for one in players], fmt="o", capsize=4)
        axes.set_xlabel("openskill μ ± 2σ")
    else:
        _elo_ranges(axes, players)
    axes.set_yticks(places, [in_figure(one.name) for one in players])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    return figure


def _elo_ranges(axes: Any, players: Sequence[Rating]) -> None:
    """Draw ratings on Elo's scale with their intervals, an arrow where an end is open."""
    ends = [end for one in players for end in (one.elo_low, one.elo_high) if end is not None]
    least, most = min(ends, default=0.0) - 100.0, max(ends, default=0.0) + 100.0
    for place, one in enumerate(players):
        low, high = (least if one.elo_low is None else one.elo_low), (most if one.elo_high is None else one.elo_high)
        open_ends = {"xlolims": one.elo_high is None, "xuplims": one.elo_low is None}
        bounded = not any(open_ends.values())
        start = (one.elo or 0.0) if bounded else high if one.elo_low is None else low
        axes.errorbar(
            start,
            place,
            xerr=[[start - low], [high - start]],
            fmt="o" if bounded else "none",
            capsize=4,
            color="C0",
            **open_ends,
        )
    axes.set_xlabel("Elo (Bradley–Terry), 95 % interval")


def _times(figure: Any, players: Sequence[Rating]) -> Any:
    """Draw the time of a decision of the agents outside the compiled loop."""
    axes, timed = figure.add_subplot(), [one for one in players if one.ms is not None]
    axes.barh([in_figure(one.name) for one in timed], [one.ms for one in timed])
    axes.set_xscale("log")
    axes.set_xlabel("ms a decision")
    axes.invert_yaxis()
    return figure
