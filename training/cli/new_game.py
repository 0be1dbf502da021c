"""The command that writes the package of a new game."""

import keyword
import re
import sys
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Annotated

import typer

_BOTS = {"cards": "matching", "board": "careful"}
_ABOUT = {  # what they do, on the game's page
    "cards": "bids the card that equals the prize, or else the next higher one, or else its lowest.",
    "board": "completes a line, or else prevents one, or else moves at random.",
}
_PLACES = ("top", "game", "tests")


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
    check(name)
    folder = out / name
    if folder.exists():
        raise ValueError(f"{folder} is there already: name another game, or remove it")
    kind, python = "board" if board else "cards", Path(sys.executable).name
    for path, text in sorted(files(name, kind).items()):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    typer.echo(f"{folder} holds the game. Install it and test it:")
    typer.echo(f"  cd {folder}\n  {python} -m pip install -e '.[test]'\n  {python} -m pytest")
    typer.echo(f"  kozyr match {name} {_BOTS[kind]} random")


def check(name: str) -> None:
    """Raise ValueError, in words, for a name that no new game can have."""
    from kozyr import envs

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or re.search(r"_v\d+$", name):
        raise ValueError(f"{name!r} is not allowed: write small letters, digits and _, a letter first, no version")
    if name in envs.games():
        raise ValueError(f"{name!r} is not allowed: there is a game of that name, so give yours another one")
    if keyword.iskeyword(name) or find_spec(name) is not None:
        raise ValueError(f"{name!r} is not allowed: Python knows something else by it, so give your game another name")


def files(name: str, kind: str) -> dict[str, str]:
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
    texts = dict[str, str]()
    for source in resources.files("kozyr.training.templates").iterdir():
        of, _, rest = source.name.partition("-")
        place, _, file = rest.partition("-")
        if of in ("any", kind) and place in _PLACES:
            folder = {"top": "", "game": f"{name}/", "tests": "tests/"}[place]
            path = folder + file.removesuffix(".tmpl").replace("NAME", name)
            texts[path] = Template(source.read_text(encoding="utf-8")).substitute(values)
    return texts
