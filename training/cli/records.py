"""The command that reads recorded games: replay."""

import tempfile
import webbrowser
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.envs.table import file_output
from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Json, Records, show_json

File = Annotated[Path | None, typer.Option(help="Write the games as one page that needs no network.")]
Film = Annotated[Path | None, typer.Option(help="Write the game as a film.")]


def replay(
    file: Records,
    game: Annotated[int | None, typer.Option(min=1, help="Only this game, counted from 1.")] = None,
    every: Annotated[bool, typer.Option("--every", help="Show every position, not only the last.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Write positions as SVG files into this folder.")] = None,
    html: File = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the games in the browser.")] = False,
    analyst: Annotated[
        str | None, typer.Option(help="On the page, show what this agent would do at every move.")
    ] = None,
    gif: Film = None,
    webp: Film = None,
    mp4: Film = None,
    svg_film: Annotated[Path | None, typer.Option(help="Write the game as one moving SVG.")] = None,
    seat: Annotated[
        int | None, typer.Option(min=1, help="In pages and films, show only what this seat knows, from 1.")
    ] = None,
    delay: Annotated[float, typer.Option(help="Seconds for each move of a film.")] = 0.8,
    as_json: Json = False,
) -> None:
    """Show recorded games as text, a page, pictures or a film.

    The games are checked against the rules first.
    """
    if analyst is not None and html is None and not open_:
        raise ValueError("--analyst speaks in the page: add --open, or --html FILE")
    if html is not None or open_:
        show_page(file, game, html, open_, analyst, seat)
    paths = {".gif": gif, ".webp": webp, ".mp4": mp4, ".svg": svg_film}
    if films := {suffix: path for suffix, path in paths.items() if path is not None}:
        _write_films(file, game or 1, films, seat, delay)
    if films or html is not None or open_:
        return
    games = _show_all(file, game, every, svg, as_json)
    if as_json:
        show_json(games)


def _show_all(file: Path, game: int | None, every: bool, svg: Path | None, quiet: bool) -> list[dict[str, Any]]:
    """Print or draw the positions of one game or of all, and return their JSON."""
    from kozyr.agents.arena.matches.console import waiting
    from kozyr.envs.table import record

    games: list[dict[str, Any]] = []
    number = 0
    try:
        with waiting(f"reading {file}") if quiet else nullcontext():
            for number, one in enumerate(record.read_file(file), 1):
                if game in (None, number):
                    games.append(_show_game(number, one, every, svg, quiet))
                if game == number:
                    break
    except ValueError as error:
        raise Failure(str(error)) from error
    if number == 0:
        raise ValueError(f"{file} holds no games")
    if game is not None and not games:
        raise ValueError(f"--game {game} is not allowed: {file} has {number} games")
    return games


def _show_game(number: int, one: Any, every: bool, svg: Path | None, quiet: bool) -> dict[str, Any]:
    """Print or draw a game's positions, and return its JSON."""
    from kozyr.envs.table import record

    text, v = one.game.text, one.variant
    positions = list(enumerate(record.states(one)))
    moves = [text.say(v, state[0], action) for (_, state), action in zip(positions, one.actions, strict=False)]
    positions = positions if every else positions[-1:]
    if svg is not None:
        files = [_draw(svg, number, one, ply, state) for ply, state in positions]
        result = {"files": files}
        lines = files
    else:
        texts = [text.write(v, state[0]) for _, state in positions]
        result = {"positions": texts}
        lines = [
            f"{_heading(number, one, ply, moves)}\n{words}\n" for (ply, _), words in zip(positions, texts, strict=True)
        ]
    if not quiet:
        typer.echo("\n".join(lines))
    facts = {"number": number, "game": one.game.id, "variant": one.game.options(v), "seed": one.seed}
    return {**facts, "agents": one.agents, "moves": moves, "payoffs": one.payoffs, "forfeit": one.forfeit, **result}


