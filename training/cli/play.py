"""Commands about players: agents, match."""

import sys
from typing import Annotated, Any

import typer

from kozyr.training.cli.games import found
from kozyr.training.cli.terminal import (
    Deals,
    Game,
    Json,
    MoveLimit,
    OneGame,
    Record,
    Seed,
    Settings,
    Workers,
    completed_agent,
    options,
    show,
    show_json,
    show_match,
)


def agents(
    game: OneGame = None,
    as_json: Json = False,
) -> None:
    """List the players of each game; of one game, describe them."""
    from kozyr import agents as players
    from kozyr import envs

    asked = [envs.game(game).name] if game else [it.name for it in found(envs.games())]
    if as_json:
        show_json({name: {"scripted": players.names(name), "search": players.searchers(name)} for name in asked})
        return
    for name in asked:
        typer.echo(f"{name}: {', '.join(players.names(name))}; search players: {', '.join(players.searchers(name))}")
        for player, text in players.about(name).items() if game else ():
            typer.echo(f"\n{player} {text}")
    typer.echo("a search player takes a budget: pimc@400 runs 400 simulations a move, pimc@50ms takes 50 ms")
    typer.echo("also: a trained policy as path/to/policy.onnx or hf:OWNER/NAME, and a class of your own as bots:Mine")
    typer.echo("programs play as process:./mybot, language models as llm:MODEL")


def match(
    game: Game,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two names or more: low, pimc@400, pimc+policy, file.onnx, bots:Mine, llm:MODEL. The last one fills "
            "the seats left.",
            show_default=False,
            autocompletion=completed_agent,
        ),
    ] = None,
    deals: Deals = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    settings: Settings = None,
    record: Record = None,
    opening: Annotated[
        int | None,
        typer.Option(help="Random moves at the start of every game. Default: the game's own number."),
    ] = None,
    move_limit: MoveLimit = None,
    by_turn: Annotated[
        bool, typer.Option("--by-turn", help="Also show the scores as first to move, second, and so on.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play agents against each other on duplicate deals."""
    from kozyr.agents.arena import match as play_match

    variant = options(settings)
    _require_two(game, agents or [], variant)
    bar = sys.stderr.isatty()
    result = play_match(game, agents or [], deals, seed, workers, bar, record, opening, move_limit, **variant)
    if as_json:
        show_json(result.to_json())
        return
    show_match(result)
    if by_turn:
        show(result.turns_table())


def _require_two(game: str, given: list[str], variant: dict[str, Any]) -> None:
    """Raise ValueError, with what to type, if a match lacks an agent; wrong names are told of first."""
    from kozyr import agents as players
    from kozyr import envs

    envs.game(game)
    for name in given:
        players.load(name, game=game, **variant)
    if len(given) < 2:
        known = [name for name in reversed(players.names(game)) if name not in given]
        more = [*given, *known][: max(2, len(given))]
        what = "one agent more" if given else "two agents"
        raise ValueError(f"a match needs {what}. Type for instance: kozyr match {game} {' '.join(more)}")
