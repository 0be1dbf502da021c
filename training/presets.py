"""The names of a game's training presets, read without anything that trains."""

import tomllib

from kozyr.envs import registry


def names(game: str) -> list[str]:
    """Return the presets of a game's own settings file, in its order; none where it has no such file."""
    folder = registry.folder(registry.SETTINGS, game)
    path = folder / f"{game}.toml" if folder else None
    if path is None or not path.is_file():
        return []
    return list(tomllib.loads(path.read_text(encoding="utf-8")))
