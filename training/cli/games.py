"""Commands that describe games: games, agents, stats, schema."""

from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata, resources
from pathlib import Path
from typing import Annotated, Any

import typer

from kozyr.training.cli.terminal import (
    Game,
    Json,
    OneGame,
    Seed,
    Settings,
    options,
    show,
    show_json,
)

_HINT = "kozyr games GAME shows its options, players, presets and policies."


def games(
    game: OneGame = None,
    schemas: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schemas of the game's views and actions.")
    ] = False,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """List the games; of one game, show options and players."""
    from kozyr import envs

    if schemas and game is not None:
        schema(game, settings)
        return
    if schemas:
        raise ValueError("--schema is of one game: name it, as in kozyr games durak --schema")
    if settings:
        raise ValueError("--set goes with --schema: the other facts are those of the default options")
    if game is not None:
        facts = _facts(envs.game(game))
        if as_json:
            show_json(facts)
        else:
            _show_one(facts)
        return
    every_game = [_facts(one) for one in loadable_games(envs.games())]
    if as_json:
        show_json(every_game)
    else:
        show(_overview(every_game), _HINT)


def loadable_games(names: list[str]) -> Iterator[Any]:
    """Give the games that can be loaded; a package that is broken is named and keeps no other game away."""
    from kozyr import envs

    for name in names:
        try:
            yield envs.game(name)
        except ImportError as error:
            typer.echo(str(error), err=True)


def _facts(game: Any) -> dict[str, Any]:
    """Return the facts about a game under its default options."""
    from kozyr import agents
    from kozyr.training.settings import presets

    v = game.make_variant()
    return {
        "game": game.name,
        "id": game.id,
        "title": game.title,
        "version": game.version,
        "seats": game.seats(v),
        "actions": game.actions(v),
        "view": game.size(v),
        "options": game.option_facts(),
        "rules": {name: dict(options) for name, options in game.presets.items()},
        "scripted": agents.names(game.name),
        "search": agents.searchers(game.name),
        "presets": presets.names(game.name),
        "policies": [_policy(path, game) for path in agents.policies(game.name)],
        "page": _page(game),
    }


def _policy(path: Path, game: Any) -> dict[str, Any]:
    """Return the variant of a bundled policy, as far as its card says it, by the fewest options that make it.

    Args:
        path: its file; game: its game.
    """
    from kozyr.training.export import publish

    card = path.with_suffix(".md")
    options = publish.facts(card)["options"] if card.is_file() else {}
    return {"file": str(path), "options": game.departures(game.make_variant(**options))}


def _page(game: Any) -> str:
    """Return the address of a game's page: in the documentation of its package, or else its rules on this machine."""
    for package in metadata.packages_distributions().get(game.package.partition(".")[0], []):
        for line in metadata.metadata(package).get_all("Project-URL") or []:
            label, _, address = line.partition(", ")
            if label == "Documentation":
                return f"{address.rstrip('/')}/environments/{game.id}.html"
    return str(resources.files(game.package) / "RULES.md")


def _overview(games: list[dict[str, Any]]) -> Any:
    """Return the table of games."""
    from rich.table import Table

    table = Table("Game", "Environment", title="Games, with their default options")
    for head in ("Seats", "Actions", "View", "Options"):
        table.add_column(head, justify="right")
    for facts in games:
        numbers = *(str(facts[key]) for key in ("seats", "actions", "view")), str(len(facts["options"]))
        table.add_row(facts["game"], facts["id"], *numbers)
    return table


def _show_one(facts: dict[str, Any]) -> None:
    """Print all about a game."""
    from rich.markup import escape
    from rich.table import Table

    options = Table(title=f"{facts['title']} ({facts['id']})", expand=True)
    for head, ratio in {"Option": None, "Default": None, "Allowed": 2, "Meaning": 3}.items():
        options.add_column(head, ratio=ratio, overflow="fold")
    for name, option in facts["options"].items():
        options.add_row(*map(escape, (name, str(option["default"]), option["allowed"], option["meaning"])))
    more = Table(box=None, show_header=False, padding=(0, 1))
    more.add_column(style="bold", no_wrap=True)
    for head, text in _lines(facts).items():
        more.add_row(head, escape(text))
    show(options, more, f"\nTry: kozyr play {facts['game']}")


