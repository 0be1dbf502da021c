"""Commands that connect programs elsewhere: serve, join, engine, mcp."""

import os
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.training.cli.overview import INTERRUPTED, Failure
from kozyr.training.cli.terminal import Json, Record, Seed, Settings, options, show, show_json

serve = typer.Typer(no_args_is_help=True, help="Let programs with another protocol play here.")
engine = typer.Typer(no_args_is_help=True, help="Be an engine for programs with another protocol.")
join = typer.Typer(no_args_is_help=True, help="Let an agent of ours play on a server elsewhere.")
Agents = Annotated[list[str] | None, typer.Option("--agent", help="An agent of ours that plays too; once for each.")]
Player = Annotated[str, typer.Option(help="Who plays.")]
ClientName = Annotated[str, typer.Option(help="What the client calls itself.")]
Password = Annotated[str, typer.Option(help="What clients must say to get in.")]


@serve.command("ttt", epilog="Example: kozyr serve ttt --clients 1 --agent search --games 10")
def serve_ttt(
    address: Annotated[str, typer.Option(help="Where to listen, as tcp://HOST:PORT.")] = "tcp://127.0.0.1:5555",
    clients: Annotated[int, typer.Option(min=1, help="How many to wait for.")] = 2,
    agent: Agents = None,
    games: Annotated[int, typer.Option(min=1, help="Of each pair; the signs change from game to game.")] = 2,
    settings: Settings = None,
    limit: Annotated[int, typer.Option(min=1, help="Milliseconds that a client has for an answer.")] = 300,
    password: Password = "",
    seed: Seed = 0,
    record: Record = None,
    console: Annotated[bool, typer.Option("--console", help="Ask for commands, as the course's server.")] = False,
    as_json: Json = False,
) -> None:
    """Serve the five-in-a-row wire: ZeroMQ and Protobuf."""
    import asyncio

    from kozyr import envs

    _require_extra()
    from kozyr.agents.remote.ttt.console import Console
    from kozyr.agents.remote.ttt.server import GAME, Plan, Server, results_document, results_table

    variant = envs.game(GAME).make_variant(**options(settings))
    plan = Plan(address, variant, agent or [], clients, games, limit / 1000, password, seed, _fresh(record))
    server = Server(plan, _say)
    work = Console(server, _say).run if console else server.play_all
    try:
        asyncio.run(server.run(work))
    finally:  # Ctrl-C ends the waiting, and what was played counts
        outcomes = server.outcomes
        if as_json:
            show_json(results_document(outcomes))
        elif outcomes:
            show(results_table(outcomes))


@join.command("ttt", epilog="Example: kozyr join ttt tcp://localhost:5555 --agent search --name kozyr")
def join_ttt(
    address: Annotated[str, typer.Argument(help="The server's, as tcp://HOST:PORT.")] = "tcp://localhost:5555",
    agent: Player = "search",
    name: ClientName = "kozyr",
    password: Password = "",
    observe: Annotated[bool, typer.Option("--observe", help="Only watch, and print the last boards.")] = False,
    no_reply: Annotated[bool, typer.Option("--no-last-reply", help="O has no answer to a line of X.")] = False,
    seed: Seed = 0,
) -> None:
    """Play in a server of the five-in-a-row wire until it closes."""
    _require_extra()
    from kozyr.agents.remote.ttt.client import Client, GameEnd, JoinSettings

    def ended(one: GameEnd) -> None:
        if observe:
            _say(str(one.board))

    how = JoinSettings(address, name, None if observe else agent, password, not no_reply, seed=seed)
    client = Client(how, _say, ended)
    try:
        _say(f"the server has closed after {client.run()} games")
    finally:
        failures, late = client.failed
        if failures or late:
            _say(f"{agent} has failed {failures} times and was late {late} times")


@serve.command("uecda", epilog="Example: kozyr serve uecda --agent heuristic --agent pimc --games 1000")
def serve_uecda(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free port.")] = 42485,
    host: Annotated[str, typer.Option(help="At which address of this machine; 0.0.0.0: at all.")] = "127.0.0.1",
    agent: Agents = None,
    games: Annotated[int, typer.Option(min=1, help="How many; places are forgotten after every hundred.")] = 1000,
    limit: Annotated[float, typer.Option(min=0.01, help="Seconds that a client has for an answer.")] = 3.0,
    seed: Seed = 0,
    record: Annotated[Path | None, typer.Option(help="Write the games to this file, up to 300 a line.")] = None,
    as_json: Json = False,
) -> None:
    """Serve the wire of the UECda contest: five players of Daifugo over TCP; agents of ours have the last seats."""
    import asyncio

    from kozyr.agents.remote.uecda.results import standings, table
    from kozyr.agents.remote.uecda.server import Plan, Server

    server = Server(Plan(host, port, agent or [], games, limit, seed, _fresh(record)), _say)
    try:
        asyncio.run(server.run())
    finally:  # Ctrl-C ends the waiting, and what was played counts
        for line in server.lost():
            _say(line)
        if as_json:
            show_json(standings(server.names, server.points, server.refused))
        elif server.points[0]:
            show(table(server.names, server.points, server.refused))