def _heading(number: int, one: Any, ply: int, moves: list[str]) -> str:
    """Return the line above a position."""
    before = f", {moves[ply - 1]}" if ply else ", the deal"
    end = ""
    if ply == len(one.actions) and one.payoffs:
        end = f", payoffs {' '.join(f'{payoff:+g}' for payoff in one.payoffs)}"
        end += "" if one.forfeit is None else f" (player_{one.forfeit} forfeits)"
    return f"game {number}, {one.game.id}, ply {ply}{before}{end}"


def _draw(folder: Path, number: int, one: Any, ply: int, state: Any) -> str:
    """Write a position as an SVG file and return its name."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"game-{number:04}-ply-{ply:04}.svg"
    file_output.write(path, one.game.draw(one.variant, state[0]))
    return str(path)


def _write_films(file: Path, number: int, films: dict[str, Path], seat: int | None, delay: float) -> None:
    """Write a game as films, with progress."""
    from itertools import islice

    from rich.console import Console
    from rich.progress import Progress

    from kozyr.envs.table import record
    from kozyr.envs.viewer import film

    for suffix, path in films.items():
        if path.suffix != suffix:
            option = "svg-film" if suffix == ".svg" else suffix[1:]
            raise ValueError(f"--{option} {path} is not allowed: end the file's name in {suffix}")
    try:
        one = next(islice(record.read_file(file), number - 1, None), None)
    except ValueError as error:
        raise Failure(str(error)) from error
    if one is None:
        raise ValueError(f"--game {number} is not allowed: {file} has fewer games")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for path in films.values():
            task = bar.add_task(str(path))
            try:
                film.write(
                    one,
                    path,
                    None if seat is None else seat - 1,
                    delay,
                    progress=lambda done, total, task=task: bar.update(task, completed=done, total=total),
                )
            except FileNotFoundError as error:
                raise Failure(str(error)) from error
            typer.echo(str(path))


def show_page(
    file: Path, number: int | None, target: Path | None, browser: bool, analyst: str | None, seat: int | None
) -> None:
    """Write the page of recorded games and open it.

    Args:
        file: the records.
        number: the only game, from 1; None: all.
        target: the page's path; None: a file of its own among the temporary ones.
        browser: whether to open it in the browser.
        analyst: the name of an agent that is asked at every ply.
        seat: the one whose knowledge is shown, from 1; None: all cards, and each seat.
    """
    from kozyr.agents.arena.matches.console import waiting
    from kozyr.envs.viewer import html

    with waiting(f"reading {file}"):
        records = _page_records(file, number)
    opinions = None if analyst is None else _opinions(records, analyst)
    with waiting("drawing the games"):
        text = html.page(records, None if seat is None else seat - 1, opinions)
    if target is not None and seat is None:
        text = _smaller(text, records, opinions)
    path = Path(tempfile.mkdtemp(prefix="kozyr-")) / "games.html" if target is None else target
    file_output.write(path, text)
    typer.echo(str(path))
    if browser and not webbrowser.open(path.resolve().as_uri()):
        typer.echo("No browser could be opened: open this file yourself.", err=True)


def _smaller(text: str, records: list[Any], opinions: list[dict[int, dict[str, Any]]] | None) -> str:
    """Return a big page in a form that holds the rules instead of the scenes, if that is smaller."""
    from rich.console import Console

    from kozyr.agents.play.site import replays

    if len(text) <= replays.SMALL:
        return text
    with Console(stderr=True).status("making the page smaller"):
        return replays.smaller(text, records, opinions)


def _page_records(file: Path, number: int | None) -> list[Any]:
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

    by_game: list[dict[int, dict[str, Any]]] = []
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for i, one in enumerate(records, 1):
            agent = agents.load(analyst, game=one.game.name, **one.game.options(one.variant))
            task = bar.add_task(f"game {i}")
            by_game.append(
                opinions(one, agent, analyst, lambda done, of, t=task: bar.update(t, completed=done, total=of))
            )
    return by_game
