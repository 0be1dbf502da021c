"""The command that writes recorded games as a dataset."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Json, Records, show_json


def export(
    file: Records,
    out: Annotated[Path, typer.Argument(help="The dataset, a name that ends in .parquet.")],
    card: Annotated[
        Path | None, typer.Option(help="Where the dataset's card goes; README.md beside the dataset otherwise.")
    ] = None,
    licence: Annotated[str, typer.Option("--license", help="The licence that the card names, as cc0-1.0.")] = "mit",
    as_json: Json = False,
) -> None:
    """Turn recorded games into a dataset (Parquet).

    Every decision is a row, for offline learning.
    """
    from rich.progress import Progress

    from kozyr.agents.arena.matches.console import console
    from kozyr.training.data import dataset, dataset_card

    page = out.with_name("README.md") if card is None else card
    if out.suffix != ".parquet":
        raise ValueError(f"{out} is not allowed: end the dataset's name in .parquet")
    dataset_card.require_place(page)
    with Progress(console=console(), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("replaying", total=file.stat().st_size)
        try:
            made = dataset.write(file, out, lambda read: bar.update(task, completed=read))
        except ValueError as error:
            raise Failure(str(error)) from error
    dataset_card.write(page, out, made, file.name, licence)
    if as_json:
        found = {"file": str(out), "card": str(page), "game": made.kind.game.id}
        show_json({**found, "games": made.games, "decisions": made.decisions, "bytes": made.bytes})
    else:
        typer.echo(f"{made.decisions:,} decisions of {made.games:,} games: {out} ({made.bytes:,} bytes), {page}")
