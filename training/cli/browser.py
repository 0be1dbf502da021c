"""The server that `kozyr play` and `kozyr watch` start."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer


@dataclass(frozen=True)
class Serving:
    """How a server is to run: what the options of the command say.

    Attributes:
        host, port: where it listens; port None: a usual one, or a free one.
        password: what others must say, or None.
        browser: whether to open one.
        given: names of agents that the lobby offers too.
        folder: where tables and results are kept, or None for the user's data.
    """

    host: str
    port: int | None = None
    password: str | None = None
    browser: bool = True
    given: tuple[str, ...] = ()
    folder: Path | None = None


@dataclass(frozen=True)
class Asked:
    """The table that a command asks for.

    Attributes:
        game: what is played; found: what a form would find, see `kozyr.agents.play.pages.forms`.
        names: what each seat is called.
    """

    game: Any
    found: dict[str, Any]
    names: Sequence[str]


def serve(how: Serving, asked: Asked | None = None) -> None:
    """Serve until Ctrl-C, and open the table that is asked for, or the lobby.

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

    listening = server.bind(how.host, how.port)
    home, reached = server.address(listening), server.is_open(how.host)
    try:
        house = TablesRegistry(how.folder or Path(platformdirs.user_data_dir("kozyr")), how.given)
    except BaseException:
        listening.close()
        raise
    app = application(house, folder() / "pictures", server.names(), how.password or "")
    if reached:
        _warn(how)

    async def ready() -> None:
        place = home + (await _place(house, asked) if asked else "/")
        typer.echo(f"{place}\nCtrl-C ends the server.")
        if how.browser:
            server.open_browser(place)

    server.run(app, listening, ready)
    typer.echo("The server has ended. Tables and results are kept: `kozyr play` goes on with them.")


async def _place(house: Any, asked: Asked) -> str:
    """Open the table and return where it is."""
    from kozyr.agents.play.pages.pages import address

    made = await house.make(asked.game, asked.found, asked.names)
    return address(made, asked.found["seats"])


def _require_extra() -> None:
    """Raise ImportError in a sentence, unless all is there that the server needs."""
    from kozyr.agents.play.pages import seating

    if missing := seating.missing():
        raise ImportError(missing)


def _warn(how: Serving) -> None:
    """Say what it means that other machines reach the server."""
    if how.password is None:
        typer.echo(
            "Warning: other machines reach this server, and there is no password: whoever finds it can open tables. "
            "Give --password, or leave out --host.",
            err=True,
        )
    else:
        typer.echo("Other machines reach this server. The connection is not encrypted.", err=True)
