"""Commands that keep a leaderboard: add, show, check."""

import random
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import FAILURE
from kozyr.training.cli.terminal import Deals, Game, Json, Opening, Seed, Settings, Workers, options, show, show_json

leaderboard = typer.Typer(no_args_is_help=True, help="Keep results that anybody can play again and check.")
File = Annotated[Path, typer.Argument(help="The leaderboard: a file of JSON lines.")]


@leaderboard.command("add", epilog="Example: kozyr leaderboard add board.jsonl durak heuristic low --deals 500")
def add(
    file: File,
    game: Game,
    agents: Annotated[list[str], typer.Argument(help="Who plays, by name; the last fills the seats left.")],
    deals: Deals = 500,
    seed: Seed = 0,
    opening: Opening = None,
    workers: Workers = 1,
    settings: Settings = None,
) -> None:
    """Play a match and add its result, with what it takes to play it again."""
    from kozyr.agents.arena.results import leaderboard as board

    variant = options(settings)
    board.require_repeatable(agents)
    claims = board.read(file) if file.exists() else []
    number = board.find(claims, game, agents, deals, seed, opening, **variant)
    if number is not None:
        typer.echo(f"claim {number} of {file} is this match already")
        return
    bar = sys.stderr.isatty()
    made = board.play(game, agents, deals, seed, opening, workers, bar, **variant)
    number = board.add(file, made)
    typer.echo(f"claim {number} of {file}: {_match(made)}")


@leaderboard.command("show", epilog="Example: kozyr leaderboard show board.jsonl")
def show_claims(file: File, as_json: Json = False) -> None:
    """Show what a leaderboard claims."""
    import msgspec
    from rich.table import Table
    from rich.text import Text

    from kozyr.agents.arena.results import leaderboard as board

    claims = board.read(file)
    if as_json:
        show_json([{"number": number, **msgspec.to_builtins(one)} for number, one in enumerate(claims, 1)])
        return
    table = Table("No.", "Game", "Player", "Score", "Against", "Deals", "Seed", title=Text(str(file)))
    for number, one in enumerate(claims, 1):
        first, *others = one.scores
        against = ", ".join(board.agent_text(other) for other in others)
        deals, cells = (
            (f"{one.deals:,}", str(one.seed)),
            (board.title(one), board.agent_text(first), board.score_text(first)),
        )
        table.add_row(str(number), *map(Text, (*cells, against, *deals)))
    show(table)


@leaderboard.command("check", epilog="Example: kozyr leaderboard check board.jsonl --sample 2")
def check(
    file: File,
    only: Annotated[list[int] | None, typer.Option(min=1, help="Only this claim, from 1; may be given often.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many claims, drawn at random.")] = None,
    workers: Workers = 1,
    as_json: Json = False,
) -> None:
    """Play the claims again and compare them to the last digit; the exit code is 1 if one differs."""
    from kozyr.agents.arena.results import leaderboard as board

    claims = board.read(file)
    found: list[dict[str, Any]] = []
    for number in _chosen(file, len(claims), only, sample):
        one = claims[number - 1]
        verdict, words = board.check(one, workers, sys.stderr.isatty())
        found.append({"number": number, "verdict": verdict.value, "words": words})
        if not as_json:
            typer.echo(f"claim {number}, {_match(one)}: {verdict.value}{f': {words}' if words else ''}")
    if as_json:
        show_json(found)
    else:
        counts = [(one, sum(each["verdict"] == one for each in found)) for one in board.Verdict]
        typer.echo(", ".join(f"{count} {_SUMS[one.name]}" for one, count in counts if count) or "no claims")
    if any(one["verdict"] == board.Verdict.DIFFERS for one in found):
        raise typer.Exit(FAILURE)


_SUMS = {"HOLDS": "hold", "DIFFERS": "differ", "UNCHECKED": "cannot be checked here"}


def _chosen(file: Path, count: int, only: list[int] | None, sample: int | None) -> list[int]:
    """Return the numbers of the claims to check, in order."""
    for number in only or []:
        if number > count:
            raise ValueError(f"--only {number} is not allowed: {file} has {count} claims")
    numbers = sorted(set(only)) if only else list(range(1, count + 1))
    return numbers if sample is None else sorted(random.sample(numbers, min(sample, len(numbers))))


def _match(one: Any) -> str:
    """Return a claim in words."""
    from kozyr.agents.arena.results import leaderboard as board

    first, *others = one.scores
    against = f" against {', '.join(board.agent_text(other) for other in others)}" if others else ""
    return f"{board.title(one)}, {board.agent_text(first)} {board.score_text(first)}{against}"
