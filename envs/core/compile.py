"""Alias of `kozyr.envs.compile`, under the name by which games import it."""

from kozyr.envs.compile import *  # noqa: F403
from kozyr.envs.compile import __all__ as __all__
