"""The command that offers tables to language models."""

from pathlib import Path
from typing import Annotated

import typer

from kozyr.training.cli.terminal import Failure


def mcp(
    allow: Annotated[
        list[str] | None, typer.Option(help="An opponent that is code or a file, as bots:Mine; may be given often.")
    ] = None,
    replays: Annotated[Path | None, typer.Option(help="A folder for pages that show games that are over.")] = None,
    tables: Annotated[int, typer.Option(min=1, max=1000, help="At most so many at a time.")] = 20,
) -> None:
    """Offer tables as tools of the Model Context Protocol, on standard input and output."""
    try:
        from kozyr.agents.mcp.server import make
    except ModuleNotFoundError as missing:
        raise Failure("tables as tools need the SDK of MCP: pip install 'kozyr[mcp]'") from missing
    from kozyr.agents.mcp.desk import Desk

    make(Desk(tuple(allow or ()), replays, tables)).run("stdio")
