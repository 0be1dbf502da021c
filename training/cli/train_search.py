"""The command that lets a search learn to value positions."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import Game, Json, Seed, Workers, show, show_json


def train_search(
    game: Game,
    rounds: Annotated[int, typer.Option(help="Rounds of games and lessons.")] = 3,
    games: Annotated[int, typer.Option(help="Games that the search plays against itself in a round.")] = 20_000,
    nodes: Annotated[int, typer.Option(min=0, help="Positions a decision; 0: what the game's search is fit for.")] = 0,
    start: Annotated[Path | None, typer.Option(help="An evaluation to begin with, a valuation.npz.")] = None,
    epochs: Annotated[float, typer.Option(help="How often each position is learned from.")] = 8.0,
    deals: Annotated[int, typer.Option(help="Deals against the search of the round before.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Folder of the rounds. Default: runs/search-GAME.")] = None,
    workers: Workers = 1,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Let a search learn to value positions from its own games.

    Call it again to go on after a stop.
    """
    from kozyr.training.imitation import search_lessons

    folder = out or Path("runs") / f"search-{game}"
    done = search_lessons.learn(
        search_lessons.Plan(game, folder, rounds, games, nodes, start, epochs, workers, deals, seed),
    )
    newest = folder / f"round-{done[-1].number}" / search_lessons.RESULT
    if as_json:
        show_json({"valuation": str(newest), "rounds": [asdict(one) for one in done]})
        return
    show(_table(done))
    show(f"The newest evaluation is {newest}")


def _table(done: list[Any]) -> Any:
    """Return the rounds as a table."""
    from rich.table import Table

    table = Table("round", "min", "positions", "value loss", "moves loss", "against the one before")
    for one in done:
        last = one.curve[-1]
        losses = (f"{last['value_loss']:.3f}", f"{last['moves_loss']:.3f}")
        score = f"{100 * one.score:.1f} % ({100 * one.low:.1f} … {100 * one.high:.1f})"
        table.add_row(str(one.number), f"{one.seconds / 60:.0f}", f"{one.positions:,}", *losses, score)
    return table
