"""The commands that take recorded games elsewhere, and bring them in: export, import."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Json, Records, Settings, options, show_json


def export(
    file: Records,
    out: Annotated[
        Path,
        typer.Argument(
            help="The dataset: a file that ends in .parquet, or Minari's id, as kozyr/durak-v0. With --to psq a file "
            "that ends in .psq, or a folder for many games."
        ),
    ],
    to: Annotated[
        str,
        typer.Option(help="The format: parquet, minari, or psq for Piskvork; `kozyr import` reads psq files."),
    ] = "parquet",
    card: Annotated[
        Path | None, typer.Option(help="Where the card of a Parquet file goes; README.md beside it otherwise.")
    ] = None,
    licence: Annotated[str, typer.Option("--license", help="The licence that the card names, as cc0-1.0.")] = "mit",
    as_json: Json = False,
) -> None:
    """Turn recorded games into a dataset (Parquet, Minari, psq).

    In Parquet every decision is a row, in Minari every seat of a game is an episode.
    A .psq file is one game of five in a row, as Piskvork and Gomocup have them.
    """
    from kozyr.envs.environments import argument_checks

    kind = argument_checks.choice("--to", to, ["parquet", "minari", "psq"])
    if kind != "parquet" and card is not None:
        where = "Minari keeps the description in the dataset" if kind == "minari" else "a .psq file has no description"
        raise ValueError(f"--card is not allowed with --to {kind}: {where}")
    if kind == "minari":
        _export_minari(file, out.as_posix(), licence, as_json)
    elif kind == "psq":
        _export_psq(file, out, as_json)
    else:
        _export_parquet(file, out, card, licence, as_json)


def import_games(
    sources: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of games that end in .psq.")],
    out: Annotated[Path, typer.Option(help="The file of records to write.")] = Path("games.jsonl"),
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Turn .psq files of Piskvork into recorded games.

    All files are read and replayed by the rules before anything is written.
    """
    from kozyr.envs.bridges import psq
    from kozyr.envs.table import record

    if out.exists():
        raise ValueError(f"{out} is there already: name another file with --out")
    choices = options(settings)
    lines = [record.write(psq.read_file(path, **choices)) for path in sources]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if as_json:
        show_json({"file": str(out), "games": len(lines)})
    else:
        typer.echo(f"{_games(len(lines))}: {out}")


def _games(count: int) -> str:
    return f"{count:,} game{'' if count == 1 else 's'}"


def _export_psq(file: Path, out: Path, as_json: bool) -> None:
    """Write a .psq file for each game, once all have been found to fit, and tell so."""
    from kozyr.envs.bridges import psq
    from kozyr.envs.table import record

    try:
        games = list(record.read_file(file))
    except ValueError as error:
        raise Failure(str(error)) from error
    texts: list[str] = []
    for number, one in enumerate(games, 1):
        with record.located(number, file):
            texts.append(psq.write(one))
    if not texts:
        raise ValueError(f"{file} holds no games")
    if out.suffix == ".psq":
        if len(texts) > 1:
            raise ValueError(f"{out} is one game, and {file} holds {len(texts):,}: name a folder")
        paths = [out]
    else:
        paths = [out / f"game-{number:04}.psq" for number in range(1, len(texts) + 1)]
    if there := next((path for path in paths if path.exists()), None):
        raise ValueError(f"{there} is there already: give another name")
    out.parent.mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, texts, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\r\n")
    if as_json:
        show_json({"files": [str(path) for path in paths], "games": len(texts)})
    else:
        typer.echo(f"{_games(len(texts))}: {out}")


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
