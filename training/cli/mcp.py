"""The command that offers tables to language models."""

import os
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.overview import INTERRUPTED, Failure


def mcp(
    allow: Annotated[
        list[str] | None, typer.Option(help="An opponent that is code or a file, as bots:Mine; may be given often.")
    ] = None,
    replays: Annotated[Path | None, typer.Option(help="A folder for pages that show games that are over.")] = None,
    tables: Annotated[int, typer.Option(min=1, max=1000, help="At most so many at a time.")] = 20,
) -> None:
    """Let language models play through tools (MCP).

    The server speaks the Model Context Protocol on standard input and output.
    """
    try:
        from kozyr.agents.mcp.server import make
    except ModuleNotFoundError as missing:
        from kozyr.envs.environments import install_hint

        raise Failure(f"tables as tools need the SDK of MCP: {install_hint.command('mcp')}") from missing
    from kozyr.agents.mcp.tables import ToolTables

    server, before = make(ToolTables(tuple(allow or ()), replays, tables)), signal.signal(signal.SIGINT, _leave)
    try:
        server.run("stdio")
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(*given: Any) -> None:
    """End at once: the SDK's thread that reads standard input would be waited for, and it waits for a line."""
    typer.echo("interrupted", err=True)
    os._exit(INTERRUPTED)
