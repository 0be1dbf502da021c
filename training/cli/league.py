"""Commands that rate agents: league, compare."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.tables import explained, fitted, numbered, renamed, short_names, without
from kozyr.training.cli.terminal import (
    Deals,
    Game,
    Json,
    MoveLimit,
    Opening,
    Seed,
    Settings,
    Workers,
    options,
    show,
    show_json,
)

Names = Annotated[list[str] | None, typer.Argument(help="Agents. Default: all scripted players.")]
Ray = Annotated[str | None, typer.Option(help="Ray cluster to play on: its address, auto, or local to start one.")]

_SPARED = ("openskill", "Draws %")  # columns that a narrow terminal does without


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
    move_limit: MoveLimit = None,
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
    from kozyr.envs.environments import check

    given = options(settings)
    path = None if out is None else out / "league.jsonl"
    mixed = check.choice("table", tables, ("pairs", "mixed")) == "mixed"
    if mixed and swiss:
        raise ValueError("--swiss pairs neighbours: leave --table mixed out")
    how = (deals, seed, path, opening, given, move_limit)
    played = (FullTableLeague if mixed else League)(game, names or agents.names(game), *how)
    with played.store.exclusive():
        _play(played, swiss, workers, ray)
        found = rating.ratings(played) if out is None else report.write(played, out)
    if as_json:
        told = {"ratings": rating.points(found), "cross_table": rating.crossed(played)}
        method = {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": deals}
        show_json({"game": game, "deals": deals, **method, **told})
    else:
        _show(played, found, out)


def _play(played: Any, swiss: int, workers: int, ray: str | None) -> None:
    """Play what is missing of a league: all tables, so many Swiss rounds, or all pairs."""
    from kozyr.agents.arena.tournaments.league import FullTableLeague

    bar = sys.stderr.isatty()
    if isinstance(played, FullTableLeague):
        played.play_all(workers, bar, ray)
    elif swiss:
        played.swiss(swiss, workers, bar, ray)
    else:
        played.play(played.pairs(), workers, bar, ray=ray)


def _show(played: Any, found: Any, out: Path | None) -> None:
    """Print the ratings and the cross-table."""
    from kozyr.agents.arena.tournaments import report
    from kozyr.agents.arena.tournaments.league import FullTableLeague

    head = "Row ahead of column, %" if isinstance(played, FullTableLeague) else "Score of the row, %"
    called = short_names(played.names)
    standing, crossing = (renamed(one, called) for one in (report.standing(found), report.crossing(played, found)))
    show(
        fitted(report.title(played), standing, without(standing, *_SPARED[:1]), without(standing, *_SPARED)),
        fitted(head, crossing, numbered(crossing)),
        *explained(called),
    )
    if report.remark(found):
        show(report.remark(found))
    if out is not None:
        show(f"The report is {out / report.PAGE}")


def compare(
    game: Game,
    first: Annotated[str, typer.Argument(help="An agent by name.")],
    other: Annotated[str, typer.Argument(help="The agent in all other seats.")],
    elo0: Annotated[float, typer.Option(help="First hypothesis: better by at most this much Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Second hypothesis: better by at least this much Elo.")] = 10.0,
    alpha: Annotated[float, typer.Option(help="Chance of a wrong `better`.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance of a wrong `not better`.")] = 0.05,
    deals: Annotated[int, typer.Option(help="Most deals to play.")] = 20_000,
    seed: Seed = 0,
    workers: Workers = 1,
    opening: Opening = None,
    move_limit: MoveLimit = None,
    settings: Settings = None,
    store: Annotated[Path | None, typer.Option(help="File for results; what it holds is not played again.")] = None,
    as_json: Json = False,
) -> None:
    """Find out which of two agents is better (SPRT).

    It stops as soon as the deals played so far decide the question.
    """
    from rich.console import Console

    from kozyr.agents.arena.tournaments import compare as test
    from kozyr.agents.arena.tournaments.league import League

    pair = League(game, [first, other], deals, seed, store, opening, options(settings), move_limit)
    found: Any = None
    with pair.store.exclusive(), Console(stderr=True).status("playing") as status:
        for found in test.compare(pair, elo0, elo1, alpha, beta, workers):
            status.update(f"{found.deals:,} deals, {found.estimate.percent()}, LLR {found.llr:+.2f}")
    if as_json:
        show_json({"game": game, "first": first, "other": other, **found.to_json()})
    else:
        show(f"{found.deals:,} deals: {first} scores {found.estimate.percent()}, {test.elo_text(found)}")
        show(f"log likelihood ratio {found.llr:+.2f}, bounds {found.low:.2f} and {found.high:.2f}")
        show(test.words(found, [first, other], elo0, elo1))
