"""Guarded player: a failure of an agent of ours costs it a move, and nobody the game."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.player import AgentPlayer
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.table.table import TableInfo


class GuardedPlayer:
    """A player that may fail, among programs of others.

    Args:
        name: of the player; player: an agent's; tell: called with a line when it fails for the first time.

    Attributes:
        failures: how often it has raised, or answered with an illegal action.
    """

    def __init__(self, name: str, player: AgentPlayer, tell: Callable[[str], None]) -> None:
        self.name, self.player, self.failures, self._tell = name, player, 0, tell

    def begin(self, info: TableInfo) -> None:
        """Let it sit down."""
        try:
            self.player.begin(info)
        except (Exception, SystemExit) as error:  # whatever a user's agent raises
            self._note(error)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int | None:
        """Return its action, or None if it fails."""
        try:
            action = self.player.act(view, mask.copy(), None)
            if wrong := argument_checks.complaint(action, mask):
                raise ValueError(f"it answers {quote(action)}: {wrong}")
        except (Exception, SystemExit) as error:
            self._note(error)
            return None
        return int(action)

    def _note(self, error: BaseException) -> None:
        """Count a failure, and tell the first one."""
        self.failures += 1
        if self.failures == 1:
            reason = str(error) or type(error).__name__
            self._tell(f"{self.name} has failed, and another move is made in its place: {reason}")
