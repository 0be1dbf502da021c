"""Checkpoints of a training run: written whole or not at all, read with care, refused in words."""

import pickle
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from kozyr.envs.api.lock import locked
from kozyr.envs.core.game import Game

NAME = "checkpoint.pt"
_FORMAT = 7  # to be raised whenever the content or the keys of the settings change


@contextmanager
def begun(folder: Path, record: str) -> Generator[None]:
    """Make a run's folder and keep other processes away while the block runs.

    Raises:
        ValueError: if there is a run in it already, which has a checkpoint or a record, or another process makes one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from None
    with locked(folder, "run"):
        if any((folder / name).exists() for name in (NAME, record)):
            raise ValueError(f"there is a run in {folder} already: resume it, choose another folder, or remove it")
        yield


@contextmanager
def resumed(folder: Path) -> Generator[dict[str, Any]]:
    """Give the checkpoint of a run and keep other processes away while the block runs.

    Raises:
        ValueError: as `load`, or if another process is at work on the run.
    """
    _require_there(folder)
    with locked(folder, "run"):
        yield load(folder)


def _require_there(folder: Path) -> None:
    """Raise ValueError unless there is a checkpoint in a folder."""
    if not (folder / NAME).is_file():
        raise ValueError(f"there is no run to resume in {folder}: it has no {NAME}")


def save(folder: Path, game: Game, variant: Any, content: dict[str, Any]) -> None:
    """Replace the checkpoint of a run by a new one, marked with all that it depends on."""
    part = folder / f"{NAME}.part"
    marks = {
        "format": _FORMAT,
        "game": game.id,
        "options": game.options(variant),
        "view": game.declaration(variant),
    }
    torch.save({**marks, **content}, part)
    part.replace(folder / NAME)


def load(folder: Path) -> dict[str, Any]:
    """Return the checkpoint of a run.

    Raises:
        ValueError: if there is none, or it cannot be read.
    """
    path = folder / NAME
    _require_there(folder)
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        raise ValueError(f"the checkpoint {path} cannot be read: {error}") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"{path} is no checkpoint of this version of kozyr (format {_FORMAT}): start a new run")
    return content


def require(content: dict[str, Any], folder: Path, game: Game, options: dict[str, Any]) -> Any:
    """Return the variant of a checkpoint if it fits the game as it is now and the options asked for.

    Raises:
        ValueError: saying what differs.
    """
    whose = f"the run in {folder}"
    if content["game"] != game.id:
        raise ValueError(f"{whose} trains {content['game']}, not {game.id}: choose another folder")
    try:
        variant = game.make_variant(**content["options"])
    except ValueError as error:
        raise ValueError(f"{whose} trains a variant that is no more: {error}. Start a new run") from None
    mine, asked = game.options(variant), game.options(game.make_variant(**{**content["options"], **options}))
    other = [f"{name}={mine[name]!r}, not {asked[name]!r}" for name in mine if mine[name] != asked[name]]
    if other:
        raise ValueError(f"{whose} trains another variant: {'; '.join(other)}. Choose another folder")
    changed = ", ".join(dict.fromkeys(game.changed(variant, content["view"])))
    if changed:
        raise ValueError(f"{whose} was trained with another view of {game.id} ({changed}): start a new run")
    return variant
