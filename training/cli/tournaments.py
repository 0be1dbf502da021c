"""Commands that rank players: league, ladder, cup."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.training.cli.terminal import (
    Clock,
    Confine,
    Deals,
    Game,
    Json,
    MoveLimit,
    Opening,
    Openings,
    Seed,
    Settings,
    Workers,
    fit_table,
    name_lines,
    options,
    short_names,
    show,
    show_json,
    table,
    tell_shortcomings,
    with_names,
    without,
    without_intervals,
)

Names = Annotated[list[str] | None, typer.Argument(help="Agents. Default: all scripted players.")]
Ray = Annotated[str | None, typer.Option(help="Ray cluster to play on: its address, auto, or local to start one.")]
_SPARED = ("openskill", "Draws %")  # columns that a narrow terminal does without
_SECONDS = {"ms": 0.001, "s": 1.0}
_LEAST = 0.001  # seconds
_CONFINED = "auto"  # bots of a folder, unless --confine says otherwise


def league(
    game: Game,
    names: Names = None,
    deals: Deals = 500,
    tables: Annotated[
        str, typer.Option("--table", help="pairs: two agents at a table. mixed: different agents in all seats.")
    ] = "pairs",
    swiss: Annotated[int, typer.Option(help="Rounds of the Swiss system; 0: all against all.")] = 0,
    seed: Seed = 0,
    workers: Workers = 1,
    ray: Ray = None,
    opening: Opening = None,
    openings: Openings = None,
    move_limit: MoveLimit = None,
    clock: Clock = "auto",
    confine: Confine = None,
    settings: Settings = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results and reports; what it holds is not played again.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play all against all and rate the agents.

    With --out the same command continues where it was stopped.

    At larger tables one agent of a pairing sits among copies of the other.
    With --table mixed all players of a table are different.
    """
    from kozyr import agents
    from kozyr.agents.arena.tournaments import rating, report
    from kozyr.agents.arena.tournaments.league import FullTableLeague, League
    from kozyr.agents.statistics.intervals import CONFIDENCE, METHOD
    from kozyr.envs.environments import argument_checks as check

    variant = options(settings)
    path = None if out is None else out / "league.jsonl"
    mixed = check.choice("table", tables, ("pairs", "mixed")) == "mixed"
    if mixed and swiss:
        raise ValueError("--swiss pairs neighbours: leave --table mixed out")
    how = (deals, seed, path, opening, variant, move_limit)
    more: dict[str, Any] = {"openings": openings, "clock": clock}
    tournament = (FullTableLeague if mixed else League)(game, names or agents.names(game), *how, **more)
    with tournament.store.exclusive():
        _play_league(tournament, swiss, workers, ray)
        ratings = rating.ratings(tournament) if out is None else report.write(tournament, out)
    if as_json:
        result = {"ratings": rating.points(ratings), "cross_table": rating.crossed(tournament)}
        method = {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": deals}
        show_json({"game": game, "deals": deals, **method, **result})
    else:
        _show_league(tournament, ratings, out)


def _play_league(tournament: Any, swiss: int, workers: int, ray: str | None) -> None:
    """Play the missing games of a league: of all tables, so many Swiss rounds, or all pairs."""
    from kozyr.agents.arena.tournaments.league import FullTableLeague

    bar = sys.stderr.isatty()
    if isinstance(tournament, FullTableLeague):
        tournament.play_all(workers, bar, ray)
    elif swiss:
        tournament.swiss(swiss, workers, bar, ray)
    else:
        tournament.play(tournament.pairs(), workers, bar, ray=ray)


def _show_league(tournament: Any, ratings: Any, out: Path | None) -> None:
    """Print the ratings and the cross-table."""
    from kozyr.agents.arena.tournaments import report
    from kozyr.agents.arena.tournaments.league import FullTableLeague

    head = "Row ahead of column, %" if isinstance(tournament, FullTableLeague) else "Score of the row, %"
    names = short_names(tournament.names)
    standing, crossing = (
        with_names(one, names) for one in (report.standing(ratings), report.crossing(tournament, ratings))
    )
    show(
        fit_table(report.title(tournament), standing, without(standing, *_SPARED[:1]), without(standing, *_SPARED)),
        fit_table(head, crossing, without_intervals(crossing)),
        *name_lines(names),
    )
    if report.remark(ratings):
        show(report.remark(ratings))
    if out is not None:
        show(f"The report is {out / report.PAGE}")


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
    results = [rung.to_json() for rung in rungs]
    if out is not None:
        with waiting("writing the report"):
            _write_ladder(out, game, rungs, results, move_limit, options(settings))
    if as_json:
        show_json(results)
    else:
        show(_ladder_table(game, rungs))


def _ladder_table(game: str, rungs: list[Any]) -> Any:
    """Return the ladder as a table, the strongest player on top."""
    rows = [["Player", "v the one below, %", "deals", "v random, %", "ms/move", "99 %"]]
    for rung in reversed(rungs):
        ms = "" if rung.ms_per_move is None else f"{rung.ms_per_move:.2f}"
        ms_99 = rung.above_it.agents[0].ms_99
        late = "" if ms_99 is None else f"{ms_99:.1f}"
        below = f"{rung.below} {_score(rung.above_it)}"
        rows.append([rung.name, below, f"{rung.above_it.deals:,}", _score(rung.random), ms, late])
    title = f"{game}: scores in duplicate matches, 95 % intervals"
    return fit_table(title, rows, without(rows, "99 %"), without(rows, "99 %", "deals"))


def _score(result: Any) -> str:
    """Return a score with its interval."""
    return result.agents[0].estimate.times(100).text()


def _write_ladder(
    folder: Path,
    game: str,
    rungs: list[Any],
    results: list[dict[str, Any]],
    move_limit: float | None,
    variant: dict[str, Any],
) -> None:
    """Write the results as JSON, as a picture, and as a page with links to games worth looking at."""
    from kozyr.agents.arena.results import highlights
    from kozyr.training.run.report import draw_ladder, write_json

    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "ladder.json", {"game": game, "rungs": results})
    draw_ladder(folder / "ladder.png", game, rungs)
    order = [rung.name for rung in reversed(rungs)]
    pairs = [(rung.name, rung.below) for rung in reversed(rungs)]
    games = highlights.write(highlights.find(game, pairs, order, 0, None, move_limit, **variant), folder)
    file_output.write(folder / "ladder.html", _ladder_page(game, rungs, (folder / "ladder.png").read_bytes(), games))


