"""What is true of every game at every moment: `sound`, one function a game, found by the variant's type."""

from importlib import import_module
from typing import Any

from kozyr.envs.core.dispatch import generic

sound = generic("sound", "sound(v, s): tell whether nothing is lost, doubled or counted wrongly in a state.")


def register(game: Any) -> None:
    """Load what is true of one game."""
    import_module(f"tests.invariants.{game.name}")
