"""Commands that let a person play or watch: play, watch."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import randbits
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import Failure
from kozyr.training.cli.terminal import Confine, Game, Settings, options

Deal = Annotated[int | None, typer.Option(help="Seed of the deal. Default: drawn.")]
Host = Annotated[str, typer.Option(help="The address that the server listens on; 0.0.0.0 lets other machines in.")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port of the server. Default: a free one.")]
Password = Annotated[str | None, typer.Option(help="Password that visitors must enter.")]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Print the address; do not open a browser.")]
Files = Annotated[
    list[str] | None,
    typer.Option("--file", help="For the lobby: a policy's file, hf:OWNER/NAME, a class as bots:Mine, process:./low."),
]
Folder = Annotated[Path | None, typer.Option(help="Folder for tables and results. Default: your data folder.")]


@dataclass(frozen=True)
class Serving:
    """Options of a server.

    Attributes:
        host, port: its address; port None: a usual one, or a free one.
        password: of visitors, or None.
        browser: whether to open one.
        agents: names of agents that the lobby offers too.
        folder: of tables and results, or None for the user's data.
    """

    host: str
    port: int | None = None
    password: str | None = None
    browser: bool = True
    agents: tuple[str, ...] = ()
    folder: Path | None = None


@dataclass(frozen=True)
class TableForm:
    """Table that a command opens, as a filled-in form of the lobby.

    Attributes:
        game: of the table; entries: see `kozyr.agents.play.pages.forms`.
        names: of the seats.
    """

    game: Any
    entries: dict[str, Any]
    names: Sequence[str]


def sit(
    game: Annotated[str | None, typer.Argument(help="A name from `kozyr games`. Default: open the lobby.")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Your opponent, as policy, low or pimc@50ms; repeat it for more seats. The last one fills the rest."
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat, from 1.")] = 1,
    settings: Settings = None,
    seed: Deal = None,
    clock: Annotated[
        str | None, typer.Option(help="Seconds for each move, as 30, or for the game plus each move, as 300+5.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name.")] = "Guest",
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Play line by line, for pipes and screen readers.")] = False,
    host: Host = "127.0.0.1",
    port: Port = None,
    password: Password = None,
    no_open: NoOpen = False,
    file: Files = None,
    confine: Confine = None,
    folder: Folder = None,
) -> None:
    """Play yourself, in the browser or in this terminal."""
    start = _plain if plain else _terminal if terminal else None
    if start is not None:
        start(*_table(game, against, seat, settings, seed, clock))
        return
    form = None if game is None else _form(*_table(game, against, seat, settings, seed, clock), name)
    serve(Serving(host, port, password, not no_open, _code_names([*(file or []), *(against or [])]), folder), form)


def watch(
    game: Game,
    agents: Annotated[list[str], typer.Argument(help="Who plays, as search or policy; the last fills the seats left.")],
    settings: Settings = None,
    seed: Deal = None,
    host: Host = "127.0.0.1",
    port: Port = None,
    password: Password = None,
    no_open: NoOpen = False,
    confine: Confine = None,
    folder: Folder = None,
) -> None:
    """Watch agents play in the browser, at your pace."""
    form = _form(*_table(game, agents, None, settings, seed, None), "")
    serve(Serving(host, port, password, not no_open, _code_names(agents), folder), form)


def _table(
    name: str | None,
    against: list[str] | None,
    seat: int | None,
    settings: list[str] | None,
    seed: int | None,
    clock: str | None,
) -> tuple[Any, Any, list[str], int, Any]:
    """Return the game, its variant, the names of the seats' players, the seed and the clock."""
    from kozyr import envs
    from kozyr.agents.play.pages import seating
    from kozyr.envs.environments import argument_checks

    if name is None:
        raise ValueError(f"name a game: {', '.join(envs.games())}")
    game = envs.game(name)
    variant = game.make_variant(**(options(settings) if settings or against else game.usual))
    seats = seating.seating(game, variant, against or [], seat)
    return game, variant, seats, randbits(63) if seed is None else argument_checks.seed(seed), seating.clock(clock)


