"""What all commands share: options, output, and errors in one line."""

import ast
import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import Careful

_LONGEST = 1000  # characters of a value of --set


def completed_game(incomplete: str) -> list[str]:
    """Return the games that a name may become when Tab is pressed."""
    from kozyr.envs import registry

    return [name for name in registry.games() if name.startswith(incomplete)]


def completed_agent(context: typer.Context, incomplete: str) -> list[str]:
    """Return the players that a name may become when Tab is pressed."""
    from kozyr import agents

    game = context.params.get("game")
    known = [*agents.names(game), *agents.searchers(game), "policy"] if game else []
    return [name for name in known if name.startswith(incomplete)]


Game = Annotated[str, typer.Argument(help="A name from `kozyr games`.", autocompletion=completed_game)]
OneGame = Annotated[str | None, typer.Argument(help="One game; otherwise all.", autocompletion=completed_game)]
Games = Annotated[list[str] | None, typer.Argument(help="Names from `kozyr games`; none: all games.")]
Opponents = Annotated[
    list[str] | None, typer.Option(help="An opponent; repeat it for more. Default: all scripted players.")
]
TrainedPolicy = Annotated[
    str, typer.Argument(help="A policy.onnx from `kozyr train`, an .npz, hf:OWNER/NAME, or as durak:policy.")
]
Records = Annotated[Path, typer.Argument(help="A file of JSON lines, as `kozyr match --record` writes.")]
Record = Annotated[Path | None, typer.Option(help="Write the games to this file, a JSON line each.")]
Deals = Annotated[int, typer.Option(help="Deals to play; each is played once from every seat.")]
Seed = Annotated[int, typer.Option(help="Seed of the deals and of all random choices.")]
Workers = Annotated[int, typer.Option(help="Processes that play at once; results stay the same.")]
Opening = Annotated[int | None, typer.Option(help="Random moves at the start of every game.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="An option of the game, as deck=36; repeat it for more."),
]
MoveLimit = Annotated[
    float | None,
    typer.Option(
        help="Seconds for a decision of search players, policies and your own agents; a slower one loses the game."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


app = typer.Typer(
    name="kozyr",
    cls=Careful,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    help="kozyr: card and board games for reinforcement learning.",
)


def _version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from importlib.metadata import version

        typer.echo(f"kozyr {version('kozyr')}")
        raise typer.Exit


@app.callback()
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        context.get_help()  # prints it


def options(settings: list[str] | None) -> dict[str, Any]:
    """Return fields of a variant from texts as "players=3" or "transfer=true".

    Raises:
        ValueError: for a text without "=".
    """
    found: dict[str, Any] = {}
    for text in settings or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--set {text!r} is not allowed: write FIELD=VALUE, as players=3 or transfer=true")
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    """Return a truth value, a number or a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if len(text) > _LONGEST:
        raise ValueError(f"--set takes values of up to {_LONGEST} characters: this one has {len(text):,}")
    try:
        with warnings.catch_warnings(action="ignore"):  # of a word such as 3x
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two of many brackets or signs
        return text
    return value if isinstance(value, (int, float)) else text


def show_json(document: Any) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def show(*things: Any) -> None:
    """Print tables and texts with rich."""
    from rich.console import Console

    console = Console(highlight=False)
    for thing in things:
        console.print(thing, markup=False)


def show_match(result: Any) -> None:
    """Print a match's result as tables that fit the terminal."""
    from rich.console import Console

    tables = result.table(Console().width), result.won_table(), result.usage_table()
    show(*(one for one in tables if one is not None))
