"""Alias of `kozyr.envs.pictures.scene`, under the name by which games import it."""

import warnings
from typing import Any

from kozyr.envs.pictures import coordinates
from kozyr.envs.pictures.scene import *  # noqa: F403

_FORMER = ("put", "words", "card", "tag")


def __getattr__(name: str) -> Any:
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    said = f"{name} is to go: list zones, without coordinates, by the functions of kozyr.envs.pictures.zones"
    warnings.warn(said, DeprecationWarning, stacklevel=2)
    return getattr(coordinates, name)
