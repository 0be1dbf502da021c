"""Score cards: a report as tables, and as one self-contained page with pictures of notable games."""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass

from kozyr.agents.arena.results import highlights
from kozyr.agents.arena.results.escape import plain
from kozyr.agents.arena.scores.report import Points, Report, TaskScore
from kozyr.agents.arena.scores.suite import Suite
from kozyr.agents.arena.tournaments.report import STYLE, table
from kozyr.envs.viewer.frames import drawing, frames

Rows = list[list[str]]  # the first of them heads
_LOW, _HIGH = -50.0, 150.0  # points from one end of a bar's scale to the other
_MORE_STYLE = (
    ".total{font-size:3em;line-height:1.1;margin:.2em 0}.total small{font-size:.4em}"
    ".scale{position:relative;height:1em;min-width:12em;background:#8882;border-radius:.2em}"
    ".scale i{position:absolute;top:0;bottom:0;border-left:1px solid #8888}"
    ".scale b{position:absolute;top:.2em;bottom:.2em;background:#27a;border-radius:.2em;min-width:3px}"
    "figure{display:inline-block;margin:0 1em 1em 0;max-width:20em;vertical-align:top}figcaption{font-size:.9em}"
    "td.bar{width:14em}table{display:block;overflow-x:auto}td,th{white-space:nowrap}"
    ".scale b{background:light-dark(#27a,#6bf)}"
)
_MEANING = (
    "0 points are random play, 100 the reference of the task. Points are linear in the mean score against the task's "
    "opponents. ± and brackets are 95 % intervals over duplicate deals."
)

_MINIS = "What a best response wins more than the agent, summed over the seats: 0 where nobody wins anything from it."


@dataclass(frozen=True)
class Picture:
    """Picture of a notable game: its last position as SVG, and what is notable in it."""

    words: str
    svg: str


def overview(report: Report) -> Rows:
    """Return the table of a report's tasks."""
    rows = [["Task", "Agent", "Points", "ms/move", "Errors"]]
    for one in report.tasks:
        ms = "" if one.ms is None else f"{one.ms:.2f}"
        rows.append([one.task, plain(one.agent), points_text(one.points), ms, f"{one.errors:,}" if one.errors else ""])
    if report.points is not None:
        rows.append(["all tasks", report.title, points_text(report.points), "", ""])
    keep = [i for i in range(len(rows[0])) if i < 3 or any(row[i] for row in rows[1:])]
    return [[row[i] for i in keep] for row in rows]


def details(report: Report) -> Rows:
    """Return the table of all matches."""
    rows = [["Task", "Against, in all other seats", "Score %", "Win/draw/loss %", "Deals"]]
    for task in report.tasks:
        for match in task.matches:
            mine = match.scores[0]
            shares = " / ".join(f"{100 * share:.1f}" for share in (mine.wins, mine.draws, mine.losses))
            other = plain(match.scores[-1].agent)
            rows.append([task.task, other, mine.estimate.times(100).text(), shares, f"{match.deals:,}"])
    return rows


def exploitability(report: Report) -> Rows:
    """Return the table of mini variants."""
    rows = [["Mini variant", "Agent, in every seat", "Plays", "NashConv"]]
    for one in report.mini_scores:
        plays = "draws its actions" if one.stochastic else "as in a match"
        rows.append([plain(one.mini), plain(one.agent), plays, f"{one.nash_conv:.4f}"])
    return rows


def ranking(reports: Sequence[Report], suite: Suite) -> Rows:
    """Return the table of several reports of one suite: a column an agent, the best on the left."""
    ranked = sorted(reports, key=order, reverse=True)
    points = [{task.task: points_text(task.points) for task in one.tasks} for one in ranked]
    totals = ["" if one.points is None else points_text(one.points) for one in ranked]
    rows = [["Task", *(one.title for one in ranked)], ["all tasks", *totals]]
    return rows + [[task.name, *(one.get(task.name, "") for one in points)] for task in suite.tasks]


def order(report: Report) -> tuple[bool, float]:
    """Return a report's place in a ranking: those of all tasks before others."""
    mean = sum(one.points.points for one in report.tasks) / len(report.tasks) if report.tasks else 0.0
    return report.points is not None, mean if report.points is None else report.points.points


