"""Commands that play: games, agents, match."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import (
    Deals,
    Json,
    MoveLimit,
    Seed,
    Settings,
    Workers,
    options,
    show,
    show_json,
)


def games(as_json: Json = False) -> None:
    """List the games with their options."""
    from kozyr import envs

    found = [_facts(game) for game in _found(envs.games())]
    if as_json:
        show_json(found)
        return
    show(_games_table(found), *(_options_table(facts) for facts in found))


def _found(names: list[str]) -> Iterator[Any]:
    """Give the games that can be loaded; a package that is broken is named and keeps no other game away."""
    from kozyr import envs

    for name in names:
        try:
            yield envs.game(name)
        except ImportError as error:
            typer.echo(str(error), err=True)


def _facts(game: Any) -> dict[str, Any]:
    """Return what there is to know about a game under its default options."""
    v = game.make_variant()
    defaults = game.options(v)
    return {
        "game": game.name,
        "id": game.id,
        "title": game.title,
        "version": game.version,
        "seats": game.seats(v),
        "actions": game.actions(v),
        "view": game.size(v),
        "options": {
            name: {"default": defaults[name], "allowed": field.allowed(v._asdict()[name]), "meaning": field.meaning}
            for name, field in game.fields.items()
        },
    }


def _games_table(found: list[dict[str, Any]]) -> Any:
    """Return the table of games."""
    from rich.table import Table

    table = Table("Game", "Version", "Seats", "Actions", "View", title="Games, with their default options")
    for facts in found:
        table.add_row(facts["game"], *(str(facts[key]) for key in ("version", "seats", "actions", "view")))
    return table


def _options_table(facts: dict[str, Any]) -> Any:
    """Return the table of a game's options."""
    from rich.table import Table

    table = Table("Option", "Default", "Allowed", "Meaning", title=f"{facts['id']}: {facts['title']}")
    for name, option in facts["options"].items():
        table.add_row(name, str(option["default"]), option["allowed"], option["meaning"])
    return table


def agents(
    game: Annotated[str | None, typer.Argument(help="One game; otherwise all.")] = None, as_json: Json = False
) -> None:
    """List the scripted players, weakest first, and the search players; of one game, say what they do."""
    from kozyr import agents as players
    from kozyr import envs

    asked = [envs.game(game).name] if game else [it.name for it in _found(envs.games())]
    if as_json:
        show_json({name: {"scripted": players.names(name), "search": players.searchers(name)} for name in asked})
        return
    for name in asked:
        typer.echo(f"{name}: {', '.join(players.names(name))}; search players: {', '.join(players.searchers(name))}")
        for player, text in players.about(name).items() if game else ():
            typer.echo(f"\n{player} {text}")
    typer.echo("a search player takes a budget: pimc@400 runs 400 simulations a move, pimc@50ms takes 50 ms")
    typer.echo("also: a trained policy as path/to/policy.onnx, and a class of your own as package.module:Class")
    typer.echo("programs play as process:./mybot, language models as llm:MODEL")


def match(
    game: Annotated[str, typer.Argument(help="A name from `kozyr games`.")],
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Names as low, pimc@400, pimc+policy, file.onnx, bots:Mine, llm:MODEL; the last fills the seats left."
        ),
    ],
    deals: Deals = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    settings: Settings = None,
    record: Annotated[Path | None, typer.Option(help="Write the games to this file, a JSON line each.")] = None,
    opening: Annotated[
        int | None,
        typer.Option(help="Random plies that every game begins with; the game's own number if you do not say."),
    ] = None,
    move_limit: MoveLimit = None,
    by_turn: Annotated[
        bool, typer.Option("--by-turn", help="Show the scores as the first to move, the second, … too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play agents against each other on duplicate deals."""
    from kozyr.agents.arena import match as play_match

    bar = sys.stderr.isatty()
    result = play_match(game, agents, deals, seed, workers, bar, record, opening, move_limit, **options(settings))
    if as_json:
        show_json(result.to_json())
    else:
        show(result.table())
        if (used := result.usage_table()) is not None:
            show(used)
        if by_turn:
            show(result.turns_table())
