"""Commands that let programs elsewhere play here, and ours there: serve, join."""

from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import Failure, Json, Seed, Settings, options, show, show_json

serve = typer.Typer(no_args_is_help=True, help="Let programs that speak another protocol play here.")
join = typer.Typer(no_args_is_help=True, help="Let an agent of ours play in a server elsewhere.")

Agents = Annotated[list[str] | None, typer.Option("--agent", help="An agent of ours that plays too; once for each.")]
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
    record: Annotated[Path | None, typer.Option(help="Write the games to this file, a JSON line each.")] = None,
    console: Annotated[bool, typer.Option("--console", help="Ask for commands, as the course's server.")] = False,
    as_json: Json = False,
) -> None:
    """Serve the five-in-a-row wire: ZeroMQ and Protobuf."""
    import asyncio

    from kozyr import envs

    _require_extra()
    from kozyr.agents.remote.ttt.console import Console
    from kozyr.agents.remote.ttt.results import document, table
    from kozyr.agents.remote.ttt.server import GAME, Plan, Server

    variant = envs.game(GAME).make_variant(**options(settings))
    plan = Plan(address, variant, agent or [], clients, games, limit / 1000, password, seed, _fresh(record))
    server = Server(plan, _say)
    work = Console(server, _say).run if console else server.play_all
    try:
        asyncio.run(server.run(work))
    finally:  # Ctrl-C ends the waiting, and what was played counts
        outcomes = server.outcomes
        if as_json:
            show_json(document(outcomes))
        elif outcomes:
            show(table(outcomes))


@join.command("ttt", epilog="Example: kozyr join ttt tcp://localhost:5555 --agent search --name kozyr")
def join_ttt(
    address: Annotated[str, typer.Argument(help="The server's, as tcp://HOST:PORT.")] = "tcp://localhost:5555",
    agent: Annotated[str, typer.Option(help="Who plays.")] = "search",
    name: Annotated[str, typer.Option(help="What the client calls itself.")] = "kozyr",
    password: Password = "",
    observe: Annotated[bool, typer.Option("--observe", help="Only watch, and print the last boards.")] = False,
    no_reply: Annotated[bool, typer.Option("--no-last-reply", help="O has no answer to a line of X.")] = False,
    seed: Seed = 0,
) -> None:
    """Play in a server of the five-in-a-row wire until it closes."""
    _require_extra()
    from kozyr.agents.remote.ttt.client import Client, Ended, Joining

    def ended(one: Ended) -> None:
        if observe:
            _say(str(one.board))

    how = Joining(address, name, None if observe else agent, password, not no_reply, seed=seed)
    games = Client(how, _say, ended).run()
    _say(f"the server has closed after {games} games")


def _say(line: str) -> None:
    """Print a line at once, on stderr: results go to stdout."""
    typer.echo(line, err=True)


def _fresh(record: Path | None) -> Path | None:
    """Return the file for games, empty; it is made now, so that a wrong place is told before any game."""
    if record is not None:
        record.write_text("", encoding="utf-8")
    return record


def _require_extra() -> None:
    """Raise in a sentence, unless the wire's libraries are there."""
    try:
        import google.protobuf as protobuf
        import zmq
    except ModuleNotFoundError as missing:
        raise Failure("this wire needs pyzmq and protobuf: pip install 'kozyr[remote]'") from missing
    _used: Any = protobuf, zmq
