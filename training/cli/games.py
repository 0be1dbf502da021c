"""The command that lists games, and shows one."""

from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import typer

from kozyr.training.cli.terminal import Json, OneGame, show, show_json

_HINT = "kozyr games GAME shows its options, players, presets and policies."


def games(
    game: OneGame = None,
    as_json: Json = False,
) -> None:
    """List the games; of one game, show options and players."""
    from kozyr import envs

    if game is not None:
        facts = _facts(envs.game(game))
        if as_json:
            show_json(facts)
        else:
            _show_one(facts)
        return
    listed = [_facts(one) for one in found(envs.games())]
    if as_json:
        show_json(listed)
    else:
        show(_overview(listed), _HINT)


def found(names: list[str]) -> Iterator[Any]:
    """Give the games that can be loaded; a package that is broken is named and keeps no other game away."""
    from kozyr import envs

    for name in names:
        try:
            yield envs.game(name)
        except ImportError as error:
            typer.echo(str(error), err=True)


def _facts(game: Any) -> dict[str, Any]:
    """Return what there is to know about a game under its default options."""
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
    """Return what a bundled policy plays, as far as its card says it: the fewest options that make its variant.

    Args:
        path: its file; game: what it plays.
    """
    from kozyr.training.export import publish

    card = path.with_suffix(".md")
    options = publish.facts(card)["options"] if card.is_file() else {}
    return {"file": str(path), "options": game.departures(game.make_variant(**options))}


def _page(game: Any) -> str:
    """Return where a game's page is: in the documentation of its package, or else its rules on this machine."""
    for package in metadata.packages_distributions().get(game.package.partition(".")[0], []):
        for line in metadata.metadata(package).get_all("Project-URL") or []:
            label, _, address = line.partition(", ")
            if label == "Documentation":
                return f"{address.rstrip('/')}/environments/{game.id}.html"
    return str(resources.files(game.package) / "RULES.md")


def _overview(listed: list[dict[str, Any]]) -> Any:
    """Return the table of games."""
    from rich.table import Table

    table = Table("Game", "Environment", title="Games, with their default options")
    for head in ("Seats", "Actions", "View", "Options"):
        table.add_column(head, justify="right")
    for facts in listed:
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
    """Return what is to be said about a game beside its options; what it has none of is left out."""
    lines = {
        "Seats": f"{facts['seats']}, with the default options",
        "Players": f"{', '.join(facts['scripted'])} (weakest first)",
        "Search": ", ".join(facts["search"]),
        "Rules": "\n".join(f"--set rules={name}" for name in facts["rules"]),
        "Presets": f"{', '.join(facts['presets'])} (of kozyr train)",
        "Policies": "\n".join(_named(one) for one in facts["policies"]),
        "Page": facts["page"],
    }
    keys = {"Search": "search", "Rules": "rules", "Presets": "presets", "Policies": "policies"}
    return {head: text for head, text in lines.items() if facts.get(keys.get(head, "page"))}


def _named(policy: dict[str, Any]) -> str:
    """Return a policy's file with the options that make the player `policy` this one."""
    options = " ".join(f"--set {key}={value}" for key, value in policy["options"].items())
    return f"{Path(policy['file']).name}: policy {options}".rstrip()
