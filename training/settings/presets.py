"""Presets of a settings file as it stands, read without the libraries of training."""

from pathlib import Path
from typing import Any

from kozyr.envs import registry
from kozyr.envs.table import files

_LARGEST = 1 << 18  # bytes of a settings file


def names(game: str) -> list[str]:
    """Return the presets of a game's own settings file, in its order; none where it has no such file."""
    return list(usual(game))


def usual(game: str) -> dict[str, Any]:
    """Return the presets that come with a game, if any do."""
    return read(game)[1] if _own(game) else {}


def read(game: str, path: Path | None = None) -> tuple[str, dict[str, Any]]:
    """Return the name of a settings file, and its content.

    Args:
        game: the game that it is for; path: the file, None: the game's own.

    Raises:
        ValueError: for a file that is missing, too large or no TOML.
    """
    if path is None:
        source = _own(game)
        if source is None:
            raise ValueError(f"there are no training settings for {game}: give a TOML file of your own")
        return source.name, _parsed(source.name, files.text(source, _LARGEST))
    try:
        text = files.text(path, _LARGEST)
    except OSError as error:
        raise ValueError(f"the settings file {path} cannot be read: {error}") from None
    return str(path), _parsed(str(path), text)


def _own(game: str) -> Path | None:
    """Return the settings file that comes with a game, or None."""
    folder = registry.folder(registry.SETTINGS, game)
    path = folder / f"{game}.toml" if folder else None
    return path if path and path.is_file() else None


def _parsed(name: str, text: str) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return files.parsed_toml(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
