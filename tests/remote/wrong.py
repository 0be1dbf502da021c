"""Agents that fail in one way or another, once they are in a game."""

import sys
import time
from typing import Any

from kozyr.agents.agent import Solo


class _Wrong(Solo):
    def reset(self, seat: int, seed: int) -> None:
        """Forget nothing."""

    def warm(self) -> None:
        """Be warm."""


class Raises(_Wrong):
    """One with a bug."""

    def act(self, view: Any, mask: Any) -> int:
        raise RuntimeError("a bug")


class Illegal(_Wrong):
    """One that plays what is not there."""

    def act(self, view: Any, mask: Any) -> int:
        return len(mask)


class Leaves(_Wrong):
    """One that ends its process."""

    def act(self, view: Any, mask: Any) -> int:
        sys.exit(3)


class Slow(_Wrong):
    """One that thinks for too long the first time, and then plays the last free cell."""

    thought = False

    def act(self, view: Any, mask: Any) -> int:
        if not self.thought:
            self.thought = True
            time.sleep(1.5)
        return int(len(mask) - 1 - mask[::-1].argmax())