@join.command("uecda", epilog="Example: kozyr join uecda localhost:42485 --agent pimc@100ms --name kozyr")
def join_uecda(
    address: Annotated[str, typer.Argument(help="The server's, as HOST:PORT or HOST.")] = "localhost:42485",
    agent: Player = "heuristic",
    name: ClientName = "kozyr",
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play in a server of the UECda contest until it closes."""
    from kozyr.agents.remote.uecda.client import Client, JoinSettings
    from kozyr.agents.remote.uecda.results import standings, table

    host, _, port = address.partition(":")
    if port and not (port.isascii() and port.isdecimal()):
        raise Failure(f"{quote(address)} is no address: write HOST:PORT, as localhost:42485")
    client = Client(JoinSettings(host or "localhost", int(port or 42485), name, agent, seed=seed), _say)
    try:
        client.run()
    finally:
        games = client.result
        names = [f"{name} (we)" if k == games.player else f"player {k}" for k in range(5)]
        refused = [games.refused if k == games.player else None for k in range(5)]
        if as_json:
            show_json(standings(names, games.points, refused))
        elif games.places:
            show(table(names, games.points, refused))
            _say(f"our slowest answer took {1000 * games.slowest:.0f} ms")
        if games.failures:
            _say(f"{agent} has failed {games.failures} times")


@join.command("table", epilog="Example: kozyr join table 'http://localhost:8000/tables/ID#TOKEN' --agent pimc")
def join_table(
    link: Annotated[str, typer.Argument(help="The link of a seat, as the lobby shows it, in quotes.")],
    agent: Player = "random",
) -> None:
    """Take a seat at a table that somebody has opened with `kozyr play`, here or elsewhere."""
    try:
        from kozyr.agents.remote.guest import Guest
    except ModuleNotFoundError as missing:
        from kozyr.envs.core import install_hint

        raise Failure(f"tables need websockets: {install_hint.command('play')}") from missing
    games = Guest(link, agent, _say).run()
    _say(f"the table has closed after {len(games)} games")


@engine.command("gomocup", epilog="Example: kozyr engine gomocup --agent mnk:search")
def engine_gomocup(
    agent: Annotated[
        str, typer.Option(help="Who plays; a search without a budget takes the manager's time.")
    ] = "search",
    seed: Seed = 0,
) -> None:
    """Speak the Gomocup protocol on standard input and output, as an engine for any manager of gomoku engines."""
    import os
    import sys

    from kozyr.agents.programs.gomocup_engine import Brain, run

    brain = Brain(agent, seed)
    run(brain, sys.stdin.buffer, typer.echo)
    if brain.is_loading:
        sys.stdout.flush()
        os._exit(0)  # a manager waits for END a moment only; files of the cache are written whole, and locks end


def _say(line: str) -> None:
    """Print a line at once, on stderr: results go to stdout."""
    typer.echo(line, err=True)


def _fresh(record: Path | None) -> Path | None:
    """Return the file for games, empty; a wrong path is refused before any game."""
    if record is not None:
        file_output.write(record, "")
    return record


def _require_extra() -> None:
    """Raise in a sentence, unless the wire's libraries are there."""
    try:
        import google.protobuf as protobuf
        import zmq
    except ModuleNotFoundError as missing:
        from kozyr.envs.core import install_hint

        raise Failure(f"this wire needs pyzmq and protobuf: {install_hint.command('remote')}") from missing
    _used: Any = protobuf, zmq


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
        from kozyr.envs.core import install_hint

        raise Failure(f"tables as tools need the SDK of MCP: {install_hint.command('mcp')}") from missing
    from kozyr.agents.mcp.tables import ToolTables

    server, before = make(ToolTables(tuple(allow or ()), replays, tables)), signal.signal(signal.SIGINT, _leave)
    try:
        server.run("stdio")
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(*signals: Any) -> None:
    """End at once: the SDK's thread that reads standard input would be waited for, and it waits for a line."""
    typer.echo("interrupted", err=True)
    os._exit(INTERRUPTED)
