"""Commands that build on the games: new-game, new-agent, web, wasm, warm."""

import keyword
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from importlib.util import find_spec
from os import cpu_count
from pathlib import Path
from string import Template
from typing import Annotated, Any

import typer

from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.training.cli.terminal import Games, Settings, options

_BOTS = {"cards": "matching", "board": "careful"}
_ABOUT = {  # their play, on the game's page
    "cards": "bids the card that equals the prize, or else the next higher one, or else its lowest.",
    "board": "completes a line, or else prevents one, or else moves at random.",
}
_PLACES = {"top": "", "game": "NAME/", "tests": "tests/", "ci": ".github/workflows/"}
_AGENTS = {  # by their language: the file, the name by which kozyr knows it, and what its test does
    "python": ("bot.py", "bot:Bot", "it plays every task"),
    "cpp": ("bot.cpp", "process:./bot", "builds the program; it plays every task"),
}
_AGENT_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,59}"
Out = Annotated[Path, typer.Option(help="The folder for the files.")]


def new_game(
    name: Annotated[str, typer.Argument(help="Small letters, digits and _; it names the package and its folder.")],
    cards: Annotated[bool, typer.Option("--cards", help="A card game with hidden hands (the default).")] = False,
    board: Annotated[bool, typer.Option("--board", help="A game on a board, with nothing hidden.")] = False,
    out: Annotated[Path, typer.Option(help="The folder in which the package's folder is made.")] = Path(),
) -> None:
    """Write the package of a new game, for you to change.

    It holds a small game that plays, tests and trains at once.
    """
    if cards and board:
        raise ValueError("--cards and --board are not allowed together: a new game begins as one of them")
    check_game_name(name)
    folder = out / name
    if folder.exists():
        raise ValueError(f"{folder} is there already: name another game, or remove it")
    kind, python = "board" if board else "cards", Path(sys.executable).name
    _write_all(folder, game_files(name, kind))
    typer.echo(f"{folder} holds the game. Install it and test it:")
    typer.echo(f"  cd {folder}\n  {python} -m pip install -e '.[test]'\n  {python} -m pytest")
    typer.echo(f"  kozyr match {name} {_BOTS[kind]} random")


def check_game_name(name: str) -> None:
    """Raise ValueError, in words, for a name that no new game can have."""
    from kozyr import envs

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or re.search(r"_v\d+$", name):
        raise ValueError(f"{quote(name)} is not allowed: write small letters, digits and _, a letter first, no version")
    if name in envs.games():
        raise ValueError(f"{quote(name)} is not allowed: there is a game of that name, so give yours another one")
    if keyword.iskeyword(name) or find_spec(name) is not None:
        raise ValueError(
            f"{quote(name)} is not allowed: Python knows something else by it, so give your game another name"
        )


def game_files(name: str, kind: str) -> dict[str, str]:
    """Return the texts of a new game's files by their paths.

    Args:
        name: of the game; kind: "cards" or "board".
    """
    title = name.replace("_", " ").capitalize()
    values = {
        "name": name,
        "title": title,
        "dist": f"kozyr-{name.replace('_', '-')}",
        "bot": _BOTS[kind],
        "about": _ABOUT[kind],
    }
    return _filled(("any", kind), name, values)


def _filled(kinds: tuple[str, ...], name: str, values: dict[str, str]) -> dict[str, str]:
    """Return the texts of the templates of some kinds by their paths."""
    texts = dict[str, str]()
    for source in resources.files("kozyr.training.templates").iterdir():
        of, _, rest = source.name.partition("-")
        place, _, file = rest.partition("-")
        if of in kinds and place in _PLACES:
            path = (_PLACES[place] + file.removesuffix(".tmpl")).replace("NAME", name)
            texts[path] = Template(source.read_text(encoding="utf-8")).substitute(values)
    return texts