def points_text(points: Points) -> str:
    """Return points with their interval."""
    return points.estimate.text()


def pictures(report: Report, suite: Suite) -> list[Picture]:
    """Return pictures of notable games, one a task: short matches are played once more and recorded.

    Agents that have no name, as functions, have none.
    """
    result: list[Picture] = []
    for one in report.tasks:
        task = suite.task(one.task)
        opponent = task.opponents[-1].agent
        try:
            notable = highlights.find(
                task.game,
                [(one.agent, opponent)],
                [opponent, one.agent],
                report.seed,
                task.opening,
                **task.options,
            )
        except (ValueError, ImportError):  # an object has no name by which it could be loaded
            continue
        if notable:
            result.append(_picture(one, opponent, notable[-1]))
    return result


def _picture(task: TaskScore, opponent: str, notable: highlights.Highlight) -> Picture:
    """Return the picture of a game's last position."""
    record = notable.record
    *_, last = frames(record)
    names = [plain(name) for name in record.agents or []]
    words = f"{task.task}, against {plain(opponent)}: {notable.what.lower()} of a few, {len(record.actions)} plies"
    return Picture(words, drawing(record.game, record.variant, last, None, names or None))


def page(report: Report, suite: Suite, games: Sequence[Picture] = ()) -> str:
    """Return a self-contained page of HTML."""
    title = html.escape(f"{report.title} in {suite.suite}")
    total = (
        f"<p>It played {len(report.tasks)} of {len(suite.tasks)} tasks, so it has no points for all of them.</p>"
        if report.points is None
        else f'<p class="total">{html.escape(points_text(report.points))} <small>points, all tasks</small></p>'
    )
    quick = "<p>With --quick a task has a sixteenth of its deals.</p>" if report.quick else ""
    figures = "".join(_figure(one) for one in games)
    versions = report.tasks[0].matches[0].made if report.tasks else report.mini_scores[0].libraries
    minis = f"<h2>Exploitability</h2><p>{_MINIS}</p>{table(exploitability(report))}" if report.mini_scores else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}{_MORE_STYLE}</style><h1>{title}</h1>{total}{quick}"
        f"<p>{_MEANING}</p>{_bars(report)}<h2>Matches</h2>{table(details(report))}{minis}"
        + (f"<h2>Games</h2>{figures}" if games else "")
        + f"<h2>Play it again</h2><p>Seed {report.seed}, suite {html.escape(suite.suite)} with digest "
        f"<code>{report.digest[:16]}</code>, report with digest <code>{report.sha256[:16]}</code>; "
        f"{html.escape(', '.join(f'{name} {number}' for name, number in versions.items()))}. "
        f"<code>kozyr score check</code> plays the report's matches again and compares every digit.</p></html>\n"
    )


def _bars(report: Report) -> str:
    """Return the tasks as a table with a bar for each interval."""
    rows = [
        f"<tr><td>{html.escape(one.task)}<td>{html.escape(points_text(one.points))}<td class=bar>{_bar(one.points)}"
        for one in report.tasks
    ]
    return f"<table><tr><th>Task<th>Points<th>−50 … 0 … 100 … 150{''.join(rows)}</table>"


def _bar(points: Points) -> str:
    """Return a bar from the lower end of an interval to its upper end, with marks at 0 and 100."""
    low, high = _place(points.low), _place(points.high)
    marks = "".join(f'<i style="left:{_place(mark):.1f}%"></i>' for mark in (0.0, 100.0))
    words = html.escape(points_text(points))
    return (
        f'<div class=scale role=img aria-label="{words} points">{marks}'
        f'<b style="left:{low:.1f}%;width:{high - low:.1f}%"></b></div>'
    )


def _place(points: float) -> float:
    """Return the place of a number on the scale in percent of its length."""
    return 100 * (min(max(points, _LOW), _HIGH) - _LOW) / (_HIGH - _LOW)


def _figure(one: Picture) -> str:
    """Return a picture as an image, so that two of them share no names."""
    address = "data:image/svg+xml;base64," + base64.b64encode(one.svg.encode()).decode()
    words = html.escape(one.words)
    return f'<figure><img src="{address}" alt="{words}"><figcaption>{words}</figcaption></figure>'
