"""The m,n,k-game: stones are as many as actions, X's at most one more than O's."""

from typing import Any

from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.mnk.rules import EMPTY, WALL, Variant


@implements(dispatch.sound, Variant)
def stones_are_counted(v: Variant, s: Any) -> bool:
    """Tell whether the board holds the stones that were played, in turn."""
    lead = stones = 0
    for a in range(v.m * v.n):
        if s.board[a] == WALL or s.board[a] == EMPTY:
            continue
        stones += 1
        lead += 1 if s.board[a] == s.starter else -1
    if s.turn != OVER and (stones == s.room or (s.turn == s.starter) != (lead == 0)):
        return False
    return stones == s.ply and lead in (0, 1) and stones <= s.room
