"""The documentation page of an environment, its tables filled in from the game's declarations."""

from typing import Any

from kozyr.envs.core.game import Game


def page(text: str, game: Game) -> str:
    """Return a module's docstring with {summary}, {observation}, {actions} and {options} replaced by tables."""
    variant = game.make_variant()
    made = {
        "{summary}": summary(game, variant),
        "{observation}": observation(game, variant),
        "{actions}": table(["Action", "Meaning"], [list(row) for row in game.action_table(variant)]),
        "{options}": options(game),
    }
    for mark, content in made.items():
        text = text.replace(mark, content)
    return text


def summary(game: Game, variant: Any) -> str:
    """Return the table that opens a page."""
    seats, size = game.seats(variant), game.size(variant)
    return table(
        ["Import", f"`from {game.package.rpartition('.')[0] or game.package} import {game.id}`"],
        [
            ["Actions", "Discrete"],
            ["Parallel API", "No"],
            ["Manual control", "No"],
            ["Agents", f"`agents = {[f'player_{k}' for k in range(seats)]}`"],
            ["Number of agents", str(seats)],
            ["Action shape", f"Discrete({game.actions(variant)})"],
            ["Observation shape", f"({size},)"],
            ["Observation values", f"[0, {int(game.high(variant).max())}], {game.view_dtype}"],
        ],
    )


def observation(game: Game, variant: Any) -> str:
    """Return the table of a view's parts under the default variant."""
    spans = game.parts(variant).spans()
    rows = [
        [
            f"{s.start} … {s.stop - 1}" if s.stop - s.start > 1 else str(s.start),
            f"`{name}`",
            f"0 … {p.top(variant)}",
            p.meaning,
        ]
        for name, s in spans.items()
        for p in [game.parts.declared[name]]
        if s.stop > s.start
    ]
    return table(["Index", "Part", "Values", "Meaning"], rows)


def options(game: Game) -> str:
    """Return the table of the variant's fields."""
    defaults = game.options(game.make_variant())
    rows = [
        [f"`{name}`", f"`{defaults[name]!r}`", field.allowed(game.variant._field_defaults[name]), field.meaning]
        for name, field in game.fields.items()
    ]
    return table(["Option", "Default", "Allowed", "Meaning"], rows)


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