def _lines(facts: dict[str, Any]) -> dict[str, str]:
    """Return the facts about a game beside its options, in lines; empty ones are left out."""
    lines = {
        "Seats": f"{facts['seats']}, with the default options",
        "Players": f"{', '.join(facts['scripted'])} (weakest first)",
        "Search": ", ".join(facts["search"]),
        "Rules": "\n".join(f"--set rules={name}" for name in facts["rules"]),
        "Presets": f"{', '.join(facts['presets'])} (of kozyr train)",
        "Policies": "\n".join(_policy_line(one) for one in facts["policies"]),
        "Page": facts["page"],
    }
    keys = {"Search": "search", "Rules": "rules", "Presets": "presets", "Policies": "policies"}
    return {head: text for head, text in lines.items() if facts.get(keys.get(head, "page"))}


def _policy_line(policy: dict[str, Any]) -> str:
    """Return a policy's file with the options that make the player `policy` this one."""
    options = " ".join(f"--set {key}={value}" for key, value in policy["options"].items())
    return f"{Path(policy['file']).name}: policy {options}".rstrip()


def agents(
    game: OneGame = None,
    as_json: Json = False,
) -> None:
    """List the players of each game; of one game, describe them."""
    from kozyr import agents as players
    from kozyr import envs

    listed = [envs.game(game).name] if game else [one.name for one in loadable_games(envs.games())]
    if as_json:
        show_json({name: {"scripted": players.names(name), "search": players.searchers(name)} for name in listed})
        return
    for name in listed:
        typer.echo(f"{name}: {', '.join(players.names(name))}; search players: {', '.join(players.searchers(name))}")
        for player, text in players.about(name).items() if game else ():
            typer.echo(f"\n{player} {text}")
    typer.echo("a search player takes a budget: pimc@400 runs 400 simulations a move, pimc@50ms takes 50 ms")
    typer.echo("also: a trained policy as path/to/policy.onnx or hf:OWNER/NAME, and a class of your own as bots:Mine")
    typer.echo("programs play as process:./mybot, language models as llm:MODEL")


def stats(
    game: Game,
    deals: Annotated[int, typer.Option(help="Deals to count over.")] = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Count a game's statistics over many deals.

    They are shown with 95 % intervals beside the figures on the game's page.
    """
    from rich.table import Table

    from kozyr.agents import statistics as statistics
    from kozyr.agents.arena.matches.console import waiting

    with waiting(f"counting {deals:,} deals of {game}"):
        facts = statistics.measure(game, deals, seed)
    if as_json:
        show_json([asdict(fact) for fact in facts])
        return
    table = Table("What", title=f"{game}, {deals:,} deals, seed {seed}")
    for head in ("Figure", "95 % interval", "Page"):
        table.add_column(head, justify="right", no_wrap=True)
    for fact in facts:
        unit = "" if fact.unit == "return" else f" {fact.unit}"
        page = "" if fact.expected is None else f"{fact.expected:g}{unit}"
        table.add_row(fact.name, f"{fact.value:.2f}{unit}", f"{fact.low:.2f} … {fact.high:.2f}", page)
    show(table)


def schema(
    game: Game,
    settings: Settings = None,
) -> None:
    """Print the JSON Schemas of a game's views and actions.

    They are for programs in any language. `kozyr games GAME --schema` prints them, too.
    """
    from kozyr import envs
    from kozyr.envs.bridges import structured

    one = envs.game(game)
    v = one.make_variant(**options(settings))
    shapes = {"observation": structured.observation_schema(one, v), "action": structured.action_schema(one, v)}
    show_json({"game": one.id, "variant": one.options(v), **shapes})