def _ladder_page(game: str, rungs: list[Any], picture: bytes, games: list[tuple[str, str]]) -> str:
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


def cup(
    game: Game,
    players: Annotated[list[str], typer.Argument(help="Agents by name, or one folder of bots.")],
    form: Annotated[str, typer.Option(help="groups, round-robin or double-elimination.")] = "groups",
    groups: Annotated[int | None, typer.Option(help="How many groups.")] = None,
    advance: Annotated[int | None, typer.Option(help="How many of each group reach the final.")] = None,
    deals: Annotated[int, typer.Option(help="Deals at each table; each is played once from every seat.")] = 100,
    repeat: Annotated[int, typer.Option(help="How many cups, each with its own draw.")] = 1,
    seed: Seed = 0,
    workers: Workers = 1,
    time: Annotated[
        str | None, typer.Option(help="Time for a decision, as 100ms or 2s; a slower player loses the game.")
    ] = None,
    clock: Clock = "auto",
    memory: Annotated[str, typer.Option(help="Memory of each program in a folder of bots, as 500MB.")] = "2GB",
    confine: Confine = None,
    opening: Opening = None,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the page and the results.")] = None,
    as_json: Json = False,
) -> None:
    """Play a tournament: groups, then a final of their winners.

    With --out the same command continues where it was stopped.

    All players of a table are different. A folder of bots may hold Python
    files, programs and trained policies; each program has its own process.
    """
    from kozyr.agents.arena.matches.schedule import Contest
    from kozyr.agents.arena.tournaments import cup_report as report
    from kozyr.agents.arena.tournaments.cup import Cup
    from kozyr.agents.arena.tournaments.cup_result import places
    from kozyr.agents.statistics.intervals import CONFIDENCE, METHOD
    from kozyr.envs.environments import argument_checks as check

    check.count("repeat", repeat)
    variant, limit = options(settings), _seconds(time, players)
    bots, damaged = _cup_players(players, memory, confine, game, variant)
    sources, marks = ({name: one[k] for name, one in bots.items()} for k in (0, 1))
    path = None if out is None else out / "cup.jsonl"
    more: dict[str, Any] = {"clock": clock, "damaged": damaged}
    contest = Contest(game, list(sources), deals, seed, path, opening, variant, limit, sources, marks, **more)
    tournament = Cup(contest, form, groups, advance)
    with contest.store.exclusive():
        results = tournament.play_often(seed, repeat, workers, sys.stderr.isatty())
        if out is not None:
            report.write(contest, results, out)
    if as_json:
        ranked, cups = [asdict(one) for one in places(results, damaged)], [asdict(one) for one in results]
        method = {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": deals}
        show_json({"game": game, "deals": deals, **method, "places": ranked, "cups": cups})
    else:
        _show_cup(contest, results, out)


def _show_cup(contest: Any, results: list[Any], out: Path | None) -> None:
    """Print the places, and every table of every stage."""
    from kozyr.agents.arena.tournaments import cup_report as report
    from kozyr.agents.arena.tournaments.cup_result import places

    parts = [(title, report.part(stage)) for title, stage in report.stages(results)]
    ranking = places(results, contest.damaged)
    names = short_names([one.name for one in ranking])
    for title, rows in [(report.title(contest), report.standing(ranking, len(results))), *parts]:
        show(table(title, with_names(rows, names)))
    show(*name_lines(names), *(f"{name} cannot play: {why}" for name, why in contest.damaged.items()))
    if out is not None:
        show(f"The report is {out / report.PAGE}")


def _cup_players(
    names: list[str], memory: str, confine: str | None, game: str, variant: dict[str, Any]
) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Return agents, and their further marks, by their names here, and entries that cannot play."""
    from kozyr import envs
    from kozyr.agents.programs import students

    folders = [name for name in names if Path(name).is_dir()]
    if folders and len(names) > 1:
        raise ValueError(
            f"{folders[0]} is a folder of bots, and stands alone: put the other players into it, or leave it out"
        )
    if len(names) == 1:
        if not folders:
            raise ValueError(f"there is no folder {names[0]}: name two players or more, or a folder of bots")
        if confine is None:
            tell_shortcomings(_CONFINED)
        envs.game(game).make_variant(**variant)  # wrong ones are no bot's fault
        bots, damaged = students.entries(Path(names[0]), memory, confine or _CONFINED, game, **variant)
        return {**bots}, damaged
    students.kibibytes(memory)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{quote(twice[0])} is named twice: the players of a cup are all different")
    return {name: (name, "") for name in names}, {}


def _seconds(time: str | None, players: list[str]) -> float | None:
    """Return seconds for a text such as "100ms"; bots of a folder always have a limit."""
    if time is None:
        return 1.0 if len(players) == 1 else None
    for unit, seconds in _SECONDS.items():
        number: Any = time.removesuffix(unit)
        if number != time and number.replace(".", "", 1).isdecimal() and float(number) * seconds >= _LEAST:
            return float(number) * seconds
    raise ValueError(f"--time {quote(time)} is not allowed: write it as 100ms or 2s, at least 1ms")
