"""Alias of `kozyr.envs.core.input_spec`, under the name by which games import it."""

from kozyr.envs.core.input_spec import *  # noqa: F403
