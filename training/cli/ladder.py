"""The command that climbs a game's ladder of players."""

from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.tables import fitted, without
from kozyr.training.cli.terminal import Game, Json, MoveLimit, Seed, Settings, Workers, options, show, show_json


def ladder(
    game: Game,
    deals: Annotated[int, typer.Option(help="Deals of a match between scripted players.")] = 2000,
    search_deals: Annotated[int, typer.Option(help="Deals of a match with a search player.")] = 200,
    seed: Seed = 0,
    workers: Workers = 1,
    move_limit: MoveLimit = None,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="Folder for ladder.html, ladder.json and ladder.png.")] = None,
    as_json: Json = False,
) -> None:
    """Measure all players of a game, weakest to strongest.

    Each plays against the next weaker one and against random play.
    """
    import sys

    from kozyr.agents.arena.matches.console import waiting
    from kozyr.agents.arena.tournaments.ladder import climb

    bar = sys.stderr.isatty()
    rungs = list(climb(game, deals, search_deals, seed, workers, bar, move_limit, **options(settings)))
    found = [rung.to_json() for rung in rungs]
    if out is not None:
        with waiting("writing the report"):
            _write(out, game, rungs, found, move_limit, options(settings))
    if as_json:
        show_json(found)
    else:
        show(_table(game, rungs))


def _table(game: str, rungs: list[Any]) -> Any:
    """Return the ladder as a table, the strongest player on top."""
    rows = [["Player", "v the one below, %", "deals", "v random, %", "ms/move", "99 %"]]
    for rung in reversed(rungs):
        ms = "" if rung.ms_per_move is None else f"{rung.ms_per_move:.2f}"
        ms_99 = rung.above_it.agents[0].ms_99
        late = "" if ms_99 is None else f"{ms_99:.1f}"
        below = f"{rung.below} {_score(rung.above_it)}"
        rows.append([rung.name, below, f"{rung.above_it.deals:,}", _score(rung.random), ms, late])
    title = f"{game}: scores in duplicate matches, 95 % intervals"
    return fitted(title, rows, without(rows, "99 %"), without(rows, "99 %", "deals"))


def _score(result: Any) -> str:
    """Return a score with its interval."""
    return result.agents[0].estimate.times(100).text()


def _write(
    folder: Path,
    game: str,
    rungs: list[Any],
    found: list[dict[str, Any]],
    move_limit: float | None,
    given: dict[str, Any],
) -> None:
    """Write the results as JSON, as a picture, and as a page with links to games worth looking at."""
    from kozyr.agents.arena.results import highlights
    from kozyr.training.run.report import draw_ladder, write_json

    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "ladder.json", {"game": game, "rungs": found})
    draw_ladder(folder / "ladder.png", game, rungs)
    order = [rung.name for rung in reversed(rungs)]
    pairs = [(rung.name, rung.below) for rung in reversed(rungs)]
    games = highlights.write(highlights.find(game, pairs, order, 0, None, move_limit, **given), folder)
    (folder / "ladder.html").write_text(
        _page(game, rungs, (folder / "ladder.png").read_bytes(), games), encoding="utf-8"
    )


def _page(game: str, rungs: list[Any], picture: bytes, games: list[tuple[str, str]]) -> str:
    """Return the ladder as a page."""
    from kozyr.agents.arena.tournaments import report

    heads = ["Player", "v the one below, %", "v random, %"]
    rows = [[rung.name, f"{rung.below} {_score(rung.above_it)}", _score(rung.random)] for rung in reversed(rungs)]
    title = f"{game}: scores in duplicate matches, 95 % intervals"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{report.STYLE}</style>'
        f"<h1>{title}</h1>{report.table([heads, *rows])}"
        f'<p><img alt="scores" src="{report.inline(picture)}"></p>{report.linked(games)}</html>\n'
    )
