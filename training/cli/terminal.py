"""Options, and output as JSON, text and tables that fit the terminal, of all commands."""

import ast
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.envs.core.quote import quote
from kozyr.training.cli.overview import Careful

Rows = list[list[str]]  # the first of them heads

_LONGEST = 1000  # characters of a value of --set
_NAME = 16  # characters of a name that a table never breaks


def game_completions(incomplete: str) -> list[str]:
    """Return the games that a name may become when Tab is pressed."""
    from kozyr.envs import registry

    return [name for name in registry.games() if name.startswith(incomplete)]


def agent_completions(context: typer.Context, incomplete: str) -> list[str]:
    """Return the players that a name may become when Tab is pressed."""
    from kozyr import agents

    game = context.params.get("game")
    known = [*agents.names(game), *agents.searchers(game), "policy"] if game else []
    return [name for name in known if name.startswith(incomplete)]


Game = Annotated[str, typer.Argument(help="A name from `kozyr games`.", autocompletion=game_completions)]
OneGame = Annotated[str | None, typer.Argument(help="One game; otherwise all.", autocompletion=game_completions)]
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
Openings = Annotated[
    Path | None,
    typer.Option(
        help="A file of openings, a line each, which the deals begin with in turn, in the m,n,k-game: offsets from the "
        "middle as Gomocup's, 0,0, 1,-2, or cells, h8i6. Each is played from both sides."
    ),
]
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


def _confined(context: typer.Context, mode: str | None) -> str | None:
    """Start programs as --confine says until the command ends, and tell what the system cannot do."""
    if mode is not None and not context.resilient_parsing:
        from kozyr.agents.programs import confinement

        tell_shortcomings(mode)
        context.with_resource(confinement.using(mode))
    return mode


def tell_shortcomings(mode: str) -> None:
    """Tell on stderr what this system's cells do not keep a program from."""
    from kozyr.agents.programs import confinement

    if sentence := confinement.shortcomings(mode):
        typer.echo(sentence, err=True)


Confine = Annotated[
    str | None,
    typer.Option(
        callback=_confined,
        metavar="auto|require|off",
        help="Put programs into cells: as far as the system can, wholly or not at all, or not. Default: auto for a "
        "folder of bots, off for others.",
    ),
]
Clock = Annotated[
    str,
    typer.Option(
        metavar="auto|wall|processor",
        help="What limits programs: the wall's time, processors' time, or in auto whichever is kinder.",
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


def _version(is_set: bool) -> None:
    """Print the version and stop."""
    if is_set:
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
    fields: dict[str, Any] = {}
    for text in settings or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--set {quote(text)} is not allowed: write FIELD=VALUE, as players=3 or transfer=true")
        fields[name.strip()] = _value(value.strip())
    return fields


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


def fit_table(title: str, *forms: Rows) -> Any:
    """Return the first of several forms of a table that the terminal has room for, or else the last one."""
    from rich.console import Console

    width, wide = Console().width, Console(width=1000)
    tables = [table(title, rows) for rows in forms]
    return next((one for one in tables if wide.measure(one).maximum <= width), tables[-1])


def without(rows: Rows, *heads: str) -> Rows:
    """Return rows without the columns of these heads."""
    columns = [i for i, head in enumerate(rows[0]) if head not in heads]
    return [[row[i] for i in columns] for row in rows]


def with_names(rows: Rows, names: Mapping[str, str]) -> Rows:
    """Return rows in which the first cell of each, and the heads, have other names."""
    first, *rest = rows
    return [[names.get(cell, cell) for cell in first], *([names.get(row[0], row[0]), *row[1:]] for row in rest)]


def without_intervals(rows: Rows) -> Rows:
    """Return a cross-table whose columns have the numbers of its rows for heads, and whose cells have no intervals."""
    heads = ["", *map(str, range(1, len(rows)))]
    cells = ([cell.partition(" ")[0] for cell in row[1:]] for row in rows[1:])
    return [heads, *([f"{k} {row[0]}", *rest] for k, (row, rest) in enumerate(zip(rows[1:], cells, strict=True), 1))]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return the short form of each name."""
    from kozyr.agents.arena.results.escape import short

    return dict(zip(names, short(names), strict=True))


def name_lines(names: Mapping[str, str]) -> list[str]:
    """Return a line for each name that has become shorter."""
    return [f"{now} is {name}" for name, now in names.items() if now != name]


def table(title: str, rows: Rows) -> Any:
    """Return rows, the first of them heads, as a table."""
    from rich.table import Table
    from rich.text import Text

    result, short = Table(title=title), max(len(row[0]) for row in rows) <= _NAME
    result.add_column(rows[0][0], overflow="fold", no_wrap=short)
    for head in rows[0][1:]:
        result.add_column(head, justify="right", overflow="fold")
    for row in rows[1:]:
        result.add_row(*map(Text, row))
    return result
