"""The command that publishes the JSON Schemas of a game."""

from typing import Annotated

import typer

from kozyr.training.cli.terminal import Settings, options, show_json


def schema(
    game: Annotated[str, typer.Argument(help="A name from `kozyr games`.")],
    settings: Settings = None,
) -> None:
    """Print the JSON Schemas of a game's observations and actions, for programs in any language."""
    from kozyr import envs
    from kozyr.envs.api import structured

    it = envs.game(game)
    v = it.make_variant(**options(settings))
    shapes = {"observation": structured.observation_schema(it, v), "action": structured.action_schema(it, v)}
    show_json({"game": it.id, "variant": it.options(v), **shapes})
