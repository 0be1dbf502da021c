"""The command that publishes the JSON Schemas of a game."""

from kozyr.training.cli.terminal import Game, Settings, options, show_json


def schema(
    game: Game,
    settings: Settings = None,
) -> None:
    """Print the JSON Schemas of a game's views and actions.

    They are for programs in any language.
    """
    from kozyr import envs
    from kozyr.envs.bridges import structured

    it = envs.game(game)
    v = it.make_variant(**options(settings))
    shapes = {"observation": structured.observation_schema(it, v), "action": structured.action_schema(it, v)}
    show_json({"game": it.id, "variant": it.options(v), **shapes})
