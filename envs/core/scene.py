"""Alias of `kozyr.envs.pictures.scene`, under the name by which games import it."""

from kozyr.envs.pictures.scene import *  # noqa: F403
