"""Reports of cups: Markdown, and one HTML page with links to games in the viewer."""

import html
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from kozyr.agents.arena.matches.schedule import Contest
from kozyr.agents.arena.results import highlights
from kozyr.agents.arena.results.escape import in_markdown, plain
from kozyr.agents.arena.tournaments.cup_result import CupResult, Place, Stage, places
from kozyr.agents.arena.tournaments.report import STYLE, Links, linked, non_empty, pipes, table
from kozyr.envs.table import file_output

MARKDOWN, PAGE = "cup.md", "cup.html"
_SHOWN = 10  # cups whose parts are listed; the ranking counts all
_NOTE = (
    "Scores are means over all games, a draw counting half; 50 % is par. Every deal is played with all rotations of "
    "the seats. ± and brackets are 95 % intervals over deals; behind a mean place they are over cups."
)


def write(contest: Contest, results: Sequence[CupResult], folder: Path) -> None:
    """Write cup.md, cup.html and the pages of some highlights."""
    folder.mkdir(parents=True, exist_ok=True)
    games = highlights.write(_highlights(contest, results), folder)
    file_output.write(folder / MARKDOWN, markdown(contest, results, games))
    file_output.write(folder / PAGE, page(contest, results, games))


def _highlights(contest: Contest, results: Sequence[CupResult]) -> list[highlights.Highlight]:
    """Return highlights: games of the last tables, and of neighbours in the ranking without mistakes."""
    failed = {one.name for one in places(results) if one.errors}
    order = [name for name in results[0].ranking if name not in failed]
    tables = [one for one in results[0].stages[-1].tables if not failed & set(one)]
    played_pairs = {frozenset(table) for table in tables}
    tables += [pair for pair in pairwise(order) if frozenset(pair) not in played_pairs and contest.seats == len(pair)]
    seed = results[0].seed
    return highlights.find(
        contest.game, tables, order, seed, contest.opening, contest.move_limit, contest.sources, **contest.variant
    )


def title(contest: Contest) -> str:
    """Return the cup's title line."""
    options = ", ".join(f"{name}={value}" for name, value in contest.variant.items())
    return f"Cup: {contest.game}{f' ({options})' if options else ''}, {contest.deals:,} duplicate deals a table"


def standing(ranking: Sequence[Place], cups: int) -> list[list[str]]:
    """Return the ranking as a table with its header, without empty columns; who could not play is the last."""
    ranked = sum(one.took_part for one in ranking)
    columns: dict[str, list[str]] = {
        "Player": [one.name for one in ranking],
        "Place": [f"{k + 1}" for k in range(ranked)] + [f"{ranked + 1}"] * (len(ranking) - ranked),
        "Cups won": [f"{one.won}" if one.won else "" for one in ranking] if cups > 1 else [],
        "Mean place": [one.place for one in ranking] if cups > 1 else [],
        "Score %": [one.estimate.times(100).text() if one.took_part else "0" for one in ranking],
        "Errors": [(f"{one.errors:,}" if one.errors else "") if one.took_part else "damaged" for one in ranking],
    }
    return non_empty(columns)


def part(stage: Stage) -> list[list[str]]:
    """Return a stage of a cup as a table with its header."""
    rows = stage.rows
    columns: dict[str, list[str]] = {
        "Player": [one.name for one in rows],
        "Score %": [one.estimate.times(100).text() for one in rows],
        "Games": [f"{one.games:,}" for one in rows],
        stage.through: ["yes" if one.through else "" for one in rows],
        "Errors": [f"{one.errors:,}" if one.errors else "" for one in rows],
    }
    return non_empty(columns)


def _mistakes(ranking: Sequence[Place]) -> list[list[str]]:
    """Return the players that have lost games by mistakes or could not play, with the reasons, as a table."""
    rows = [
        [one.name, f"{one.errors:,}" if one.took_part else "all", _shortly(one.why or "")]
        for one in ranking
        if one.errors or not one.took_part
    ]
    return [["Player", "Games lost", "The first time"], *rows]


def _shortly(why: str) -> str:
    """Return the first and the last line of an error message, with a program's own output between them."""
    first, *more = [line.strip(" |") for line in why.splitlines() if line.strip(" |")] or [""]
    return f"{first}: {more[-1]}" if more else first


def markdown(contest: Contest, results: Sequence[CupResult], games: Links = ()) -> str:
    """Return the report as Markdown, with links to games."""
    ranking = places(results, contest.damaged)
    parts = [f"# {in_markdown(title(contest))}", _NOTE, "## Ranking", pipes(standing(ranking, len(results)))]
    for name, stage in stages(results):
        parts += [f"## {in_markdown(name)}", pipes(part(stage))]
    if len(mistakes := _mistakes(ranking)) > 1:
        parts += ["## Mistakes", pipes(mistakes)]
    if games:
        parts += ["## Games", "\n".join(f"- [{in_markdown(words)}]({address})" for words, address in games)]
    return "\n\n".join(parts) + "\n"


def page(contest: Contest, results: Sequence[CupResult], games: Links = ()) -> str:
    """Return the report as a page, with links to games."""
    ranking, name = places(results, contest.damaged), html.escape(title(contest))
    parts = "".join(f"<h2>{html.escape(plain(one))}</h2>{table(part(stage))}" for one, stage in stages(results))
    wrong = _mistakes(ranking)
    mistakes = f"<h2>Mistakes</h2>{table(wrong)}" if len(wrong) > 1 else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{name}</title><style>{STYLE}</style>'
        f"<h1>{name}</h1><p>{_NOTE}</p><h2>Ranking</h2>{table(standing(ranking, len(results)))}{mistakes}"
        f"{linked(games)}{parts}</html>\n"
    )


def stages(results: Sequence[CupResult]) -> list[tuple[str, Stage]]:
    """Return the stages with their titles, which name the cup if there are several."""
    several = len(results) > 1
    return [
        (f"Cup {k + 1}: {stage.title}" if several else stage.title, stage)
        for k, one in enumerate(results[:_SHOWN])
        for stage in one.stages
    ]
