"""The command that plays cups."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.tables import explained, renamed, short_names, table
from kozyr.training.cli.terminal import Game, Json, Opening, Seed, Settings, Workers, options, show, show_json

_SECONDS = {"ms": 0.001, "s": 1.0}
_LEAST = 0.001  # seconds


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
    memory: Annotated[str, typer.Option(help="Memory of each program in a folder of bots, as 500MB.")] = "2GB",
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
    from kozyr.envs.environments import check

    check.count("repeat", repeat)
    bots, limit = _players(players, memory), _limit(time, players)
    sources, marks = ({name: one[k] for name, one in bots.items()} for k in (0, 1))
    path = None if out is None else out / "cup.jsonl"
    contest = Contest(game, list(sources), deals, seed, path, opening, options(settings), limit, sources, marks)
    it = Cup(contest, form, groups, advance)
    with contest.store.exclusive():
        results = it.play_often(seed, repeat, workers, sys.stderr.isatty())
        if out is not None:
            report.write(contest, results, out)
    if as_json:
        ranked, cups = [asdict(one) for one in places(results)], [asdict(one) for one in results]
        method = {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": deals}
        show_json({"game": game, "deals": deals, **method, "places": ranked, "cups": cups})
    else:
        _show(contest, results, out)


def _show(contest: Any, results: list[Any], out: Path | None) -> None:
    """Print the places, and every table of every stage."""
    from kozyr.agents.arena.tournaments import cup_report as report
    from kozyr.agents.arena.tournaments.cup_result import places

    parts = [(title, report.part(stage)) for title, stage in report.stages(results)]
    names = short_names(contest.names)
    for title, rows in [(report.title(contest), report.standing(places(results), len(results))), *parts]:
        show(table(title, renamed(rows, names)))
    show(*explained(names))
    if out is not None:
        show(f"The report is {out / report.PAGE}")


def _players(given: list[str], memory: str) -> dict[str, tuple[str, str]]:
    """Return agents, and what else marks them, by what they are called here."""
    from kozyr.agents.programs import students

    folders = [name for name in given if Path(name).is_dir()]
    if folders and len(given) > 1:
        raise ValueError(
            f"{folders[0]} is a folder of bots, and stands alone: put the other players into it, or leave it out"
        )
    if len(given) == 1:
        if not folders:
            raise ValueError(f"there is no folder {given[0]}: name two players or more, or a folder of bots")
        return {**students.players(Path(given[0]), memory)}
    students.kibibytes(memory)
    twice = [name for name in given if given.count(name) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is named twice: the players of a cup are all different")
    return {name: (name, "") for name in given}


def _limit(time: str | None, players: list[str]) -> float | None:
    """Return seconds for a text such as "100ms"; bots of a folder always have a limit."""
    if time is None:
        return 1.0 if len(players) == 1 else None
    for unit, seconds in _SECONDS.items():
        number: Any = time.removesuffix(unit)
        if number != time and number.replace(".", "", 1).isdecimal() and float(number) * seconds >= _LEAST:
            return float(number) * seconds
    raise ValueError(f"--time {time!r} is not allowed: write it as 100ms or 2s, at least 1ms")