def _write_all(folder: Path, texts: dict[str, str]) -> None:
    """Write files into a new folder, or leave nothing behind."""
    try:
        for path, text in sorted(texts.items()):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            file_output.write(folder / path, text)
    except BaseException:  # half a package would keep the next try away
        shutil.rmtree(folder, ignore_errors=True)
        raise


def new_agent(
    name: Annotated[str, typer.Argument(help="Letters, digits, _ and -; it names the folder.")],
    language: Annotated[str, typer.Option(help="python or cpp.")] = "python",
    out: Annotated[Path, typer.Option(help="The folder in which the agent's folder is made.")] = Path(),
) -> None:
    """Write a repository for an agent, with its test and CI.

    It plays every game at once, at random or by its first legal action.
    """
    from kozyr.envs.environments import argument_checks

    argument_checks.choice("language", language, tuple(_AGENTS))
    if not re.fullmatch(_AGENT_NAME, name):
        raise ValueError(f"{quote(name)} is not allowed: write letters, digits, _ and -, a letter first")
    folder = out / name
    if folder.exists():
        raise ValueError(f"{folder} is there already: name another agent, or remove it")
    file, agent, first = _AGENTS[language]
    values = {"name": name, "title": name, "file": file, "agent": agent, "first": first}
    _write_all(folder, _filled(("agent", language), name, values))
    typer.echo(f"{folder} holds the agent. Test it and score it:")
    typer.echo(f'  cd {folder}\n  {Path(sys.executable).name} -m pytest\n  kozyr score "{agent}" --quick')


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

    names = games or envs.games()
    if len(names) > 1 and (name or settings or policy):
        raise ValueError("--name, --policy and --set are for one game: name it, as in kozyr wasm durak --set deck=36")
    check_name(name)
    policies = [] if policy is None else [load(policy)]
    variants = [(game := envs.game(one), game.make_variant(**options(settings or []))) for one in names]
    _compile(variants, out, name, policies, search)
    package(out)  # two that were written at once may have missed each other


def _compile(variants: list[tuple[Any, Any]], out: Path, name: str, policies: list[Any], search: bool) -> None:
    """Write the modules of games, each on a core, with progress.

    Args:
        variants: games, each with its variant.
        out: the folder of the files; name: of the files.
        policies: policies in place of the bundled ones; search: whether a search player comes along.
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
        partners = [(policies or bundled(*one), find_search(*one) if search else None) for one in variants]
        jobs = [pool.submit(write, *one, out, name, *more) for one, more in zip(variants, partners, strict=True)]
        try:
            for task, one in zip(tasks, jobs, strict=True):
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

    entries = [text.split() for text in games or envs.games()]
    if not all(entries):
        raise ValueError("'' names no game: write durak, or 'mnk m=3 n=3 k=3'")
    policies = [web.load(one) for one in policy or []]
    sorts = [pages.site_game(envs.game(name), options(settings), policies) for name, *settings in entries]
    pages.require_seats(sorts, policies)
    if len({one.file for one in sorts}) < len(sorts):
        raise ValueError("the same game is named twice: each set of options makes one entry of the lobby")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling", total=len(sorts))
        index, *_ = pages.write(sorts, out, lambda _: bar.advance(task))
    typer.echo(f"{index} is the lobby. Put the folder on any host; to see it here: python -m http.server -d {out}")


def warm(
    games: Games = None,
) -> None:
    """Compile games ahead of time, so that nothing waits later."""
    from kozyr import envs
    from kozyr.agents.arena import precompile as warm
    from kozyr.envs.compile import INTERPRETED, compiled, folder

    if INTERPRETED:
        raise ValueError("NUMBA_DISABLE_JIT is set, so nothing is compiled: unset it")
    for game in games or envs.games():
        for name, do in warm.steps(game):
            before, began = len(compiled), time.perf_counter()
            do()
            typer.echo(f"{game}: {name}: {time.perf_counter() - began:.1f} s, {len(compiled) - before} compiled")
    typer.echo(f"The machine code lies in {folder()}")
