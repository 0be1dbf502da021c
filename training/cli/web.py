"""The commands that write games for browsers: as modules, and as a site."""

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import Games, Settings, options

Out = Annotated[Path, typer.Option(help="The folder for the files.")]


def wasm(
    games: Games = None,
    out: Out = Path("games"),
    name: Annotated[str, typer.Option(help="Of the files; the game's own name by default.")] = "",
    policy: Annotated[
        str | None,
        typer.Option(help="A policy that plays there too, in place of the bundled ones: file.onnx, hf:OWNER/NAME."),
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Add `pimc`, as a module of its own, where it is among the best.")
    ] = False,
    settings: Settings = None,
) -> None:
    """Write games for JavaScript (WebAssembly).

    You get rules and players as WebAssembly, trained policies, an ES module and its types.
    """
    from kozyr import envs
    from kozyr.agents.play.site import check_name, load, package

    chosen = games or envs.games()
    if len(chosen) > 1 and (name or settings or policy):
        raise ValueError("--name, --policy and --set are for one game: name it, as in kozyr wasm durak --set deck=36")
    check_name(name)
    given = [] if policy is None else [load(policy)]
    _tell_lacks()
    variants = [(game := envs.game(one), game.make_variant(**options(settings or []))) for one in chosen]
    _compile(variants, out, name, given, search)
    package(out)  # two that were written at once may have missed each other


def _compile(variants: list[tuple[Any, Any]], out: Path, name: str, given: list[Any], search: bool) -> None:
    """Write the modules of games, each on a core, with progress.

    Args:
        variants: games, each with its variant.
        out, name: where the files go, and what they are called.
        given: policies in place of the bundled ones; search: whether a search player comes along.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    from kozyr.agents.play.site import bundled, find_search, write

    columns = SpinnerColumn(), TextColumn("compiling {task.description}")
    with (
        Progress(*columns, console=Console(stderr=True), transient=True) as bar,
        ThreadPoolExecutor(cpu_count()) as pool,
    ):
        tasks = [bar.add_task(game.name) for game, _ in variants]
        partners = [(given or bundled(*one), find_search(*one) if search else None) for one in variants]
        made = [pool.submit(write, *one, out, name, *more) for one, more in zip(variants, partners, strict=True)]
        try:
            for task, one in zip(tasks, made, strict=True):
                module = one.result()[0]
                bar.remove_task(task)
                typer.echo(f"{module}: {module.stat().st_size:,} bytes")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def site(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            help="Games with their options, as durak or 'mnk m=3 n=3 k=3'; none: all games as they usually are."
        ),
    ] = None,
    out: Out = Path("site"),
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A policy that plays there too, file.onnx or hf:OWNER/NAME; may be given often."),
    ] = None,
) -> None:
    """Write a web site where people play, without a server.

    People play against scripted players and trained policies in their own browser.
    """
    from rich.console import Console
    from rich.progress import Progress

    from kozyr import envs
    from kozyr.agents.play import site as web
    from kozyr.agents.play.site import site as pages

    asked = [text.split() for text in games or envs.games()]
    if not all(asked):
        raise ValueError("'' names no game: write durak, or 'mnk m=3 n=3 k=3'")
    given = [web.load(one) for one in policy or []]
    entries = [pages.site_game(envs.game(name), options(settings), given) for name, *settings in asked]
    pages.require_seats(entries, given)
    if len({one.file for one in entries}) < len(entries):
        raise ValueError("the same game is named twice: each set of options makes one entry of the lobby")
    _tell_lacks()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling", total=len(entries))
        index, *_ = pages.write(entries, out, lambda _: bar.advance(task))
    typer.echo(f"{index} is the lobby. Put the folder on any host; to see it here: python -m http.server -d {out}")


def _tell_lacks() -> None:
    from kozyr.agents.play.site import lacks

    if lacks():
        typer.echo(lacks(), err=True)