def _form(game: Any, variant: Any, seats: list[str], seed: int, clock: Any, me: str) -> TableForm:
    """Return the same as a filled-in form of the lobby; a person who only watches sees everything."""
    from kozyr.agents.play.pages.opponents import GUEST, ME, display_name, tidy

    entries = {"options": game.options(variant), "seats": seats, "clock": clock, "seed": seed}
    entries["sees"] = "public" if ME in seats else "all"
    return TableForm(game, entries, [tidy(me) or GUEST if one == ME else display_name(one) for one in seats])


def _code_names(names: list[str]) -> tuple[str, ...]:
    """Return the files and classes among names of agents, which a table opens only if the command line told them."""
    from kozyr.agents.agent_names import AgentName, parse

    return tuple(dict.fromkeys(one for one in names if not isinstance(parse(one), AgentName)))


def _plain(game: Any, variant: Any, seats: list[str], seed: int, clock: Any) -> None:
    """Play one game line by line."""
    from kozyr.agents.play.terminal import line_terminal as plain
    from kozyr.envs.table.table import Table

    table = Table(game, variant, seed, clock=clock, names=_names(seats))
    plain.run(table, _players(game, variant, seats))


def _terminal(game: Any, variant: Any, seats: list[str], seed: int, clock: Any) -> None:
    """Play game after game in the terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("--terminal needs a terminal: play with --plain where input or output is a pipe")
    try:
        from kozyr.agents.play.terminal import terminal
    except ModuleNotFoundError as missing:
        from kozyr.envs.core import install_hint

        raise Failure(f"the terminal needs Textual: {install_hint.command('play')}, or play with --plain") from missing
    from kozyr.envs.table.table import Table

    players = _players(game, variant, seats)

    def deal(n: int) -> Table:
        return Table(game, variant, (seed + n) % 2**63, clock=clock, names=_names(seats))

    terminal.TableApp(deal, players).run()


def _names(seats: list[str]) -> list[str]:
    """Return the names of the seats."""
    from kozyr.agents.play.pages.opponents import ME

    return ["you" if one == ME else one for one in seats]


def _players(game: Any, variant: Any, seats: list[str]) -> list[Any]:
    """Return the agents of the seats, None for the person."""
    from kozyr import agents
    from kozyr.agents.play.pages.opponents import ME

    set_to = game.options(variant)
    return [None if one == ME else agents.load(one, game=game.name, **set_to) for one in seats]


def serve(options: Serving, form: TableForm | None = None) -> None:
    """Serve until Ctrl-C, and open a table or the lobby.

    Raises:
        ImportError: naming the extra to install.
        ValueError: for an address that cannot be used, and a folder that another server uses.
    """
    _require_extra()
    import platformdirs

    from kozyr.agents.play.server import serve as server
    from kozyr.agents.play.server.app import application
    from kozyr.agents.play.server.tables_registry import TablesRegistry
    from kozyr.envs.compile import folder

    listening = server.bind(options.host, options.port)
    home, is_open = server.address(listening), server.is_open(options.host)
    try:
        house = TablesRegistry(options.folder or Path(platformdirs.user_data_dir("kozyr")), options.agents)
    except BaseException:
        listening.close()
        raise
    app = application(house, folder() / "pictures", server.names(), options.password or "", is_open=is_open)
    if is_open:
        _warn(options)

    async def ready() -> None:
        place = home + (await _place(house, form) if form else "/")
        typer.echo(f"{place}\nCtrl-C ends the server.")
        if options.browser:
            server.open_browser(place)

    server.run(app, listening, ready)
    typer.echo("The server has ended. Tables and results are kept: `kozyr play` goes on with them.")


async def _place(house: Any, form: TableForm) -> str:
    """Open the table and return its address."""
    from kozyr.agents.play.pages.pages import address

    table = await house.make(form.game, form.entries, form.names)
    return address(table, form.entries["seats"])


def _require_extra() -> None:
    """Raise ImportError in a sentence, unless the server's libraries are there."""
    from kozyr.agents.play.pages import seating

    if missing := seating.missing():
        raise ImportError(missing)


def _warn(options: Serving) -> None:
    """Warn that other machines reach the server."""
    if options.password is None:
        typer.echo(
            "Warning: other machines reach this server, and there is no password: whoever finds it can open tables. "
            "Give --password, or leave out --host.",
            err=True,
        )
    else:
        typer.echo("Other machines reach this server. The connection is not encrypted.", err=True)
