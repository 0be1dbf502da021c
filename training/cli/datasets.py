"""The command that makes datasets of recorded games: export."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Json, Records, show_json


def export(
    file: Records,
    out: Annotated[
        Path, typer.Argument(help="The dataset: a file that ends in .parquet, or Minari's id, as kozyr/durak-v0.")
    ],
    to: Annotated[str, typer.Option(help="The format: parquet, or minari.")] = "parquet",
    card: Annotated[
        Path | None, typer.Option(help="Where the card of a Parquet file goes; README.md beside it otherwise.")
    ] = None,
    licence: Annotated[str, typer.Option("--license", help="The licence that the card names, as cc0-1.0.")] = "mit",
    as_json: Json = False,
) -> None:
    """Turn recorded games into a dataset (Parquet, Minari).

    In Parquet every decision is a row, in Minari every seat of a game is an episode.
    """
    from kozyr.envs.environments import argument_checks

    if argument_checks.choice("--to", to, ["parquet", "minari"]) == "minari":
        if card is not None:
            raise ValueError("--card is not allowed with --to minari: Minari keeps the description in the dataset")
        _export_minari(file, out.as_posix(), licence, as_json)
    else:
        _export_parquet(file, out, card, licence, as_json)


def _export_parquet(file: Path, out: Path, card: Path | None, licence: str, as_json: bool) -> None:
    """Write a Parquet file and its card, and tell so."""
    from kozyr.training.data import dataset, dataset_card

    page = out.with_name("README.md") if card is None else card
    if out.suffix != ".parquet":
        raise ValueError(f"{out} is not allowed: end the dataset's name in .parquet, or add --to minari")
    dataset_card.require_place(page)
    result = _converted(file, lambda tell: dataset.write(file, out, tell))
    dataset_card.write(page, out, result, file.name, licence)
    if as_json:
        document = {"file": str(out), "card": str(page), "game": result.kind.game.id}
        show_json({**document, "games": result.games, "decisions": result.decisions, "bytes": result.bytes})
    else:
        typer.echo(f"{result.decisions:,} decisions of {result.games:,} games: {out} ({result.bytes:,} bytes), {page}")


def _export_minari(file: Path, name: str, licence: str, as_json: bool) -> None:
    """Write a dataset of Minari's, and tell so."""
    from kozyr.training.data import minari_dataset

    folder = minari_dataset.place(name)
    result = _converted(file, lambda tell: minari_dataset.write(file, name, tell, licence))
    if as_json:
        document = {"dataset": name, "folder": str(folder), "game": result.kind.game.id, "games": result.games}
        numbers = {"episodes": result.episodes, "decisions": result.decisions, "bytes": result.bytes}
        show_json({**document, **numbers})
    else:
        episodes = f"{result.decisions:,} decisions of {result.games:,} games in {result.episodes:,} episodes"
        typer.echo(f"{episodes}: minari.load_dataset({name!r}), {folder} ({result.bytes:,} bytes)")


def _converted(file: Path, write: Any) -> Any:
    """Return the facts of a dataset that `write` makes; it is given a function that moves a bar."""
    from rich.progress import Progress

    from kozyr.agents.arena.matches.console import console

    with Progress(console=console(), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("replaying", total=file.stat().st_size)
        try:
            return write(lambda read: bar.update(task, completed=read))
        except ValueError as error:
            raise Failure(str(error)) from error
