"""What `kozyr replay --open` and `--html` do: recorded games as a page, with an analyst's opinions."""

import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import typer

from kozyr.training.cli.overview import Failure


def show_page(
    file: Path, number: int | None, target: Path | None, opened: bool, analyst: str | None, seat: int | None
) -> None:
    """Write the page of recorded games and open it.

    Args:
        file: the records.
        number: the only game, from 1; None: all.
        target: where to write the page; None: a file of its own among the temporary ones.
        opened: whether to open it in the browser.
        analyst: the name of an agent that is asked at every ply.
        seat: whose knowledge to show, from 1; None: everything, and each seat.
    """
    from kozyr.agents.arena.matches.console import waiting
    from kozyr.envs.viewer import html

    with waiting(f"reading {file}"):
        records = _chosen(file, number)
    said = None if analyst is None else _opinions(records, analyst)
    with waiting("drawing the games"):
        text = html.page(records, None if seat is None else seat - 1, said)
    if target is not None and seat is None:
        text = _smaller(text, records, said)
    path = Path(tempfile.mkdtemp(prefix="kozyr-")) / "games.html" if target is None else target
    path.write_text(text, encoding="utf-8")
    typer.echo(str(path))
    if opened and not webbrowser.open(path.resolve().as_uri()):
        typer.echo("No browser could be opened: open this file yourself.", err=True)


def _smaller(text: str, records: list[Any], said: list[dict[int, dict[str, Any]]] | None) -> str:
    """Return a big page in a form that holds the rules instead of the scenes, if that is smaller."""
    from rich.console import Console

    from kozyr.agents.play.site import replays

    if len(text) <= replays.SMALL:
        return text
    with Console(stderr=True).status("making the page smaller"):
        return replays.smaller(text, records, said)


def _chosen(file: Path, number: int | None) -> list[Any]:
    """Return the records that the page shows."""
    from kozyr.envs.table import record

    try:
        records = list(record.read_file(file))
    except ValueError as error:
        raise Failure(str(error)) from error
    if not records:
        raise ValueError(f"{file} has no games")
    if number is None:
        return records
    if number > len(records):
        raise ValueError(f"--game {number} is not allowed: {file} has {len(records)} games")
    return [records[number - 1]]


def _opinions(records: list[Any], analyst: str) -> list[dict[int, dict[str, Any]]]:
    """Ask the analyst about every game, with progress."""
    from rich.console import Console
    from rich.progress import Progress

    from kozyr import agents
    from kozyr.agents.play.host.advice import opinions

    found: list[dict[int, dict[str, Any]]] = []
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for i, one in enumerate(records, 1):
            agent = agents.load(analyst, game=one.game.name, **one.game.options(one.variant))
            task = bar.add_task(f"game {i}")
            found.append(
                opinions(one, agent, analyst, lambda done, of, t=task: bar.update(t, completed=done, total=of))
            )
    return found
